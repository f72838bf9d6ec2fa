"""Validations on made-up costs: the forecast of every case, and what a study says about its runs."""

import subprocess
import sys
from statistics import NormalDist
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.apps.app import KernelProcess
from striate.apps.timing import collectives_in
from striate.cli.machines.validate import explained, study_document, study_svg, study_text
from striate.cli.main import run as command
from striate.cluster import load_cluster
from striate.evaluate.validate import Case, CaseOutcome, Validation, matrix
from striate.evaluate.validate import study as turns
from striate.evaluate.validate.calibrate import KernelCosts, cost_of, together, variation_of, work_of
from striate.evaluate.validate.forecast import forecast_case, with_background, workload_of
from striate.evaluate.validate.kernels import started
from striate.evaluate.validate.outcome import CaseRun
from striate.evaluate.validate.study import Patience, background, run_seconds
from striate.interval import Interval
from striate.ladder.distribution import TENTH
from striate.probe.background import busy_cpus
from toy_traces import row, trace_of

KERNELS = {
    "jacobi": ("sweep",),
    "checkpoint": ("step",),
    "mesh": ("step", "schedule", "exchange", "seal", "commit", "reserve", "map"),
    "pmc3": ("generation",),
}


def costs(each=1e-3):
    """Every kernel takes so long, 10 % more or less at the ends."""
    cost = Interval(0.9 * each, each, 1.1 * each)
    return KernelCosts(
        {
            (f"{case.app} {kernel}", work_of(case), processes): cost
            for case in matrix()
            for kernel in KERNELS[case.app]
            for processes in (1, case.ranks)
        }
    )


def test_a_cost_is_that_of_the_size_and_the_number_of_processes():
    one, two = (
        Case("jacobi", ranks, "toy", {"rows": 8, "columns": 4, "steps": 3, "every": 1}) for ranks in (1, 2)
    )
    known = KernelCosts(
        {
            ("jacobi sweep", work_of(one), 1): Interval(1, 2, 3),
            ("jacobi sweep", work_of(one), 2): Interval(4, 5, 6),
        }
    )

    assert [known.seconds("sweep", one, end) for end in ("fast", "middle", "slow")] == [1, 2, 3]
    assert known.seconds("sweep", two, "middle") == 5
    assert known.seconds("sweep", two, "middle", processes=1) == 2


def test_the_first_time_counts_once_in_all_the_times_of_a_run():
    case = Case("mesh", 1, "toy", {"nodes": 8, "steps": 10, "every": 5})
    keys = {name: (f"mesh {name}", work_of(case), 1) for name in ("step", "schedule", "seal")}
    known = KernelCosts(
        dict.fromkeys(keys.values(), Interval.exactly(2.0)), dict.fromkeys(keys.values(), 5.0)
    )

    assert known.seconds("step", case, "middle") == 2.5  # one of ten
    assert known.seconds("schedule", case, "middle") == 7  # done once
    assert known.seconds("seal", case, "middle") == 2  # whose first time is no longer than others


def test_kernels_are_timed_in_the_order_of_the_program(tmp_path):
    given = {"rows": 8, "columns": 8, "every": 3}
    found = started(
        "jacobi", [KernelProcess(rank, 2, given, tmp_path / str(rank)) for rank in range(2)], 1e-3
    )

    assert [len(found[name]) for name in ("sweep", "write")] == [2, 2]
    assert all(
        len(sweeps) == 3 * len(writes) > 0
        for sweeps, writes in zip(found["sweep"], found["write"], strict=True)
    )


def test_processes_with_a_cpu_each_wait_for_the_slowest(monkeypatch):
    columns = [[1.0, 2.0, 9.0], [3.0, 1.0]]

    monkeypatch.setattr("os.sched_getaffinity", lambda process: {0, 1})
    assert together(columns).tolist() == [3.0, 2.0]
    monkeypatch.setattr("os.sched_getaffinity", lambda process: {0})
    assert together(columns).tolist() == [2.0, 1.5]


def test_a_run_is_put_off_while_others_compute_but_not_for_ever(monkeypatch):
    looked, seen = [], iter([3.0, 2.0, 0.0])
    monkeypatch.setattr("time.sleep", looked.append)
    monkeypatch.setattr(
        "striate.evaluate.validate.study.background_samples", lambda seconds: [next(seen, 5.0)] * 5
    )
    patience = Patience(60.0)

    assert patience.look() == [0.0] * 5
    assert len(looked) == 2
    assert Patience(0.0).look() == [5.0] * 5  # nobody waits


@given(
    st.lists(st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=9), min_size=1, max_size=5), st.floats(0, 2)
)
def test_a_cost_lies_inside_its_range(starts, variation):
    seconds = np.concatenate(starts)
    cost = cost_of([[np.array(start) for start in starts]], variation)

    assert 0 < cost.low <= cost.estimate <= cost.high
    assert cost.estimate == pytest.approx(np.mean(seconds))


def test_the_range_of_a_cost_holds_four_fifths_of_other_starts():
    rng = np.random.default_rng(1)
    starts = 2.0 * (
        1 + 0.1 * rng.standard_normal((4000, 3))
    )  # two looks of one start each, and another start

    inside = [
        cost.low <= other <= cost.high
        for one, two, other in starts
        for cost in [cost_of([[np.array([one])], [np.array([two])]], 0.1)]
    ]

    assert np.mean(inside) == pytest.approx(0.8, abs=0.02)


def test_the_variation_is_the_standard_deviation_of_starts():
    rng = np.random.default_rng(1)
    kernels = [[[np.array([start])] for start in 3 * (1 + 0.1 * rng.standard_normal(6))] for _ in range(2000)]

    assert variation_of(kernels) == pytest.approx(0.1, rel=0.03)


def test_starts_that_differ_make_the_ranges_of_all_costs_wider():
    differing, alike = [[np.full(9, 1.0), np.full(9, 3.0)]], [[np.full(9, 4.0), np.full(9, 4.0)]]

    assert variation_of([alike]) == 0
    assert cost_of(alike, 0.0) == Interval.exactly(4.0)
    assert variation_of([differing]) == pytest.approx(2**0.5 / 2 / NormalDist().inv_cdf(0.75))
    assert variation_of([differing, alike, alike]) == 0  # one disturbed kernel does not widen the others
    assert cost_of(alike, 0.1).high == pytest.approx(4 * (1 + TENTH * 0.1 * 2**0.5))
    assert cost_of(alike * 2, 0.1).high == pytest.approx(4 * (1 + TENTH * 0.1 * 1.5**0.5))


@pytest.mark.parametrize("case", matrix(), ids=lambda case: case.name)
def test_every_case_of_the_matrix_has_a_program_that_can_run(case):
    for end in ("fast", "slow"):
        workload = workload_of(case, costs(), end, 2)
        workload.check()
        assert workload.ranks == case.ranks


def test_the_matrix_has_every_application_on_one_to_eight_ranks():
    cases = matrix()

    assert {case.app for case in cases} == {"jacobi", "checkpoint", "mesh", "pmc3"}
    assert {case.ranks for case in cases} == {1, 2, 4, 8}
    assert {case.layout for case in cases} > {""}
    assert len({case.name for case in cases}) == len(cases)
    assert {case.name for case in matrix(quick=True)} <= {case.name for case in cases}


def test_more_expensive_kernels_and_more_background_give_later_forecasts():
    case = next(case for case in matrix() if case.name == "jacobi small, 2 ranks")
    machine = load_cluster("laptop")
    quiet = forecast_case(case, machine, costs(), 2).seconds
    expensive = forecast_case(case, machine, costs(2e-3), 2).seconds
    busy = forecast_case(case, with_background(machine, Interval(6, 12, 20), 5), costs(), 2).seconds

    # 160 sweeps of a millisecond, and 16 MiB at 8 GB/s: 2 ms.
    assert quiet.estimate == pytest.approx(0.162, rel=0.05)
    assert quiet.low < quiet.estimate < quiet.high
    assert expensive.estimate > 1.5 * quiet.estimate
    assert busy.estimate > 1.5 * quiet.estimate  # 14 processes on 8 CPUs
    assert busy.low < busy.estimate < busy.high


def study():
    """Errors of +10 %, -20 % and +100 %; the last one outside its bounds."""

    def outcome(name, *runs):
        case = Case(name, 2, "toy")
        return CaseOutcome(
            case, tuple(CaseRun(Interval(*ends), seconds, Interval.exactly(0)) for ends, seconds in runs)
        )

    return Validation.of(
        load_cluster("laptop"),
        [
            outcome("jacobi", ((1.0, 1.1, 1.2), 1.0)),
            outcome("mesh", ((0.5, 0.8, 1.2), 1.0), ((1.5, 2.0, 2.5), 1.0)),
        ],
    )


def test_errors_coverage_and_noise():
    found = study()

    assert found.errors == pytest.approx([0.1, 0.2, 1.0])
    assert found.median_error == pytest.approx(0.2)
    assert found.coverage == pytest.approx(2 / 3)
    assert [outcome.case.app for outcome in found.worst(1)] == ["mesh"]
    runs = (CaseRun(Interval(1, 1, 1), seconds, Interval.exactly(0)) for seconds in (0.8, 1.0, 1.3))
    assert CaseOutcome(Case("mesh", 1, "toy"), tuple(runs)).noise == pytest.approx((0.2 + 0 + 0.3) / 3)


def test_a_study_is_told_drawn_and_written():
    text, picture, document = study_text(study()), study_svg(study()), study_document(study())

    assert "3 runs: median error 20.0%, 67% inside the 80 % ranges; noise of the machine 0.0%" in text
    assert "furthest off: mesh toy, 2 ranks, +40%" in text
    assert picture.count("<circle") == 3 + 2
    assert document["schema"] == "striate.validation/1"


def test_reasons_are_those_that_show():
    busy = CaseOutcome(Case("mesh", 2, "toy"), (CaseRun(Interval(1, 2, 3), 1.0, Interval.exactly(5)),))
    short = CaseOutcome(
        Case("mesh", 2, "toy"), (CaseRun(Interval(0.01, 0.02, 0.03), 0.01, Interval.exactly(0)),)
    )

    assert "5 processes of others beside 2 ranks" in explained(busy, 2)
    assert "mostly start-up" in explained(short, 2)
    assert "schedules 2 ranks on 1 CPUs" in explained(short, 1)
    assert "CPUs" not in explained(short, 2)


def test_runs_that_others_disturbed_are_told():
    disturbed = CaseRun(Interval(1, 2, 3), 9.0, Interval.exactly(1.9), counts=False)
    study = Validation.of(load_cluster("laptop"), [CaseOutcome(Case("mesh", 2, "toy"), (disturbed,))])

    assert "1 runs began while others used the hosts" in study_text(study)


def test_a_host_that_computes_is_seen_busy():
    spin = subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"])
    try:
        assert busy_cpus(0.3) > 0.2
    finally:
        spin.kill()
        spin.wait()


@given(st.lists(st.floats(0, 50), min_size=1, max_size=9))
def test_the_background_lies_inside_its_range(samples):
    seen = background(samples)

    assert seen.low <= seen.estimate / 2 <= seen.estimate * 1.5 <= seen.high


def test_seconds_and_collectives_of_a_region():
    trace = trace_of(
        [
            row(0, "region", 100, 900, level="program", region=0),
            row(1, "region", 150, 1000, level="program", region=0),
            row(0, "barrier", 200, 300, level="mpi", communicator=0, collective=True),
            row(0, "allreduce", 400, 500, level="mpi", communicator=0, collective=True),
            row(0, "barrier", 950, 960, level="mpi", communicator=0, collective=True),
        ],
        regions=("run",),
    )

    assert run_seconds(trace) == pytest.approx(900e-9)
    assert collectives_in(trace, "run") == 2


@pytest.mark.parametrize(
    ("app", "said"),
    [
        ("chess", "expected an application among jacobi, checkpoint, "),
        ("titan", "the application titan defines no `sizes`"),
    ],
)
def test_an_application_that_cannot_be_run_is_one_line(app, said, capsys):
    assert command(["validate", "laptop", "--app", app]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert said in error


@pytest.mark.parametrize(
    ("stolen", "kept", "runs"),
    [([0.01], 1.0, 1), ([0.3, 0.0], 2.0, 2), ([0.3, 0.1, 0.2], 2.0, 3)],
)
def test_a_run_whose_cpus_were_taken_away_is_run_again(monkeypatch, tmp_path, stolen, kept, runs):
    shares, seconds, said = iter(stolen), iter([1.0, 2.0, 3.0]), []
    monkeypatch.setattr(turns, "StolenTime", lambda: SimpleNamespace(share=next(shares)))
    monkeypatch.setattr(turns, "run_case", lambda case, folder: None)
    monkeypatch.setattr(turns, "run_seconds", lambda trace: next(seconds))

    found = turns._undisturbed_seconds(SimpleNamespace(name="toy"), tmp_path, said.append)
    assert found == kept
    assert len(said) == runs - 1 + (runs == 3)
