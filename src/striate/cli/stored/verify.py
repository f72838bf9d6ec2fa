"""`striate verify DATASET`: read every byte of a dataset and compare it with its checksum."""

from __future__ import annotations

from pathlib import Path

import click

from striate.cli.output import json_option, print_json, progress, say


@click.command()
@click.argument("dataset", type=click.Path(path_type=Path))
@click.option("--directory", "directories", multiple=True, type=click.Path(path_type=Path),
              help="new path of a directory that the program gave to striate.runtime as directories=[...], if these "
              "directories were moved; give all of them, in the order of that list")  # fmt: skip
@json_option
def command(dataset: Path, directories: tuple[Path, ...], as_json: bool) -> int:
    """Check every stored byte of DATASET, a directory written by striate.runtime, against its checksums.

    The exit status is 3 when a part of the dataset is damaged.
    """
    from striate.runtime.check import verify
    from striate.units import about_size

    with progress("checking") as advance:
        verdict = verify(dataset, directories=directories or None, progress=advance)
    if as_json:
        print_json({"schema": "striate.verdict/1", "dataset": str(dataset), "verdict": verdict})
    else:
        size = about_size(verdict.checked_bytes)
        found = f"{len(verdict.findings)} damaged" if verdict.findings else "sound"
        what = f"{verdict.dtype} {verdict.shape}" if verdict.shape else verdict.dtype
        say(f"{dataset}: {found}; {verdict.chunks} chunks of {what}, {size} checked")
        for line in [*verdict.findings, *(f"note: {note}" for note in verdict.notes)]:
            say(f"  {line}")
    return 3 if verdict.findings else 0
