"""What validated runs say about the model's error, and the file that a user's own runs extend."""

import math
from pathlib import Path

import numpy as np
import pytest

from striate.cluster import load_cluster
from striate.errors import PredictionError
from striate.interval import Interval
from striate.ladder import predict
from striate.ladder.calibration import (
    DEFAULT_DEVIATION,
    ENOUGH,
    CalibrationRun,
    _quantile,
    extend,
    fitted,
    model_spread,
)
from striate.ladder.distribution import UNSEEN, Spread, range_of
from striate.ladder.kinds import ForecastKind, kind_of
from striate.training.as_cluster import cluster_of
from striate.training.system import StorageSystem
from striate.workload import Workload
from striate.workload.operations import barrier, compute, write

UNKNOWN = ForecastKind("computing", "cluster, oversubscribed")
HEADER = "program,machine,forecast,measured,ranges_below,ranges_above,chance_below,chance_above"


@pytest.fixture
def own(tmp_path, monkeypatch):
    path = tmp_path / "deep" / "calibration.csv"
    monkeypatch.setenv("STRIATE_CALIBRATION", str(path))
    return path


def runs_of(errors, known=0.0, kind=UNKNOWN):
    return tuple(
        CalibrationRun(kind.program, kind.machine, 1.0, math.exp(error), known, known, 0, 0)
        for error in errors
    )


def test_a_kind_nobody_has_validated_gets_the_default(own):
    spread = model_spread(UNKNOWN, measured=True)

    assert (spread.below, spread.above) == (DEFAULT_DEVIATION, DEFAULT_DEVIATION)
    assert spread.how.startswith("default: fewer than")


def test_runs_are_added_to_the_users_file_and_are_used(own):
    drawn = np.random.default_rng(1).normal(0, 0.1, 2000)

    assert extend(runs_of(drawn[:1000])) == own
    extend(runs_of(drawn[1000:]))

    spread = model_spread(UNKNOWN, measured=True)
    assert (spread.below, spread.above) == pytest.approx((0.1, 0.1), rel=0.1)
    assert spread.how == f"2,000 runs of your own of kind '{UNKNOWN}'"


def test_a_few_runs_say_less_than_the_default(own):
    extend(runs_of([0.0] * (ENOUGH - 1)))

    assert model_spread(UNKNOWN, measured=True).below == DEFAULT_DEVIATION


def test_ranges_that_nobody_measured_count_in_full(own):
    """Half of a measurement's scatter may count; a range of what is usual for a kind of drive is no scatter."""
    extend(runs_of(np.random.default_rng(1).normal(0, 0.05, 1000), known=1.0))

    measured, usual = (model_spread(UNKNOWN, measured=one) for one in (True, False))

    assert (measured.confirmed, usual.confirmed) == (0.5, 1.0)


@pytest.mark.parametrize(("local", "machine"), [(True, "one node"), (False, "cluster")])
def test_one_node_with_servers_apart_is_a_cluster(local, machine):
    cluster = cluster_of(StorageSystem("box", local=local))
    workload = Workload.from_program(lambda rank, ranks: [write("f", offset=0, size=10)], ranks=2)

    assert kind_of(workload, cluster) == ForecastKind("files", machine)


@pytest.mark.parametrize("known", [0.0, 0.05, 0.2])
def test_fitted_ranges_leave_a_tenth_out_on_either_side(known):
    errors = np.random.default_rng(2).normal(0.1, 0.2, 4000)  # forecasts that are too short, mostly
    runs = runs_of(errors, known)

    spread = fitted(runs, "")

    found = range_of(1.0, [spread, Spread("machine", known, known, "")])
    below = np.mean(np.exp(errors) < found.low)
    assert below == pytest.approx(0.1, abs=0.01) or (below < 0.1 and known == 0.2)  # which alone is wider
    assert np.mean(np.exp(errors) > found.high) == pytest.approx(0.1, abs=0.01)


def test_half_of_ranges_that_are_too_wide_counts():
    errors = np.random.default_rng(3).normal(0, 0.15, 4000)
    machine = Spread("machine", 0.3, 0.3, "")

    spread = fitted(runs_of(errors, 0.3), "4,000 runs")

    found = range_of(1.0, [machine, spread])
    whole = range_of(1.0, [machine])
    assert spread.confirmed == 0.5
    assert spread.how == "4,000 runs"
    assert found.high / found.low < 0.7 * whole.high / whole.low
    inside = np.mean((np.exp(errors) >= found.low) & (np.exp(errors) <= found.high))
    assert inside == pytest.approx(0.8, abs=0.02)


def test_ranges_that_tell_good_forecasts_from_bad_ones_count_whole():
    known = np.tile([0.05, 0.4], 2000)
    errors = np.random.default_rng(4).normal(0, known)
    runs = tuple(
        CalibrationRun("files", "cluster", 1.0, math.exp(e), k, k, 0, 0)
        for e, k in zip(errors, known, strict=True)
    )

    assert fitted(runs, "").confirmed == 1.0


@pytest.mark.parametrize("errors", [[-0.67, 0.0], [-0.2, 0.2]])
def test_what_differs_by_chance_counts_whole_beside_half_of_the_machines_ranges(errors):
    """Two placements of a file, as likely as each other: both times are in the range, whatever is confirmed."""
    machine, placement = Spread("machine", 0.2, 0.2, ""), Spread.between("placement", 1.0, _both(errors), "")
    model = Spread("model", 0.02, 0.02, "", confirmed=0.5)

    found = range_of(1.0, [machine, placement, model])

    assert all(math.exp(error) in found for error in errors)


def _both(errors):
    times = [math.exp(error) for error in errors]
    return Interval(min(times), 1.0, max(times))


def test_a_run_is_kept_with_ranges_and_chance_apart():
    spreads = [
        Spread("machine", 0.3, 0.4, ""),
        Spread("order", 0.03, 0.0, ""),
        Spread("placement", 0.04, 0.5, ""),
        Spread("model", 9.0, 9.0, ""),
    ]

    run = CalibrationRun.of(UNKNOWN, 1.0, 2.0, spreads)

    assert (run.ranges_below, run.ranges_above) == (0.3, 0.4)
    assert (run.chance_below, run.chance_above) == pytest.approx((0.05, 0.5))


def test_what_a_log_did_not_record_counts_whole():
    unseen = Spread(UNSEEN, 0.3, 0.3, "")
    model = Spread("model", 0.0, 0.0, "", confirmed=0.5)

    assert range_of(1.0, [unseen, model]) == range_of(1.0, [unseen])


def test_a_model_is_never_taken_to_be_perfect():
    assert min(fitted(runs_of([0.0] * 50), "").below, fitted(runs_of([0.0] * 50), "").above) > 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a,b\n",
            f"expected a calibration table with the columns {HEADER}, got 'a,b' - at line 1",
        ),
        (
            f"{HEADER}\nfiles,one node,1,2\n",
            "got 'files,one node,1,2' - at line 2",
        ),
        (
            f"{HEADER}\nfiles,one node,0,2,0,0,0,0\n",
            "and positive times, got 'files,one node,0,2,0,0,0,0' - at line 2",
        ),
        (
            f"{HEADER}\nfiles,cloud,1,2,0,0,0,0\n",
            "a machine among one node; one node, oversubscribed; cluster",
        ),
    ],
)
def test_a_spoilt_file_is_refused_with_its_line(own, text, message):
    own.parent.mkdir()
    own.write_text(text)

    with pytest.raises(PredictionError) as refusal:
        predict(Workload.from_program(lambda rank, ranks: [compute("1 s")], 1), "laptop", rung="fine")

    assert message in str(refusal.value)
    assert str(own) in str(refusal.value)


def test_a_file_that_cannot_be_written_is_one_line(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("STRIATE_CALIBRATION", str(tmp_path / "file" / "calibration.csv"))

    with pytest.raises(PredictionError, match="cannot write: "):
        extend(runs_of([0.0]))


@pytest.mark.parametrize(
    ("program", "ranks", "machine", "kind"),
    [
        (lambda rank, ranks: [compute("1 s")], 1, "laptop", "computing on one node"),
        (lambda rank, ranks: [barrier()], 2, "laptop", "messages on one node"),
        (lambda rank, ranks: [write("f", offset=0, size=10)], 2, "westmere", "files on cluster"),
    ],
)
def test_the_kind_is_what_a_program_does_and_what_it_runs_on(program, ranks, machine, kind):
    assert str(kind_of(Workload.from_program(program, ranks), load_cluster(machine))) == kind


def test_runs_that_are_kept_leave_other_kinds_alone(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[3] / "verification"))
    from calibrated import keep

    path = tmp_path / "calibration.csv"
    path.write_text(f"{HEADER}\n")
    measured = tmp_path / "measured.csv"
    measured.write_text("program,machine,date,measured on\n")
    here, there = (
        CalibrationRun("files", machine, 1.0, 2.0, 0.1, 0.1, 0, 0) for machine in ("one node", "cluster")
    )
    for runs in ([here, here], [there], [here]):
        keep(runs, path, measured)

    assert [row.split(",")[1] for row in path.read_text().splitlines()[1:]] == ["cluster", "one node"]
    assert [row.split(",")[1] for row in measured.read_text().splitlines()[1:]] == ["cluster", "one node"]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_the_quantile_of_errors_is_that_of_numpy_to_the_last_bit(share):
    draw = np.random.default_rng(5)
    lists = [draw.normal(size=size) for size in (1, 2, 3, 10, 77, 154)]

    assert [_quantile(values, share) for values in lists] == [np.quantile(values, share) for values in lists]
