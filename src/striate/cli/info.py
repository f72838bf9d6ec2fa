"""`striate info FILE`: what a trace or another tool's log says, on one screen."""

from __future__ import annotations

from pathlib import Path

import click

from striate.cli.output import json_option, progress


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@json_option
def command(file: Path, as_json: bool) -> None:
    """Say what the trace FILE holds: ranks, files, bytes, time, share of I/O, phases, the slowest rank.

    FILE is a trace saved by striate, or a log of Darshan, dftracer, Recorder or OTF2; its format is
    recognised.
    """
    from striate.formats.read import read_trace

    with progress("reading"):
        summary = read_trace(file).info()
    click.echo(summary.to_json() if as_json else str(summary), nl=not as_json)
