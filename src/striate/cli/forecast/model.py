"""`striate model`: speedup surfaces of queueing models, and the fit that reads parameters from speedups."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from striate.cli.output import (
    json_option,
    output_option,
    percentile_option,
    print_json,
    progress,
    refuse_ending,
    refuse_overwrite,
    say,
    write_output,
)
from striate.errors import QueueingError
from striate.printable import columns

if TYPE_CHECKING:
    from striate.queueing import Fit, Observations, Surface

_MOST_LISTED = 100_000
_TRACES = (".parquet", ".darshan", ".pfw", ".pfw.gz", ".otf2")


@click.command(context_settings={"ignore_unknown_options": False})
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="FILE | fit FILE...")
@click.option(
    "--p",
    "processors",
    default="1:64",
    show_default=True,
    help="numbers of processors p, such as 8, 1,2,4 or the range 1:512; 1:64:8 is a range in steps of 8, and 1:512:x2 "
    "a range in which each number is twice the number before",
)
@click.option(
    "--d",
    "disks",
    default="1:8",
    show_default=True,
    help="numbers of disks d, such as 8, 1,2,4 or the range 1:64 (other ranges as for --p)",
)
@click.option(
    "--budget",
    type=float,
    help="also print the fastest combination of p processors and d disks for which p + d is at most this number",
)
@click.option(
    "--kind",
    type=click.Choice(["sio", "bus-aio", "clu-aio"]),
    help="how processors do I/O: sio (all together when the last has arrived), bus-aio (each on its own, through one "
    "I/O node) or clu-aio (each cluster of processors on its own disk); overrides `kind` in FILE",
)
@click.option(
    "--solver",
    type=click.Choice(["paper", "exact", "fast"]),
    help="solver of the model: the published method (paper), an exact solution, or a fast approximation "
    "(Linearizer); overrides `solver` in FILE",
)
@click.option(
    "--at",
    "point",
    metavar="P,D",
    help="instead of a table, print the time on P processors and D disks, with its parts (CPU, communication, I/O), "
    "its bounds, the utilisations of processors, network and disks, the effect of each parameter on the time, and the "
    "p of the largest efficiency / time (knee)",
)
@percentile_option("for --at: print the time that P percent of the program's compute-and-I/O cycles")
@click.option(
    "--from-program",
    metavar="PROGRAM",
    help="derive the model from PROGRAM, as `striate predict` takes it, instead of reading FILE",
)
@click.option(
    "--from-trace",
    multiple=True,
    metavar="TRACE",
    help="derive the model from this trace instead of reading FILE; may be given several times, once per traced run",
)
@click.option(
    "--machine",
    metavar="CLUSTER",
    help="cluster (a .toml file or a bundled machine) for which --from-program or --from-trace derives the model",
)
@click.option(
    "--scale",
    default="hyperperimeter:2",
    show_default=True,
    help="for `model fit`: which share of the communicated data one of p processors moves, as a function of p: inverse "
    "for 1/p, or hyperperimeter:R for p^-((R-1)/R), the surface of a processor's block of an R-dimensional array",
)
@click.option(
    "--group",
    type=int,
    default=1,
    show_default=True,
    help="for `model fit`: number of processors in a group; the processors of a group wait for each other",
)
@click.option(
    "--disks",
    "servers",
    help="for `model fit` of traces: number of disks or I/O servers in the traced runs, either one number or one per "
    "trace, such as 1,2,4",
)
@click.option(
    "--fixed",
    multiple=True,
    metavar="NAME=VALUE",
    help="for `model fit`: keep the parameter NAME at VALUE, such as contention=0.23 (share of a transfer that "
    "occupies the shared network); may be given several times",
)
@json_option
@output_option("draw the speedup over p and d, or the residuals of a fit, as an HTML page that opens offline")
def command(files: tuple[Path, ...], **options: Any) -> None:
    """Solve the queueing model of a parallel program in FILE, a TOML file, for numbers of processors p and disks d.

    `striate model fit FILE...` instead fits a model to measured runs: to a CSV table with the columns p,d,speedup or
    p,d,seconds, or to traces of runs, each of which gives one p, one d and one time.
    """
    if options["output"] is not None:
        refuse_ending(options["output"], ".html")
        refuse_overwrite(options["output"], force=options["force"])
    derived = bool(options["from_program"]) + bool(options["from_trace"])
    if derived:
        if files or derived > 1:
            raise click.UsageError("expected only one of FILE, --from-program and --from-trace, got several")
        _solve(None, options)
    elif files and str(files[0]) == "fit" and len(files) > 1:
        _fit(files[1:], options)
    elif len(files) == 1:
        _solve(files[0], options)
    else:
        found = " ".join(map(str, files[:3])) or "no file"
        raise click.UsageError(
            f"expected one FILE with a queueing model, or `model fit FILE...`, got {found}"
        )


def _solve(file: Path | None, options: dict[str, Any]) -> None:
    from striate.cli.forecast.model_report import derived_from, point_of, tell_point
    from striate.queueing import load_model, surface

    derived = derived_from(options) if file is None else None
    model: Any = load_model(file) if file is not None else derived and derived.model
    for name in ("kind", "solver"):
        if options[name]:
            model = _overridden(model, name, options[name])
    if options["point"] is not None:
        sizes = whole_range(options["processors"], at="--p")
        tell_point(
            model,
            point_of(options["point"]),
            derived,
            sizes,
            percentiles=options["percentiles"],
            as_json=options["as_json"],
        )
        return
    if options["percentiles"]:
        raise click.UsageError("--percentile needs --at P,D")
    grid = surface(
        model, whole_range(options["processors"], at="--p"), whole_range(options["disks"], at="--d")
    )
    if options["output"] is not None:
        from striate.pages.surface import surface_page

        write_output(
            options["output"],
            surface_page(grid, title=file.name if file else str(options["from_program"] or "traces")),
            force=options["force"],
        )
    if options["as_json"]:
        print_json(_surface_document(grid, options["budget"]))
    elif options["output"] is None:
        _print_surface(grid, options["budget"])


def _overridden(model: Any, name: str, value: str) -> Any:
    from dataclasses import replace

    from striate.queueing import Program

    changes: dict[str, Any] = {name: value}
    if isinstance(model, Program):
        return Program(tuple(replace(phase, **changes) for phase in model.phases))
    return replace(model, **changes)


def whole_range(text: str, *, at: str) -> list[int]:
    """Whole numbers from `8`, `1,2,4`, `1:512` (both ends), `1:64:8` or `1:512:x2`."""
    numbers: list[int] = []
    for part in text.split(","):
        numbers += _one_range(part.strip(), at=at)
        if len(numbers) > 10**7:
            raise QueueingError(
                f"expected a list of at most {10**7:,} numbers, got {len(numbers):,} numbers from {text!r:.40}",
                at=at,
            )
    return numbers


def _one_range(text: str, *, at: str) -> list[int]:
    ends = text.split(":")
    try:
        if len(ends) > 3 or any(len(end) > 12 for end in ends):
            raise ValueError(text)
        if len(ends) == 1:
            return [int(text)]
        first, last = int(ends[0]), int(ends[1])
        step = ends[2] if len(ends) == 3 else "1"
        factor = int(step[1:]) if step.startswith("x") else 0
        if not step.startswith("x"):
            spread = range(first, last + 1, int(step))
            if len(spread) > 10**7:
                raise QueueingError(
                    f"expected a range of at most {10**7:,} numbers, got {len(spread):,} numbers from {text!r:.40}",
                    at=at,
                )
            return list(spread)
        if factor < 2 or first < 1:
            raise ValueError(text)
    except ValueError as error:
        raise QueueingError(
            f"expected a whole number, or a range such as 1:512, 1:64:8 or 1:512:x2, got {text[:40]!r}", at=at
        ) from error
    numbers = []
    while first <= last:
        numbers.append(first)
        first *= factor
    return numbers


def _print_surface(grid: Surface, budget: float | None) -> None:
    if grid.seconds.size > _MOST_LISTED:
        raise QueueingError(
            f"expected a table of at most {_MOST_LISTED:,} points (p processors, d disks), "
            f"got {grid.seconds.size:,} points; give --json or -o, or fewer values of --p and --d"
        )
    rows = [("p\\d", *map(str, grid.disks))]
    rows += [
        (str(processors), *("-" if value != value else f"{value:.3f}" for value in row))
        for processors, row in zip(grid.processors, grid.speedup, strict=True)
    ]
    lines = ["speedup s(p, d); rows p, columns d", columns(rows, numbers_from=0)]
    if budget is not None:
        best = grid.best(budget)
        lines.append(
            f"best with p + d <= {budget:g}: p = {best.processors}, d = {best.disks}, {best.seconds:.6g} s"
        )
    say("\n".join(lines))


def _surface_document(grid: Surface, budget: float | None) -> dict[str, Any]:
    document = {
        "schema": "striate.model/1",
        "processors": grid.processors.tolist(),
        "disks": grid.disks.tolist(),
        "one_processor_seconds": grid.one_processor_seconds,
        "seconds": _rows(grid.seconds),
        "speedup": _rows(grid.speedup),
        "bottleneck": [[name or None for name in row] for row in grid.bottleneck.tolist()],
    }
    if budget is not None:
        best = grid.best(budget)
        document["best"] = {"processors": best.processors, "disks": best.disks, "seconds": best.seconds}
    return document


def _rows(values: Any) -> list[list[float | None]]:
    return [[None if value != value else value for value in row] for row in values.tolist()]


def _fit(files: tuple[Path, ...], options: dict[str, Any]) -> None:
    from striate.queueing import fit

    found = fit(
        _observations(files, options["servers"]),
        kind=options["kind"] or "bus-aio",
        solver=options["solver"] or "paper",
        scale=options["scale"],
        group=options["group"],
        fixed=_fixed(options["fixed"]),
    )
    if options["output"] is not None:
        from striate.pages.residuals import residuals_page

        write_output(
            options["output"],
            residuals_page(found, title=files[0].name + " and more" * (len(files) > 1)),
            force=options["force"],
        )
    if options["as_json"]:
        print_json(_fit_document(found))
    elif options["output"] is None:
        _print_fit(found)


def _observations(files: tuple[Path, ...], servers: str | None) -> Observations:
    """A table, where one CSV file is given; otherwise runs by their traces, and what was made of each."""
    from striate.formats.read import read_trace
    from striate.queueing import from_runs, observe, read_observations

    if len(files) == 1 and not files[0].name.endswith(_TRACES) and not files[0].is_dir():
        if servers is not None:
            raise QueueingError(
                "expected --disks with traces only, got a table, which gives the number of disks in its column d",
                at="--disks",
            )
        return read_observations(files[0])
    with progress("reading"):
        traces = {str(file): read_trace(file) for file in files}
    runs = observe(traces, whole_range(servers, at="--disks") if servers else ())
    for run in runs:
        say(
            f"{run.name}: p = {run.processors}, d = {run.disks} ({run.disks_from}), {run.seconds:.6g} s",
            error=True,
        )
    return from_runs(runs)


def _fixed(pairs: tuple[str, ...]) -> dict[str, Any]:
    fixed: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise QueueingError(f"expected NAME=VALUE, got {pair[:60]!r}", at="--fixed")
        try:
            fixed[name.strip()] = float(value)
        except ValueError:
            fixed[name.strip()] = value.strip()
    return fixed


def _print_fit(found: Fit) -> None:
    unit = "in units of T1" if found.observations.quantity == "speedup" else "in seconds"
    count = found.residuals.size
    lines = [
        f"{found.kind}, {count} observations: average error {found.error:.3%} (paper 000), RMS {found.rms:.2%}",
        f"determined by the data, {unit}, with {found.confidence:.0%} intervals:",
    ]
    for name, interval in (found.combinations | found.parameters).items():
        note = "  (found at zero)" if name in found.at_bound else ""
        lines.append(f"  {name} = {interval.estimate:.4g} ({interval.low:.4g} to {interval.high:.4g}){note}")
    lines += [f"not determined: {sentence}" for sentence in found.undetermined]
    low, high = found.contention_range
    if low < high:
        lines.append(f"every contention from {low:.3g} to {high:.3g} fits equally well")
    say("\n".join(lines))


def _fit_document(found: Fit) -> dict[str, Any]:
    def edges(interval: Any) -> dict[str, float | None]:
        high = None if interval.high == float("inf") else interval.high
        return {"low": interval.low, "estimate": interval.estimate, "high": high}

    return {
        "schema": "striate.model-fit/1",
        "kind": found.kind,
        "quantity": found.observations.quantity,
        "observations": int(found.residuals.size),
        "average_error": found.error,
        "rms": found.rms,
        "confidence": found.confidence,
        "combinations": {name: edges(interval) for name, interval in found.combinations.items()},
        "parameters": {name: edges(interval) for name, interval in found.parameters.items()},
        "undetermined": list(found.undetermined),
        "contention_range": list(found.contention_range),
        "at_zero": list(found.at_bound),
        "residuals": found.residuals.tolist(),
    }
