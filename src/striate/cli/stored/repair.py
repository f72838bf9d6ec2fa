"""`striate repair DATASET`: remove what writes that were interrupted have left."""

from __future__ import annotations

from pathlib import Path

import click

from striate.cli.output import say


@click.command()
@click.argument("dataset", type=click.Path(path_type=Path))
@click.option("--directory", "directories", multiple=True, type=click.Path(path_type=Path),
              help="new path of a directory that the program gave to striate.runtime as directories=[...], if these "
              "directories were moved; give all of them, in the order of that list")  # fmt: skip
def command(dataset: Path, directories: tuple[Path, ...]) -> None:
    """Remove those files of DATASET, a directory written by striate.runtime, that belong to no completed write.

    Complete writes are not touched. The command fails while a program writes the dataset.
    """
    from striate.runtime import repair

    count = repair(dataset, directories=directories or None)
    say(f"{dataset}: {count} files removed")
