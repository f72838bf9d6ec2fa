"""`striate tune SPEC CLUSTER`: find the settings with which a program takes the least time."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from striate.cli.output import (
    allow_code_option,
    json_option,
    output_option,
    plugin_options,
    plugin_tracebacks,
    progress,
    say,
    say_json,
    store_option,
    write_output,
)

if TYPE_CHECKING:
    from striate.interval import Interval
    from striate.tuning import Study
    from striate.workload import Workload

SHOWN = 12  # candidates in the table


@click.command()
@click.argument("spec", type=click.Path(path_type=Path))
@click.argument("cluster")
@click.option(
    "--budget",
    default="60 s",
    show_default=True,
    help="wall-clock time of the search; combinations of settings that are not reached in time stay undecided",
)
@click.option(
    "--search",
    type=click.Choice(["grid", "random", "bayes"]),
    default="grid",
    show_default=True,
    help="combinations of settings to try: all (grid), a random sample, or a sample that Optuna chooses near the best "
    "so far (bayes)",
)
@click.option(
    "--trials",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    help="number of combinations that a random or Bayesian search tries",
)
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    help="random seed; the same seed gives the same combinations of settings",
)
@click.option(
    "--executor",
    default="processes",
    show_default=True,
    help="what runs the forecasts: processes, serial, mpi (under python -m mpi4py.futures), dask or dask:ADDRESS",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="number of workers that compute forecasts at the same time (default: one per CPU)",
)
@click.option(
    "--resolution",
    default=0.05,
    show_default=True,
    help="relative difference below which two times are a tie",
)
@plugin_options
@allow_code_option
@store_option
@json_option
@output_option("write the best settings to a .toml file, or the results of all combinations to a .json file")
def command(
    spec: Path,
    cluster: str,
    budget: str,
    search: str,
    trials: int,
    seed: int,
    executor: str,
    workers: int | None,
    resolution: float,
    plugins: tuple[str, ...],
    plugin_traceback: bool,
    allow_code: bool,
    store: Path | None,
    as_json: bool,
    output: Path | None,
    force: bool,
) -> int:
    """Find the settings with which the program in SPEC takes the least time on CLUSTER.

    SPEC is a TOML file. Its key `app` names a built-in application (checkpoint, jacobi, mesh, mesh-mpi-io, pmc3), with
    the application's parameters as further keys. Instead of `app`, the key `program` names a trace, a saved workload
    (operations of all ranks, .parquet), or a .py file in the folder of SPEC; for a .py file, the key `ranks` gives the
    number of ranks. The table [vary] of SPEC lists the values to try for each knob (setting).

    CLUSTER is a cluster description (.toml) or the name of a bundled machine. The exit status is 3 when the time budget
    ended before the search had decided about all combinations of settings.
    """
    from striate.apps.spec import load_tunable
    from striate.cli.clusters import find_cluster
    from striate.cli.output import refuse_overwrite, refuse_store
    from striate.deadline import OutOfTime, ended_after
    from striate.errors import TuningError
    from striate.plugins.loading import load
    from striate.provenance import hash_file
    from striate.tuning import Space, tune
    from striate.tuning.study import TOO_SHORT
    from striate.tuning.tuned import Tuned
    from striate.units import seconds

    if output is not None:
        if output.suffix not in (".toml", ".json"):
            raise click.UsageError(f"expected an output file ending in .toml or .json, got {output.name!r}")
        refuse_overwrite(output, force=force)
    refuse_store(store)
    began, most = time.monotonic(), seconds(budget)
    machine, machine_hash = find_cluster(cluster)
    try:
        with progress("reading and measuring"), ended_after(most):
            tunable = load_tunable(spec, machine, read_program=_read_program, allow_code=allow_code)
    except OutOfTime:
        raise TuningError(TOO_SHORT) from None
    size = Space.of(tunable.vary).size if search == "grid" else trials
    with progress("predicting", total=size) as advance, plugin_tracebacks(plugin_traceback):
        own = load(plugins)
        study = tune(
            tunable.build,
            machine,
            vary=tunable.vary,
            search=search,
            trials=trials,
            seed=seed,
            budget=budget,
            executor=executor,
            workers=workers,
            resolution=resolution,
            progress=lambda done, rung: advance(done if rung == "resource" else 0),
            inputs={spec.name: hash_file(spec)} | machine_hash | own.hashes(),
            plugins=plugins,
            spent_seconds=time.monotonic() - began,
        )
    chosen = Tuned.of(study, program=tunable.name, parameters=tunable.parameters, costs=tunable.costs)
    if output is not None:
        content = chosen.to_toml() if output.suffix == ".toml" else study.to_json()
        write_output(output, content, force=force)
    if store is not None:
        from striate.results import append
        from striate.tuning.stored import entry_of

        append(store, entry_of(study, tunable.parameters))
    say_json(study.to_json()) if as_json else say(study_text(study))
    return 0 if study.finished else 3


def _read_program(path: Path, ranks: int | None) -> Workload:
    from striate.cli.programs import find_workload
    from striate.errors import WorkloadError
    from striate.workload import Workload

    workload, _ = find_workload(str(path), ranks=ranks)
    if not isinstance(workload, Workload):
        raise WorkloadError(
            "expected a program that lists the operations of each rank, got one that describes a stream of data blocks "
            "and has no settings",
            source=str(path),
        )
    return workload


def _saved(seconds: Interval | None) -> list[str]:
    from striate.units import about_seconds

    if seconds is None:
        return []
    low, middle, high = (
        f"{'-' * (one < 0)}{about_seconds(abs(one))}" for one in (seconds.low, seconds.estimate, seconds.high)
    )
    return [f"the best saves {middle}, in 80 % of real runs between {low} and {high}"]


def study_text(study: Study) -> str:
    """The study on one screen: what to set, what it brings, the best candidates, and what became of the rest."""
    from striate.printable import columns, one_line
    from striate.units import about_seconds

    rows: list[tuple[str, ...]] = [("candidate", "", "predicted", "low", "high", "rung")]
    for outcome in [study.now, *study.outcomes[:SHOWN]]:
        if (seconds := study.range_of(outcome)) is not None:
            bounds = (seconds.estimate, seconds.low, seconds.high)
            state = "now" if outcome is study.now else outcome.state
            rows.append((str(outcome.candidate), state, *map(about_seconds, bounds), outcome.rung))
    ends = ", ".join(f"{count:,} {state}" for state, count in study.counts().items())
    parts = [
        f"{one_line(study.program)} on {one_line(study.cluster)}: {one_line(str(study))}",
        columns(rows, numbers_from=2),
        "low and high: 80 % of real runs of a simulated candidate; bounds of a dropped or undecided one",
        *_saved(study.saved_seconds),
        f"{len(study.outcomes):,} candidates: {ends}; {about_seconds(study.spent_seconds)}",
    ]
    refused = [outcome for outcome in study.outcomes if outcome.state == "refused"]
    if refused:
        parts.append(f"note: {refused[0].candidate} was refused: {one_line(refused[0].words)}")
    if not study.finished:
        parts.append("note: the budget ended before every candidate was decided (exit status 3)")
    return "\n\n".join(parts)
