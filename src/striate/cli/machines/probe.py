"""`striate probe -o here.toml`: measure this machine and describe it as a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from striate.cli.output import (
    json_option,
    output_option,
    print_json,
    progress,
    say,
    store_option,
    write_output,
)

if TYPE_CHECKING:
    from striate.probe.report import ProbeReport
    from striate.probe.samples import Measurement


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("launcher", nargs=-1, type=click.UNPROCESSED, metavar="[-- LAUNCHER...]")
@click.option(
    "--budget", default="60 s", show_default=True, help="approximate duration of all measurements together"
)
@click.option(
    "--directory",
    type=click.Path(path_type=Path),
    default=Path(),
    help="directory on the file system to measure, visible to all ranks (default: the current directory)",
)
@click.option(
    "--ranks",
    type=click.IntRange(min=2),
    help="number of MPI ranks to start on this host (default: one for each CPU)",
)
@click.option(
    "--name", default="here", show_default=True, help="name of the machine in the cluster description"
)
@click.option(
    "--residuals",
    type=click.Path(path_type=Path),
    help="draw measured and fitted times against the size in bytes, and their differences, into this .svg file",
)
@store_option
@json_option
@output_option("write the cluster description to this .toml file")
def command(
    launcher: tuple[str, ...],
    budget: str,
    directory: Path,
    ranks: int | None,
    name: str,
    residuals: Path | None,
    store: Path | None,
    as_json: bool,
    output: Path | None,
    force: bool,
) -> None:
    """Measure messages, memory, files and CPUs of this machine, and write the results as a cluster description.

    The measuring MPI ranks are started on this host, or on several hosts by LAUNCHER, an MPI launcher with its options.
    The measurement writes at most 192 MiB, plus 16 MiB per rank, to a new directory, which is removed at the end.

    Example: striate probe -o here.toml -- mpiexec -n 16 -hosts a,b
    """
    from striate import units
    from striate.cli.output import refuse_overwrite, refuse_store
    from striate.cluster.description.dump import cluster_to_toml
    from striate.probe import ProbeOptions, describe, measure
    from striate.results import Entry, append

    for path, ending in ((output, ".toml"), (residuals, ".svg")):
        if path is not None:
            if path.suffix != ending:
                raise click.UsageError(f"expected an output file ending in {ending}, got {path.name!r}")
            refuse_overwrite(path, force=force)
    refuse_store(store)
    if ranks is not None and launcher:
        raise click.UsageError("--ranks is not accepted with a launcher, which gives the number of ranks")
    options = ProbeOptions(directory, units.seconds(budget), ranks, launcher)
    with progress("measuring", total=5) as advance:

        def tell(part: str) -> None:
            advance()
            say(f"measuring {part}", error=True)

        report = measure(options, tell)
    cluster = describe(report, name=name)
    if output is not None:
        write_output(output, cluster_to_toml(cluster), force=force)
    if residuals is not None:
        from striate.pages.curves import curves_svg

        write_output(residuals, curves_svg(report.found.curves, title=f"striate probe: {name}"), force=force)
    if store is not None:
        setup = {"budget_seconds": options.budget_seconds, "ranks": ranks, "launcher": list(launcher)}
        append(store, Entry("probe", cluster=name, setup=setup, results=report))
    if as_json:
        print_json(report)
    else:
        say(report_text(report))


def report_text(report: ProbeReport) -> str:
    """Every number with its range."""
    from striate.printable import columns
    from striate.units import about_seconds, about_size

    facts = report.facts
    parts = (
        f"nodes {facts.nodes}",
        f"sockets {facts.sockets}",
        f"CPUs {facts.cpus}",
        about_size(facts.memory_bytes),
    )
    took = f"measured in {about_seconds(report.seconds)}"
    head = "; ".join([facts.host, *parts, facts.mpi, took])
    rows = [("measured", "value", "low", "high", "samples"), *map(_row, report.found.measurements)]
    notes = [f"note: {note}" for note in report.found.notes]
    return "\n\n".join([head, columns(rows, numbers_from=1), *notes])


def _row(one: Measurement) -> tuple[str, ...]:
    ends = (one.value.estimate, one.value.low, one.value.high)
    return (one.name, *(_shown(end, one.unit) for end in ends), f"{one.samples:,}")


def _shown(value: float, unit: str) -> str:
    from striate.units import about_count, about_rate, about_seconds, about_size

    if unit == "s":
        return about_seconds(value)
    if unit == "B/s":
        return about_rate(value)
    if unit == "B":
        return about_size(value)
    return f"{about_count(value)}/s" if unit == "1/s" else f"{value:.3g}"
