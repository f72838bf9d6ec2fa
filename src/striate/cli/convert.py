"""`striate convert DATASET OUTPUT`: a dataset as one file that other programs know."""

from __future__ import annotations

from pathlib import Path

import click

from striate.cli.output import progress
from striate.errors import OutputError


@click.command()
@click.argument("dataset", type=click.Path(path_type=Path))
@click.argument("output", type=click.Path(path_type=Path))
@click.option("--directory", "directories", multiple=True, type=click.Path(path_type=Path),
              help="a server's own directory; once for each server, in order")  # fmt: skip
@click.option("--force", is_flag=True, help="overwrite an existing output")
def command(dataset: Path, output: Path, directories: tuple[Path, ...], force: bool) -> None:
    """Turn DATASET, a directory written by striate.runtime, into OUTPUT: a .npy, .h5 or .zarr."""
    from striate.runtime import open_serial
    from striate.runtime.export import SUFFIXES, export

    if output.suffix not in SUFFIXES:
        raise click.UsageError(f"expected an output ending in {', '.join(SUFFIXES)}, got {output.name!r}")
    if output.exists() and not force:
        raise OutputError("the output exists; give --force to replace it", at=str(output))
    if not output.absolute().parent.is_dir():
        raise OutputError("the output's directory does not exist", at=str(output))
    with (
        open_serial(dataset, directories=directories or None) as source,
        progress("converting", len(source)) as advance,
    ):
        export(source, output, progress=advance)
    click.echo(f"{output}: {source.dtype} {source.shape}")
