"""`striate fit cluster.toml run.parquet...`: refine a cluster description from traces of real runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from striate.cli.output import json_option, output_option, print_json, progress, say, write_output

if TYPE_CHECKING:
    from striate.probe.refine import Refined


@click.command()
@click.argument("cluster")
@click.argument("traces", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--residuals", type=click.Path(path_type=Path), help="draw measured against fitted times into this .svg"
)
@json_option
@output_option("write the refined description to this .toml file")
def command(
    cluster: str,
    traces: tuple[Path, ...],
    residuals: Path | None,
    as_json: bool,
    output: Path | None,
    force: bool,
) -> None:
    """Refine CLUSTER, a TOML file or a bundled machine's name, by what TRACES show.

    Start-ups and rates of messages, writes, reads and flushes are fitted to the traced operations; what they do not
    determine stays as it is, and is said.
    """
    from striate.cli.output import refuse_overwrite
    from striate.cluster.dump import cluster_to_toml
    from striate.cluster.load import load_cluster
    from striate.formats.read import read_trace
    from striate.probe.refine import SCHEMA, refine

    for path, ending in ((output, ".toml"), (residuals, ".svg")):
        if path is not None:
            if path.suffix != ending:
                raise click.UsageError(f"expected an output ending in {ending}, got {path.name!r}")
            refuse_overwrite(path, force=force)
    with progress("fitting"):
        refined = refine(load_cluster(cluster), [read_trace(path) for path in traces])
    if output is not None:
        write_output(output, cluster_to_toml(refined.cluster), force=force)
    if residuals is not None:
        from striate.pages.curves import curves_svg

        write_output(residuals, curves_svg(refined.curves, title=f"striate fit: {cluster}"), force=force)
    if as_json:
        parts = {"refinements": refined.refinements, "undetermined": refined.undetermined}
        print_json({"schema": SCHEMA, "cluster": refined.cluster.name} | parts | {"curves": refined.curves})
    else:
        say(refined_text(refined))


def refined_text(refined: Refined) -> str:
    """What changed, and what could not be determined."""
    from striate.printable import columns
    from striate.units import about_rate, about_seconds

    rows: list[tuple[str, ...]] = [("number", "was", "is", "low", "high", "operations")]
    for one in refined.refinements:
        about = about_seconds if one.key.endswith("latency") else about_rate
        ends = (about(value) for value in (one.after.estimate, one.after.low, one.after.high))
        rows.append((one.key, about(one.before), *ends, f"{one.samples:,}"))
    parts = [columns(rows, numbers_from=1)] if refined.refinements else ["nothing could be determined"]
    return "\n\n".join(
        [*parts, "\n".join(f"not determined: {words}" for words in refined.undetermined)]
    ).rstrip()
