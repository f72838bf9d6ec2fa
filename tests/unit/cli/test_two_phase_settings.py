"""Two-phase I/O has one plan: a setting takes the same time whether a command, `tune` or advice asks for it."""

import json

import pytest

from striate.advice.trials.collective import in_one_call
from striate.advice.trials.situation import Situation, io_alone
from striate.cli.main import run
from striate.cluster import load_cluster
from striate.ladder import predict
from striate.tuning import tune
from striate.workload import Spmd, Workload
from toy_traces import row, trace_of

RANKS = 8


def collective_program(ranks=RANKS):
    body = Spmd(ranks)
    with body.repeat(2) as step:
        body.compute("1 ms")
        body.write_all(
            "data", offset=(step * 50 * ranks + body.rank) * 10_000, size=10_000, count=50, stride=80_000
        )
    return body.workload()


def asked_by_command(tmp_path, capsys, workload, method):
    """Seconds that `striate predict --collective-io` prints."""
    path = tmp_path / "program.parquet"
    workload.save(path)
    status = run(
        ["predict", str(path), "westmere", "--rung", "fine", "--json", "--collective-io", f"data={method}"]
    )
    said = capsys.readouterr()
    assert status == 0, said.err
    return json.loads(said.out)["seconds"]["estimate"]


@pytest.mark.parametrize("aggregators", [1, 4, RANKS, 3 * RANKS, "stripes x 2"])
def test_tune_and_the_command_agree_to_the_picosecond(tmp_path, capsys, aggregators):
    """More aggregators than ranks are all ranks, here and there."""
    workload = collective_program()
    vary = {"aggregators": [aggregators], "buffer": ["256 KiB"]}

    (outcome,) = tune(workload, "westmere", vary=vary, executor="serial").outcomes

    told = asked_by_command(tmp_path, capsys, workload, f"two-phase:{aggregators}:256KiB")
    assert outcome.seconds.estimate == told


def test_advice_and_the_command_agree_to_the_picosecond(tmp_path, capsys):
    rows = [
        row(
            rank,
            "write",
            turn * 10**6,
            (turn + 1) * 10**6,
            file=0,
            offset=(4 * turn + rank) * 4096,
            bytes=4096,
        )
        for rank in range(4)
        for turn in range(40)
    ]
    trace, machine = trace_of(rows, ranks=4), load_cluster("westmere")
    whole = Workload.from_trace(trace)
    situation = Situation(trace, whole, io_alone(whole), (machine,) * 3, machine)

    variant = in_one_call(situation)
    after, hints = variant.after, variant.hints

    plain = after.with_collective({"data": None})
    method = f"two-phase:{hints['cb_nodes']}:{hints['cb_buffer_size']}B"
    assert situation.times(after)[1] == asked_by_command(tmp_path, capsys, plain, method)


def test_a_buffer_alone_means_one_aggregator_per_node():
    workload = collective_program()
    named = workload.with_collective({"data": "two-phase:nodes:1MiB"})

    (outcome,) = tune(workload, "westmere", vary={"buffer": ["1 MiB"]}, executor="serial").outcomes

    assert outcome.seconds.estimate == predict(named, "westmere", rung="fine").seconds.estimate
