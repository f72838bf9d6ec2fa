"""`striate compare FORECAST TRACE`: was the run inside the range, and where is the model furthest off?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from striate import documents
from striate.cli.output import json_option, output_option, print_json, refuse_overwrite, say, write_output

if TYPE_CHECKING:
    from striate.evaluate.compare import ComparedPart, Comparison, NoiseVerdict


@click.command()
@click.argument("forecast", type=click.Path(path_type=Path))
@click.argument("trace", type=click.Path(path_type=Path))
@click.option(
    "--timeline",
    type=click.Path(path_type=Path),
    help="the timeline that `striate predict --timeline` wrote with the forecast; phases, kinds of operations and "
    "ranks are then compared, too",
)
@click.option(
    "--region",
    help="compare the forecast only with this region, a part of the program named with striate.region",
)
@click.option(
    "--noise",
    help="say whether run-to-run noise explains the difference between forecast and run; NOISE is a file that "
    "`striate noise learn` wrote, or tokio, a bundled table of slowdowns",
    metavar="NOISE",
)
@json_option
@output_option("write the comparison to a .json file")
def command(
    forecast: Path,
    trace: Path,
    timeline: Path | None,
    region: str | None,
    noise: str | None,
    as_json: bool,
    output: Path | None,
    force: bool,
) -> None:
    """Compare FORECAST, written by `striate predict -o run.json`, with TRACE, a trace of the real run.

    The output says whether the measured time is inside the range of the forecast. If --timeline is given, the output
    also shows how the phases, the kinds of operations and the ranks differ.
    """
    from striate.evaluate.compare import compare
    from striate.formats.read import read_trace
    from striate.ladder.forecast import Forecast
    from striate.noise.model import load_noise

    if output is not None:
        if output.suffix != ".json":
            raise click.UsageError(f"expected an output file ending in .json, got {output.name!r}")
        refuse_overwrite(output, force=force)
    learnt = load_noise(noise) if noise is not None else None
    simulated = read_trace(timeline) if timeline is not None else None
    found = compare(
        Forecast.load(forecast), read_trace(trace), timeline=simulated, region=region, noise=learnt
    )
    if output is not None:
        write_output(output, documents.to_json(found), force=force)
    if as_json:
        print_json(found)
    else:
        say(comparison_text(found))


def comparison_text(found: Comparison) -> str:
    """The verdict first, then the parts."""
    from striate.printable import one_line
    from striate.units import about_seconds

    span = f"{about_seconds(found.predicted.low)} to {about_seconds(found.predicted.high)}"
    where = "inside" if found.inside else "OUTSIDE"
    error = "" if found.error is None else f", {found.error:+.1%}"
    head = (
        f"{one_line(found.workload)} on {one_line(found.cluster)}: measured {about_seconds(found.measured)}, forecast "
        f"{about_seconds(found.predicted.estimate)} ({span}): {where} the range{error}"
    )
    if found.noise is not None:
        head += "\n" + _noise_words(found.noise)
    groups = (("phase", found.phases), ("operation", found.kinds), ("rank", found.ranks))
    tables = [_table(title, parts) for title, parts in groups]
    lines = [f"furthest off: {one_line(words)}" for words in found.furthest]
    lines += [f"note: {one_line(note)}" for note in found.notes]
    return "\n\n".join([head, *(table for table in tables if table), "\n".join(lines)]).rstrip()


def _noise_words(verdict: NoiseVerdict) -> str:
    from striate.units import about_seconds

    low, usual, high = map(
        about_seconds, (verdict.seconds.low, verdict.seconds.estimate, verdict.seconds.high)
    )
    what = "the difference is noise" if verdict.is_noise else "the difference is MORE than noise"
    return f"{what}: 90 % of runs of {verdict.job} would take {low} to {high}, {usual} on a usual day"


def _table(title: str, parts: Sequence[ComparedPart]) -> str:
    from striate.printable import columns
    from striate.units import about_seconds

    def shown(seconds: float | None) -> str:
        return "-" if seconds is None else about_seconds(seconds)

    rows = [(title, "predicted", "measured", "difference")]
    for part in parts:
        gap = "-" if part.difference is None else f"{part.difference:+.3g} s"
        rows.append((part.name, shown(part.predicted), shown(part.measured), gap))
    return columns(rows, numbers_from=1) if parts else ""
