"""`striate repair DATASET`: remove what writes that were interrupted have left."""

from __future__ import annotations

from pathlib import Path

import click

from striate.cli.output import say


@click.command()
@click.argument("dataset", type=click.Path(path_type=Path))
@click.option("--directory", "directories", multiple=True, type=click.Path(path_type=Path),
              help="one of the directories given to create; once for each, in the same order")  # fmt: skip
def command(dataset: Path, directories: tuple[Path, ...]) -> None:
    """Remove files of DATASET that belong to no completed write.

    Complete writes are not touched. Refuses while a program writes the dataset.
    """
    from striate.runtime import repair

    count = repair(dataset, directories=directories or None)
    say(f"{dataset}: {count} files removed")
