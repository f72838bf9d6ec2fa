"""Validations on made-up costs: the forecast of every case, and what a study says about its runs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.cli.main import run as command
from striate.cli.validate import explained, study_document, study_svg, study_text
from striate.cluster import load_cluster
from striate.interval import Interval
from striate.validate import Case, Outcome, Study, matrix
from striate.validate.calibrate import Costs
from striate.validate.forecast import Agreements, forecast_case, with_background, workload_of
from striate.validate.outcome import Run
from striate.validate.study import background, collectives_in, run_seconds
from toy_traces import row, trace_of

KERNELS = (
    *("jacobi sweep", "checkpoint step", "mesh step", "mesh exchange", "mesh write", "mesh schedule"),
    "pmc3 generation",
)


def costs(each=1e-9):
    """Every kernel in proportion to its amount, 10 % more or less at the ends."""
    amounts = (10.0, 1e7)
    table = tuple(
        (amount, Interval(0.9 * amount * each, amount * each, 1.1 * amount * each)) for amount in amounts
    )
    return Costs(dict.fromkeys(KERNELS, table))


def test_costs_between_amounts_lie_on_a_line_and_beyond_go_on():
    known = costs()

    for amount in (1.0, 10.0, 1234.0, 1e7, 5e8):
        assert known.seconds("mesh step", amount, "middle") == pytest.approx(amount * 1e-9, rel=1e-6)
    assert known.seconds("mesh step", 100, "fast") < known.seconds("mesh step", 100, "slow")


@pytest.mark.parametrize("case", matrix(), ids=lambda case: case.name)
def test_every_case_of_the_matrix_has_a_program_that_can_run(case):
    for end in ("fast", "slow"):
        workload = workload_of(case, costs(), end, Agreements(1, 3, 2))
        workload.check()
        assert workload.ranks == case.ranks


def test_the_matrix_has_every_application_on_one_to_eight_ranks():
    cases = matrix()

    assert {case.app for case in cases} == {"jacobi", "checkpoint", "mesh", "pmc3"}
    assert {case.ranks for case in cases} == {1, 2, 4, 8}
    assert {case.layout for case in cases} > {""}
    assert len({case.name for case in cases}) == len(cases)
    assert {case.name for case in matrix(quick=True)} <= {case.name for case in cases}


def test_dearer_kernels_and_more_background_give_later_forecasts():
    case = next(case for case in matrix() if case.name == "jacobi small, 2 ranks")
    machine = load_cluster("laptop")
    quiet = forecast_case(case, machine, costs(), Agreements(1, 3, 2))
    dear = forecast_case(case, machine, costs(2e-9), Agreements(1, 3, 2))
    busy = forecast_case(case, with_background(machine, Interval(6, 12, 20), 5), costs(), Agreements(1, 3, 2))

    # 40 sweeps of 262144 cells of a nanosecond: 10.5 ms, and 16 MiB at 8 GB/s: 2 ms.
    assert quiet.estimate == pytest.approx(0.0126, rel=0.1)
    assert quiet.low < quiet.estimate < quiet.high
    assert dear.estimate > 1.5 * quiet.estimate
    assert busy.estimate > 1.5 * quiet.estimate  # 14 processes on 8 CPUs
    assert busy.low < busy.estimate < busy.high


def study():
    """Errors of +10 %, -20 % and +100 %; the last one outside its bounds."""

    def outcome(name, *runs):
        case = Case(name, 2, "toy")
        return Outcome(
            case, tuple(Run(Interval(*ends), seconds, Interval.exactly(0)) for ends, seconds in runs)
        )

    return Study.of(
        "toy",
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
    runs = (Run(Interval(1, 1, 1), seconds, Interval.exactly(0)) for seconds in (0.8, 1.0, 1.3))
    assert Outcome(Case("mesh", 1, "toy"), tuple(runs)).noise == pytest.approx((0.2 + 0 + 0.3) / 3)


def test_a_study_is_told_drawn_and_written():
    text, picture, document = study_text(study()), study_svg(study()), study_document(study())

    assert "3 runs: median error 20.0%, 67% inside the bounds; noise of the machine 0.0%" in text
    assert "furthest off: mesh toy, 2 ranks, +40%" in text
    assert picture.count("<circle") == 3 + 2
    assert document["schema"] == "striate.validation/1"


def test_reasons_are_those_that_show():
    busy = Outcome(Case("mesh", 2, "toy"), (Run(Interval(1, 2, 3), 1.0, Interval.exactly(5)),))
    short = Outcome(Case("mesh", 2, "toy"), (Run(Interval(0.01, 0.02, 0.03), 0.01, Interval.exactly(0)),))

    assert "5 processes of others beside 2 ranks" in explained(busy)
    assert "mostly start-up" in explained(short)


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


def test_an_unknown_application_is_a_matter_of_usage(capsys):
    assert command(["validate", "laptop", "--app", "chess"]) == 2
    assert "expected an application among" in capsys.readouterr().err
