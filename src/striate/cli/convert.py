"""`striate convert TRACE OUTPUT`: write a trace for another tool."""

from __future__ import annotations

from pathlib import Path

import click

from striate.cli.output import progress, refuse_overwrite, write_output


@click.command()
@click.argument("trace", type=click.Path(path_type=Path))
@click.argument("output", type=click.Path(path_type=Path))
@click.option(
    "--with",
    "simulated",
    multiple=True,
    type=click.Path(path_type=Path),
    help="a simulated timeline (.parquet) to show beside the trace, in Perfetto and Chrome files",
)
@click.option("--force", is_flag=True, help="overwrite an existing output")
def command(trace: Path, output: Path, simulated: tuple[Path, ...], force: bool) -> None:
    """Write TRACE, or another tool's log, as OUTPUT; the ending of its name says in which format.

    .parquet  striate's own        .csv  .csv.gz    plain tables
    .pftrace  Perfetto             .json .json.gz   Chrome's trace events
    .prv      Paraver              .otf2            an OTF2 archive (a directory)
    """
    from striate.trace.convert import files_of, format_of
    from striate.trace.read import read_trace
    from striate.trace.timeline import Timeline

    wanted = format_of(output)
    refuse_overwrite(output, force=force)
    with progress("reading"):
        read = read_trace(trace)
        timelines = [Timeline.load(path) for path in simulated]
    with progress("writing"):
        if wanted == "parquet":
            read.save(output)
        elif wanted == "otf2":
            from striate.trace.writers.otf2 import write

            write(read, output)
        else:
            for path, content in files_of(read, output, wanted, timelines).items():
                write_output(path, content, force=force)
