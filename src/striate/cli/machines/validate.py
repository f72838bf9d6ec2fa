"""`striate validate CLUSTER`: real runs of small programs on this machine, against their forecasts."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from striate.cli.output import json_option, output_option, print_json, say, store_option, write_output

if TYPE_CHECKING:
    from striate.cluster.cluster import Cluster
    from striate.evaluate.validate import CaseOutcome, Validation
    from striate.probe.report import ProbeReport
    from striate.results import Entry

_LAUNCHER = "launcher of striate validate"
MEDIAN_ERROR, COVERAGE = 0.20, 0.75  # what a good validation reaches


class WithLauncher(click.Command):
    """A command that takes a launcher after `--`; what stands before it is parsed as usual."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--" in args:
            at = args.index("--")
            ctx.meta[_LAUNCHER], args = tuple(args[at + 1 :]), args[:at]
        return super().parse_args(ctx, args)


@click.command(cls=WithLauncher, options_metavar="[OPTIONS]", epilog="A launcher follows `--`: mpiexec -n 4.")
@click.argument("cluster", required=False)
@click.option(
    "--repeats",
    type=click.IntRange(1, 100),
    default=2,
    show_default=True,
    help="number of runs of each program",
)
@click.option("--quick", is_flag=True, help="run only a few small programs, on one and two ranks")
@click.option(
    "--app",
    "apps",
    multiple=True,
    help="run only this application (a name or a Python file) or, with a launcher, this test (kernel), such "
    "as bcast,size=1MiB; may be given several times",
)
@click.option(
    "--directory",
    type=click.Path(path_type=Path),
    default=Path(),
    help="directory in which the programs write files (default: the current directory)",
)
@click.option(
    "--budget",
    default="30 s",
    show_default=True,
    help="time to probe this machine, if no CLUSTER is given",
)
@store_option
@json_option
@output_option(
    "write a page (.html) or a picture (.svg) of forecast and measured times, or a list of all runs (.csv)"
)
def command(
    cluster: str | None,
    repeats: int,
    quick: bool,
    apps: tuple[str, ...],
    directory: Path,
    budget: str,
    store: Path | None,
    as_json: bool,
    output: Path | None,
    force: bool,
) -> int:
    """Run the applications mesh, pmc3, jacobi and checkpoint on this machine, and compare their times with forecasts.

    CLUSTER is the description of this machine that `striate probe` made. The time of each program is forecast for
    CLUSTER before the program runs.

    With a launcher (`striate validate CLUSTER -- mpiexec -n 4`), the programs run on the ranks that the launcher
    starts, in random order. With a launcher, the programs also include tests of messages, of every collective and of
    the four levels of MPI-IO access (contiguous or not, independent or collective).

    Without CLUSTER, this machine is probed first. The measured runs are added to your calibration file, from which the
    ranges of later forecasts are computed. The exit status is 3 when the median error of the forecasts is above 20 %,
    or fewer than 75 % of the runs lie inside the forecast ranges.
    """
    from striate.cli.output import refuse_overwrite, refuse_store
    from striate.evaluate.launched.programs import programs
    from striate.evaluate.launched.study import LaunchedPlan, validate_launched
    from striate.evaluate.validate.cases import matrix
    from striate.evaluate.validate.study import ValidationPlan, validate
    from striate.ladder.calibration import extend

    if output is not None:
        if output.suffix not in _OUTPUTS:
            raise click.UsageError(
                f"expected an output file ending in {', '.join(_OUTPUTS)}, got {output.name!r}"
            )
        refuse_overwrite(output, force=force)
    refuse_store(store)
    launcher = click.get_current_context().meta.get(_LAUNCHER, ())
    asked = programs(apps) if launcher else ()
    cases = () if launcher else matrix(apps, quick=quick)
    machine = _machine(cluster, directory, budget, launcher)
    begun = time.perf_counter()

    def tell(words: str) -> None:
        say(f"{time.perf_counter() - begun:6.1f} s  {words}", error=True)

    if launcher:
        study = validate_launched(LaunchedPlan(machine, launcher, asked, repeats, directory), tell)
    else:
        study = validate(ValidationPlan(machine, cases, repeats, directory), tell)
    if output is not None:
        write_output(output, _OUTPUTS[output.suffix](study), force=force)
    if store is not None:
        from striate.results import append

        append(store, *(entry for outcome in study.outcomes for entry in _entries(study, outcome)))
    counted = [run.calibration for run in study.runs if run.counts]
    tell(
        f"{len(counted)} runs added to {extend(counted)}: they set the ranges of later forecasts of such programs"
    )
    if as_json:
        print_json(study_document(study))
    else:
        say(study_text(study))
    return 0 if study.median_error <= MEDIAN_ERROR and study.coverage >= COVERAGE else 3


def _machine(cluster: str | None, directory: Path, budget: str, launcher: tuple[str, ...]) -> Cluster:
    from striate import units
    from striate.cluster.load import load_cluster
    from striate.probe import ProbeOptions, describe, measure

    if cluster is not None:
        return load_cluster(cluster)
    report: ProbeReport = measure(
        ProbeOptions(directory, units.seconds(budget), None, launcher),
        lambda part: say(f"measuring {part}", error=True),
    )
    return describe(report, name="here")


def study_document(study: Validation) -> dict[str, object]:
    """Everything, and the sums."""
    return {
        "schema": study.schema,
        "cluster": study.cluster,
        "made": study.made,
        "versions": study.versions,
        "median_error": study.median_error,
        "coverage": study.coverage,
        "noise": study.noise,
        "outcomes": study.outcomes,
    }


def study_csv(study: Validation) -> str:
    """A line per run."""
    lines = ["program,ranks,measured,forecast,low,high,error,inside"]
    for outcome in study.outcomes:
        name = outcome.case.name.replace(",", ";")
        for run in outcome.runs:
            ends = run.forecast
            numbers = (run.seconds, ends.estimate, ends.low, ends.high, run.error)
            values = ",".join(f"{value:.6g}" for value in numbers)
            lines.append(f"{name},{outcome.case.ranks},{values},{int(run.inside)}")
    return "\n".join(lines) + "\n"


def study_svg(study: Validation) -> str:
    from striate.pages.validation import Point, validation_svg

    points = [
        Point(outcome.case.app, run.seconds, run.forecast)
        for outcome in study.outcomes
        for run in outcome.runs
    ]
    return validation_svg(points, title=f"Forecasts and real runs on {study.cluster}", words=_summary(study))


def study_page(study: Validation) -> str:
    from statistics import median

    from striate.interval import Interval
    from striate.pages.validation_page import ProgramRow, validation_page

    def forecast(outcome: CaseOutcome) -> Interval:
        low, middle, high = (
            median(getattr(run.forecast, end) for run in outcome.runs) for end in ("low", "estimate", "high")
        )
        return Interval(low, middle, high)

    rows = [
        ProgramRow(
            outcome.case.name,
            outcome.measured,
            forecast(outcome),
            outcome.error,
            sum(run.inside for run in outcome.runs),
            len(outcome.runs),
            outcome.parts,
            explained(outcome, study.cpus).partition(": ")[2] if abs(outcome.error) > MEDIAN_ERROR else "",
        )
        for outcome in study.outcomes
    ]
    title = f"Forecasts and real runs on {study.cluster}"
    return validation_page(rows, title=title, words=_summary(study), picture=study_svg(study))


def _summary(study: Validation) -> str:
    noise = "not known from single runs" if study.noise is None else f"{study.noise:.1%}"
    return (
        f"{len(study.runs)} runs: median error {study.median_error:.1%}, {study.coverage:.0%} inside the 80 % ranges; "
        f"noise of the machine {noise}"
    ) + (f"; {study.disturbed} runs began while others used the hosts" if study.disturbed else "")


def study_text(study: Validation) -> str:
    """A line a case, the distribution of errors, and the worst cases with what is known about them."""
    from striate.printable import columns

    rows: list[tuple[str, ...]] = [
        ("program", "measured", "noise", "forecast", "low", "high", "error", "inside", "background")
    ]
    rows += [_row(outcome) for outcome in study.outcomes]
    errors = study.errors
    places = [
        (share, errors[min(len(errors) - 1, int(len(errors) * share))]) for share in (0.25, 0.5, 0.75, 0.9)
    ]
    shares = [f"{error:.0%} at {share:.0%}" for share, error in places]
    lines = [
        _summary(study),
        f"errors: {', '.join(shares)} of the runs; the median high / low of the forecasts is {study.width:.2g}",
        *(f"furthest off: {explained(outcome, study.cpus)}" for outcome in study.worst(3)),
    ]
    return "\n\n".join([columns(rows, numbers_from=1), "\n".join(lines)])


def _row(outcome: CaseOutcome) -> tuple[str, ...]:
    from statistics import median

    from striate.units import about_seconds

    ends = [
        about_seconds(median(getattr(run.forecast, end) for run in outcome.runs))
        for end in ("estimate", "low", "high")
    ]
    inside = f"{sum(run.inside for run in outcome.runs)} of {len(outcome.runs)}"
    load = f"{median(run.background.estimate for run in outcome.runs):.2g}"
    noise = f"{outcome.noise:.0%}" if len(outcome.runs) > 1 else "-"
    error = f"{outcome.error:+.0%}"
    return (outcome.case.name, about_seconds(outcome.measured), noise, *ends, error, inside, load)


def explained(outcome: CaseOutcome, cpus: int) -> str:
    """The case, and the likeliest reason among those that can be told from outside."""
    reasons = []
    seen = [run.background.estimate for run in outcome.runs]
    if outcome.noise > 0.5 * abs(outcome.error):
        reasons.append(f"runs themselves differ by {outcome.noise:.0%}")
    if max(seen) > 0.5 * outcome.case.ranks:
        reasons.append(f"{max(seen):.2g} processes of others beside {outcome.case.ranks} ranks")
    if outcome.case.ranks > cpus:
        reasons.append(
            f"the system schedules {outcome.case.ranks} ranks on {cpus} CPUs differently in each run"
        )
    if outcome.measured < 0.1:
        reasons.append("a run this short is mostly start-up and flushes")
    if not reasons:
        reasons.append("the model leaves something out")
    return f"{outcome.case.name}, {outcome.error:+.0%}: {'; '.join(reasons)}"


def _entries(study: Validation, outcome: CaseOutcome) -> list[Entry]:
    from striate.results import Entry

    return [
        Entry(
            "validate",
            workload=outcome.case.name,
            cluster=study.cluster,
            layout=outcome.case.layout,
            ranks=outcome.case.ranks,
            seconds=run.forecast,
            measured=run.seconds,
            setup={"parameters": outcome.case.parameters, "background": run.background.estimate},
            results={"error": run.error, "inside": run.inside},
            versions=study.versions,
            made=study.made,
        )
        for run in outcome.runs
    ]


_OUTPUTS = {".html": study_page, ".svg": study_svg, ".csv": study_csv}
