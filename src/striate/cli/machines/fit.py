"""`striate fit cluster.toml run.parquet...`: refine a cluster description from traces, or a table, of real runs."""

from __future__ import annotations

from pathlib import Path

import click

from striate.cli.output import json_option, output_option, print_json, progress, say, write_output


@click.command()
@click.argument("cluster")
@click.argument("traces", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--rates",
    type=click.Path(path_type=Path),
    help="fit to this .csv table of measured collective writes instead of traces; its columns are settings, bytes, "
    "and seconds or rate",
)
@click.option(
    "--where",
    "conditions",
    multiple=True,
    metavar="COLUMN=VALUE",
    help="use only the rows of the --rates table that have VALUE in COLUMN, such as storage=nvme; may be given "
    "several times",
)
@click.option(
    "--residuals",
    type=click.Path(path_type=Path),
    help="draw measured and fitted times against the size in bytes, and their differences, into this .svg file",
)
@json_option
@output_option("write the refined description to this .toml file")
def command(
    cluster: str,
    traces: tuple[Path, ...],
    rates: Path | None,
    conditions: tuple[str, ...],
    residuals: Path | None,
    as_json: bool,
    output: Path | None,
    force: bool,
) -> None:
    """Refine the cluster description CLUSTER (a TOML file or a bundled machine) so that it fits TRACES of real runs.

    Latencies and bandwidths of messages, writes, reads and flushes are fitted to the traced operations; values that
    the traces do not determine are left unchanged and listed.

    With --rates, the fit uses a table of collective writes instead of traces, and determines the bandwidth of a
    process, of a node's Lustre client, of the RPCs in flight and of an OST, and the cost of moving an extent lock to
    another node. Each table row without a measured time is forecast with a range. Rows that differ only in stripes,
    aggregators and lock mode are taken as settings of one job; the fastest setting is marked as best.
    """
    from striate.cli.output import refuse_overwrite

    if bool(traces) == (rates is not None):
        raise click.UsageError(
            f"expected either TRACES or --rates TABLE.csv, got {'both' if traces else 'neither'}"
        )
    if rates is None and conditions:
        raise click.UsageError("--where chooses rows of a table and needs --rates TABLE.csv")
    if rates is not None and residuals is not None:
        raise click.UsageError("--residuals needs traces and cannot be used with --rates")
    from striate.cluster.description.dump import cluster_to_toml
    from striate.cluster.load import load_cluster
    from striate.formats.read import read_trace
    from striate.probe.refine import SCHEMA, refine

    for path, ending in ((output, ".toml"), (residuals, ".svg")):
        if path is not None:
            if path.suffix != ending:
                raise click.UsageError(f"expected an output file ending in {ending}, got {path.name!r}")
            refuse_overwrite(path, force=force)
    if rates is not None:
        from striate.cli.machines.fit_rates import fit_table

        fit_table(cluster, rates, conditions, as_json=as_json, output=output, force=force)
        return
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
        from striate.cli.machines.refined import refined_text

        say(refined_text(refined))
