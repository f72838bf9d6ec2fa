"""Fits to tables of rates: the formula by hand, numbers found again, and an independent model as the judge."""

import json
import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from lustre_closed import ClosedJob, ClosedMachine
from lustre_closed import seconds as closed_seconds
from lustre_events import COLUMNS, GIB, MIB, Job, LustreMachine, Play, made_table
from lustre_rounds import RoundJob, RoundMachine, made_rounds, seconds
from lustre_shares import SharesJob, SharesMachine, fair_rates
from lustre_shares import seconds as shared_seconds
from striate.cli.main import run
from striate.cluster.load import load_cluster
from striate.errors import RatesError
from striate.rates.choice import choose
from striate.rates.fit import fit_rates
from striate.rates.residual import BEYOND, Scales, covariance
from striate.rates.table import RateRow, merged
from striate.rates.terms import FIXED, WriteColumns, clients_per_target, log_seconds, parts_of, priors


def row(nodes=4, stripes=4, multiplier=2, lock_mode="0", moved=8 * GIB, seconds=math.nan):
    return RateRow(nodes, 16, stripes, multiplier, lock_mode, moved, (), seconds)


@pytest.mark.parametrize("placement", ["spread", "packed"])
@pytest.mark.parametrize(
    ("nodes", "aggregators", "stripes"), [(4, 12, 12), (4, 24, 12), (3, 8, 4), (8, 5, 6), (1, 9, 3)]
)
def test_clients_of_a_target_are_counted_as_stripes_are_dealt(nodes, aggregators, stripes, placement):
    node = [i % nodes if placement == "spread" else i * nodes // aggregators for i in range(aggregators)]
    seen = [set() for _ in range(stripes)]
    for stripe in range(aggregators * stripes):
        seen[stripe % stripes].add(node[stripe % aggregators])

    counted = clients_per_target(nodes, aggregators, stripes, placement)

    assert counted == pytest.approx(sum(map(len, seen)) / stripes)


@pytest.mark.parametrize(("nodes", "clients"), [(1, 1), (8, 1), (12, 1), (24, 2), (64, 4)])
def test_grouped_aggregators_share_an_ost_only_when_nodes_are_more_than_osts(nodes, clients):
    """48 aggregators of 12 OSTs: on 24 nodes two of each, of which an OST's four fill two."""
    assert clients_per_target(nodes, 48, 12, "grouped") == clients


def numbers(**given):
    """Log numbers of the formula for lock modes 0 and 2; whatever is not given costs nothing."""
    cheap = {"start": 1e-9, "round_cost": 1e-9, "round_exponent": 0.0, "shared_moves": 0.0, "sharpness": 1e3}
    cheap |= {"seeking": 0.0, "sharing": 1e-9}
    modes = {f"{name}[{mode}]": 1e-9 for name in ("lock_cost", "flush_cost") for mode in "02"}
    modes |= {"crowding[0]": 0.0, "crowding[2]": 0.0}
    usual = (
        {name: cheap.get(name, 1e9) for name in FIXED} | modes | {"slowness[2]": 1.0, "exchange_odds": 1e-9}
    )
    named = [(prior, (usual | given)[prior.name]) for prior in priors(("0", "2"))]
    return np.array([[value if prior.plain else math.log(value) for prior, value in named]])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"process_rate": 0.5}, 8 / (8 * 0.5)),  # 8 GiB by 8 aggregators of 0.5 GiB/s
        ({"client_rate": 0.5}, 8 / (4 * 0.5)),  # on 4 nodes
        ({"target_rate": 0.5}, 8 / (4 * 0.5)),  # onto 4 OSTs
        ({"target_rate": 0.5, "crowding[0]": 1.0}, 8 / (4 * 0.5) * 2),  # 2 writers per OST
        ({"target_rate": 0.5, "knee": 2.0}, 8 / (4 * 0.5) * 2),  # at two writers half of the rate
        ({"client_rate": 0.5, "sharing": 0.5}, 8 / (4 * 0.5) * 1.5),  # one further writer on a node
        ({"process_rate": 0.5, "target_rate": 0.5, "exchange_odds": 1.0}, 1 + 4),  # half of 2 s before 4 s
        ({"start": 3.0}, 3.0),
    ],
)
def test_each_part_of_the_formula_by_hand(given, expected):
    columns = WriteColumns.of([row()], ("0", "2"), "spread")

    assert math.exp(log_seconds(numbers(**given), columns)[0, 0]) == pytest.approx(expected, rel=0.01)


def test_locks_move_only_between_nodes():
    """Aggregators in turn on 3 nodes, 4 stripes: an OST has writers of two nodes; on one node nothing moves."""
    rows = [row(nodes=3), row(nodes=1), row(nodes=3, lock_mode="2")]
    columns = WriteColumns.of(rows, ("0", "2"), "spread")

    _, _, parts = parts_of(numbers(**{"lock_cost[0]": 1.0, "flush_cost[0]": 2.0}), columns)

    assert parts[3][0] == pytest.approx([8 / 4 * 0.5, 0, 0], abs=1e-6)
    assert parts[4][0] == pytest.approx([8 / 3 * 2 * 0.5, 0, 0], abs=1e-6)  # by the client that gives it up


def test_an_ost_that_several_clients_write_to_seeks():
    """Aggregators in turn on 3 nodes, 4 stripes: an OST has two clients."""
    columns = WriteColumns.of([row(nodes=3), row(nodes=1)], ("0", "2"), "spread")

    _, _, parts = parts_of(numbers(target_rate=0.5, seeking=0.5), columns)

    assert parts[3][0] == pytest.approx([8 / (4 * 0.5) * 2**0.5, 8 / (4 * 0.5)], rel=1e-6)


@cache
def own_fit():
    """A fit to times that the formula itself gives, with 3 % of noise."""
    settings = [(n, m, mode) for n in (1, 2, 4, 8) for m in (1, 2, 4, 8) for mode in ("0", "2")]
    rows = [row(nodes, 4, multiplier, mode, nodes * 4 * GIB) for nodes, multiplier, mode in settings]
    truth = {"process_rate": 0.7, "client_rate": 5.0, "target_rate": 1.5, "start": 0.05, "sharpness": 4.0}
    logs = log_seconds(
        numbers(**truth, **{"lock_cost[0]": 0.5, "exchange_odds": 0.5}),
        WriteColumns.of(rows, ("0", "2"), "spread"),
    )[0]
    noisy = np.exp(logs + np.random.default_rng(3).normal(0, 0.03, len(rows)))
    return fit_rates(
        [replace(one, seconds=seconds) for one, seconds in zip(rows, noisy.tolist(), strict=True)]
    )


def test_numbers_that_a_table_determines_are_found_and_others_named():
    found = {one.prior.name: one for one in own_fit().found()}

    for name, truth in (("process_rate", 0.7), ("target_rate", 1.5)):
        assert found[name].determined
        assert found[name].value.low * 0.8 <= truth <= found[name].value.high * 1.25
    assert not found["round_exponent"].determined  # rounds cost nothing here


def test_a_straggler_does_not_become_a_property_of_the_machine():
    """One run of 32 takes four times as long; its setting on more nodes is forecast as without it."""
    rows = list(own_fit().rows)
    slow = next(
        at for at, one in enumerate(rows) if (one.nodes, one.multiplier, one.lock_mode) == (8, 8, "2")
    )
    rows[slow] = replace(rows[slow], seconds=4 * rows[slow].seconds)
    asked = [row(32, 4, 8, "2", 32 * 4 * GIB)]

    (with_it,), (without,) = fit_rates(rows).forecast(asked), own_fit().forecast(asked)

    assert with_it.estimate == pytest.approx(without.estimate, rel=0.15)


def test_a_setting_that_may_be_slow_loses_against_one_that_is_nearly_as_fast(monkeypatch):
    """Half of the fits: 1.0 s or 1.8 s; the other setting takes 1.36 s in all of them."""
    fit = own_fit()
    draws = np.log([[1.0, 1.36], [1.8, 1.36]])
    monkeypatch.setattr(type(fit), "log_draws", lambda *_: draws)

    assert np.argmin(draws.mean(axis=0)) == 0
    assert choose(fit, [row(multiplier=1), row(multiplier=2)]).row.multiplier == 2


def test_ranges_widen_with_every_doubling_beyond_the_table():
    asked = [row(nodes, 4, 2, "2", nodes * 4 * GIB) for nodes in (8, 16, 64, 512)]

    widths = [said.high / said.low for said in own_fit().forecast(asked)]

    assert widths == sorted(widths)


def test_a_doubling_beyond_the_table_is_less_certain_than_one_within_it():
    """Between the table's nodes the formula was bent to what was measured; the residual's steps are longer outside."""
    scales = Scales(setting=0.0, common_walk=0.1, own_walk=0.0, day=0.0, run=0.0)
    columns = WriteColumns.of([row(nodes) for nodes in (2, 4, 8, 16, 32)], ("0",), "spread")

    variance = np.diag(covariance(columns, columns, scales, most=8))

    assert np.diff(variance) == pytest.approx([0.01, 0.01, BEYOND * 0.01, BEYOND * 0.01])


def test_locks_that_never_moved_in_the_table_are_not_taken_for_free():
    """The aggregators of an OST share a node while nodes are at most the 12 OSTs: there lock mode 0 is faster.

    On 48 nodes four clients share an OST, and it takes nearly twice as long.
    """
    settings = [(n, m, mode) for n in (1, 2, 4, 8, 48) for m in (1, 2, 4, 8) for mode in ("0", "2")]
    rows = [row(nodes, 12, multiplier, mode, nodes * 4 * GIB) for nodes, multiplier, mode in settings]
    truth = {"process_rate": 0.7, "client_rate": 5.0, "target_rate": 1.5, "start": 0.05, "sharpness": 4.0}
    truth |= {"lock_cost[0]": 1.0, "slowness[2]": 1.12}
    logs = log_seconds(numbers(**truth), WriteColumns.of(rows, ("0", "2"), "grouped"))[0]
    noisy = np.exp(logs + np.random.default_rng(5).normal(0, 0.02, len(rows)))
    known = [replace(one, seconds=seconds) for one, seconds in zip(rows, noisy.tolist(), strict=True)]
    fit = fit_rates([one for one in known if one.nodes <= 8])

    assert choose(fit, [one for one in known if one.nodes == 48]).row.lock_mode == "2"


def test_too_few_rows_and_unknown_lock_modes_are_refused():
    with pytest.raises(RatesError, match="at least 8 rows of different settings with a measured time, got 1"):
        fit_rates([row(seconds=1.0), row(nodes=8)])
    with pytest.raises(RatesError, match=r"has measured \(0, 2\), got '1'"):
        own_fit().forecast([row(lock_mode="1")])


MACHINE = LustreMachine(
    node_link=20e9, process_link=4e9, copy_rate=1e9, client_rate=4e9, rpcs_in_flight=8, dirty_bytes=32 * MIB,
    round_trip=1e-4, ost_rate=2e9, ost_latency=1e-3, seek=0.0, lock_call=1e-4, callback=2e-3, start=0.0,
    round_start=0.0, message=0.0, messages=1, spread=False, stripe=4 * MIB,
)  # fmt: skip


def test_the_judge_counts_by_hand():
    """One aggregator: its copy; many on one node: the client; lock-ahead on many nodes: the OSTs."""

    def rate(nodes, stripes, multiplier, mode):
        return GIB / Play(MACHINE, Job(nodes, 32, stripes, multiplier, mode, GIB)).seconds()

    assert rate(1, 1, 1, 2) == pytest.approx(
        1 / (1 / 1e9 + 1 / 4e9), rel=0.1
    )  # exchanges and copies take turns
    assert rate(1, 8, 2, 2) == pytest.approx(1 / (1 / 4e9 + 1 / 20e9), rel=0.1)
    assert rate(8, 2, 4, 2) == pytest.approx(4e9, rel=0.2)
    assert rate(8, 2, 4, 0) < 0.7 * rate(8, 2, 4, 2)  # locks move
    assert rate(1, 2, 4, 0) == pytest.approx(rate(1, 2, 4, 2), rel=0.05)  # one client: none does


ROUNDS = RoundMachine(
    buffer=4 * MIB, copy_rate=1e9, client_rate=4e9, client_half=0.0, link=1e15, taper=1.0, ost_rate=2e9,
    ost_half=0.0, ost_crowd=1e9, ost_fall=2.0, osts_per_server=1, server_rate=1e12, one_stream=1e12, revoke=1e-3,
    flushed=0.0, together=False, lock_ahead=0.0, refused=0.0, open=0.0, barrier=0.0, per_peer=0.0, unequal=0.0,
)  # fmt: skip


def test_the_second_judge_counts_by_hand():
    def rate(nodes, stripes, multiplier, mode):
        return GIB / seconds(ROUNDS, RoundJob(nodes, 32, stripes, multiplier, mode, GIB), 1.0)

    assert rate(1, 1, 1, 2) == pytest.approx(1e9, rel=1e-4)
    assert rate(1, 8, 2, 2) == pytest.approx(4e9, rel=1e-4)
    assert rate(8, 2, 4, 2) == pytest.approx(4e9, rel=1e-4)
    buffers = 4 * 4 * MIB  # of one OST in a round: it writes them and passes its lock on three times
    assert rate(8, 2, 4, 0) == pytest.approx(2 * buffers / (buffers / 2e9 + 3e-3), rel=1e-4)


SHARES = SharesMachine(
    stripe=4 * MIB, stripes_per_round=1, stream=1e9, client=4e9, client_ramp=1e-9, client_crowd=0.0, memory=1e15,
    link=1e15, message=0.0, ost=2e9, seek=0.0, depth=0.0, rpcs=8, unequal=0.0, callback=1e-3, ahead=0.0, overlap=1.0,
    straggle=0.0, open=0.0, by_turns=True,
)  # fmt: skip


def test_the_third_judge_counts_by_hand():
    def rate(nodes, stripes, multiplier, mode):
        job = SharesJob(nodes, 32, stripes, multiplier, mode, GIB)
        return GIB / shared_seconds(SHARES, job, np.ones(stripes))

    assert rate(1, 1, 1, 2) == pytest.approx(1e9, rel=1e-4)  # one stream
    assert rate(1, 8, 2, 2) == pytest.approx(4e9, rel=1e-4)  # one client
    assert rate(8, 2, 4, 2) == pytest.approx(4e9, rel=1e-4)  # two OSTs
    lock = 1e-3 * (1 - 1 / 4) * (1 + 2 / 8)  # four clients write to each OST
    assert rate(8, 2, 4, 0) == pytest.approx(2 / (1 / 2e9 + lock / (4 * MIB)), rel=1e-4)


CLOSED = ClosedMachine(
    rpc=4 * MIB, stripe=4 * MIB, copy=1e9, client=4e9, shared_file=0.0, link=1e15, bisection=1e15, latency=0.0,
    rpcs=1000, server=1e15, osts_per_server=1, ost=2e9, ramp=0.0, knee=1e15, fall=1.0, callback=1e-3, kept=1.0,
    unfilled=0.0, ahead=0.0, slow_ost=1.0, wait=0.0, exchange=0.0, overlap=0.0, open=0.0, spread=True,
)  # fmt: skip


def test_the_fourth_judge_counts_by_hand():
    """Many RPCs in a closed network: the busiest station's rate, and it is reached slowly from below."""

    def rate(machine, nodes, stripes, multiplier, mode):
        return GIB / closed_seconds(machine, ClosedJob(nodes, 32, stripes, multiplier, mode, GIB))

    many = replace(CLOSED, stripe=4000 * MIB)
    assert rate(many, 1, 1, 1, 2) == pytest.approx(1e9, rel=0.01)  # one copy
    assert rate(many, 1, 8, 4, 2) == pytest.approx(4e9, rel=0.01)  # one client
    assert rate(many, 8, 2, 16, 2) == pytest.approx(4e9, rel=0.01)  # two OSTs
    one = rate(CLOSED, 1, 1, 1, 2)  # a single RPC visits all of them in turn
    assert one == pytest.approx(1 / (1 / 1e9 + 1 / 4e9 + 1 / 2e9), rel=1e-4)
    shared = replace(many, shared_file=0.1)
    assert rate(shared, 1, 8, 4, 2) == pytest.approx(4e9 / (1 + 0.1 * 31), rel=0.01)
    assert rate(CLOSED, 2, 3, 2, 0) < 0.8 * rate(CLOSED, 2, 3, 2, 2)  # two clients of an OST: its lock moves


def test_streams_share_what_is_scarce_and_grow_on_where_it_is_not():
    """Three streams share a client of 3; two of them an OST of 1: 0.5 each, and 2 are left for the third."""
    parts = [(np.array([3.0]), np.array([0, 0, 0])), (np.array([1.0, 9.0]), np.array([0, 0, 1]))]

    assert fair_rates(10.0, parts, 3) == pytest.approx([0.5, 0.5, 2.0])
    assert fair_rates(1.5, parts, 3) == pytest.approx([0.5, 0.5, 1.5])


@cache
def made():
    return tuple(made_table(111))


@pytest.mark.parametrize("table", [made, lambda: made_rounds(14)], ids=["events", "rounds"])
def test_the_choice_for_many_nodes_is_good_on_an_independent_machine(table):
    """Fitted on 1 to 8 nodes; verification/aggregators.py judges many machines and all their rows."""
    rows = merged([RateRow(*map(int, r[:4]), str(int(r[4])), int(r[5]), (), r[6]) for r in table()])
    fit = fit_rates([one for one in rows if one.nodes <= 8])
    many = [one for one in rows if one.nodes > 8]

    losses = []
    for nodes in (16, 32, 64):
        candidates = [one for one in many if one.nodes == nodes]
        losses.append(choose(fit, candidates).row.seconds / min(one.seconds for one in candidates) - 1)

    assert sorted(losses)[1] <= 0.1  # the best setting of 8 nodes loses more on all three


def test_the_command_refines_a_machine_and_answers_rows_without_a_time(tmp_path, capsys):
    lines = [
        ",".join(map(str, (*r[:6], r[6] if r[0] <= 8 else ""))) for r in made() if r[0] in (1, 2, 4, 8, 32)
    ]
    table, refined = tmp_path / "table.csv", tmp_path / "fitted.toml"
    table.write_text("\n".join([",".join(COLUMNS), *dict.fromkeys(lines)]))

    assert run(["fit", "westmere", "--rates", str(table), "-o", str(refined), "--json"]) == 0

    said = json.loads(capsys.readouterr().out)
    forecasts = said["rates"]["forecasts"]
    assert {one["nodes"] for one in forecasts} == {32}
    assert sum(one["best"] for one in forecasts) == 1
    assert all(one["seconds"]["low"] < one["seconds"]["high"] for one in forecasts)
    assert any("the table does not narrow it" in words for words in said["undetermined"])
    keys = {one["key"] for one in said["refinements"]}
    assert keys <= {"node[0].nic.bandwidth", "server[0].disk.rate", "server[0].disk.write_rate"}
    measured = {one.key for one in load_cluster(str(refined)).description.measured}
    assert keys <= measured


@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        (["westmere"], 2, "expected either TRACES or --rates TABLE.csv"),
        (["westmere", "run.parquet", "--rates", "t.csv"], 2, "expected either TRACES or --rates TABLE.csv"),
        (["westmere", "run.parquet", "--where", "a=b"], 2, "--where chooses rows"),
        (["westmere", "--rates", "nothing.csv"], 1, "no such file (nothing.csv)"),
    ],
)
def test_what_cannot_be_fitted_is_one_line(line, status, words, capsys):
    assert run(["fit", *line]) == status

    assert words in capsys.readouterr().err
