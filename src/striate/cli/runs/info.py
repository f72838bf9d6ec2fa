"""`striate info FILE`: what a trace, another tool's log, or a dataset holds, on one screen."""

from __future__ import annotations

from pathlib import Path

import click

from striate.cli.output import json_option, memory_option, print_json, progress, say, say_json


def _is_dataset(folder: Path) -> bool:
    from striate.runtime.describe import is_dataset

    return is_dataset(folder)


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@memory_option
@json_option
def command(file: Path, as_json: bool) -> None:
    """Summarise the trace FILE: ranks, files, bytes, time, share of I/O, phases, the slowest rank.

    FILE is a trace saved by Striate, or a log of Darshan, dftracer, Recorder or OTF2; the format is detected. FILE may
    also be a dataset, a directory that a program wrote with striate.runtime; the command then prints the dataset's
    shape, element type, chunks, codec and servers (the ranks that wrote its sub-files).
    """
    if file.is_dir() and _is_dataset(file):
        from striate.runtime.describe import describe

        dataset = describe(file)
        if as_json:
            print_json({"schema": "striate.dataset/1", "dataset": dataset})
        else:
            say(str(dataset))
        return
    from striate.formats.read import read_trace

    with progress("reading"):
        summary = read_trace(file).info()
    say_json(summary.to_json()) if as_json else say(str(summary))
