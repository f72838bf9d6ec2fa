"""`striate convert SOURCE OUTPUT`: a trace or a dataset as a file that other programs know."""

from __future__ import annotations

from pathlib import Path

import click

from striate.cli.output import progress, refuse_overwrite, say, write_output
from striate.errors import OutputError


@click.command()
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("output", type=click.Path(path_type=Path))
@click.option(
    "--with",
    "simulated",
    multiple=True,
    type=click.Path(path_type=Path),
    help="a simulated timeline (.parquet) to include beside the trace in a Perfetto or Chrome file",
)
@click.option(
    "--directory",
    "directories",
    multiple=True,
    type=click.Path(path_type=Path),
    help="new path of a directory that the program gave to striate.runtime as directories=[...], if these directories "
    "were moved; give all of them, in the order of that list",
)
@click.option(
    "--link", is_flag=True, help="write a .h5 that refers to the data in the dataset's files, without a copy"
)
@click.option("--force", is_flag=True, help="overwrite an existing output")
def command(
    source: Path,
    output: Path,
    simulated: tuple[Path, ...],
    directories: tuple[Path, ...],
    link: bool,
    force: bool,
) -> None:
    """Convert SOURCE, a trace or a dataset, to the file OUTPUT; the ending of OUTPUT's name selects the format.

    A trace, or the log of another tool such as Darshan, is converted to .parquet, .csv, .pftrace (Perfetto), .json
    (Chrome's trace events), .prv (Paraver) or .otf2; add .gz to the ending of a text format to compress the file.

    A dataset, a directory that a program wrote with striate.runtime, is converted to .npy, .h5 or .zarr. A group, that
    is a dataset of several variables, is converted to .h5 (in netCDF-4 form) or .zarr.
    """
    from striate.formats.convert import FORMATS
    from striate.runtime.export import SUFFIXES

    if link:
        _link_dataset(source, output, directories, force=force)
        return
    if output.suffix in SUFFIXES:
        _convert_dataset(source, output, directories, force=force)
        return
    endings = tuple(ending for endings in FORMATS.values() for ending in endings)
    if not output.name.endswith(endings):
        raise click.UsageError(
            f"expected an output file ending in {', '.join((*endings, *SUFFIXES))}, got {output.name!r}"
        )
    _convert_trace(source, output, simulated, force=force)


def _convert_trace(source: Path, output: Path, simulated: tuple[Path, ...], *, force: bool) -> None:
    from striate.formats.convert import files_of, format_of
    from striate.formats.read import read_trace

    wanted = format_of(output)
    if wanted == "otf2":
        _refuse_folder(output, force=force)
    else:
        refuse_overwrite(output, force=force)
    with progress("reading"):
        trace = read_trace(source)
        beside = [read_trace(path) for path in simulated]
    with progress("writing"):
        if wanted == "parquet":
            trace.save(output)
        elif wanted == "otf2":
            from striate.formats.writers.otf2 import write

            write(trace, output)
        else:
            files = files_of(trace, output, wanted, beside)
            for path in files:
                refuse_overwrite(path, force=force)
            for path, content in files.items():
                write_output(path, content, force=force)


def _convert_dataset(source: Path, output: Path, directories: tuple[Path, ...], *, force: bool) -> None:
    from striate.runtime import open_serial
    from striate.runtime.describe import is_group
    from striate.runtime.export import export

    _refuse_folder(output, force=force)
    if is_group(source):
        _convert_group(source, output, directories)
        return
    with (
        open_serial(source, directories=directories or None) as dataset,
        progress("converting", len(dataset)) as advance,
    ):
        export(dataset, output, progress=advance)
    say(f"{output}: {dataset.dtype} {dataset.shape}")


def _convert_group(source: Path, output: Path, directories: tuple[Path, ...]) -> None:
    from striate.runtime import open_group
    from striate.runtime.group_export import export_group, parts_of

    with (
        open_group(None, source, directories=directories or None) as group,
        progress("converting", parts_of(group)) as advance,
    ):
        export_group(group, output, progress=advance)
        said = f"{output}: {len(group.variables)} variables, {len(group.steps)} steps"
    say(said)


def _link_dataset(source: Path, output: Path, directories: tuple[Path, ...], *, force: bool) -> None:
    from striate.runtime import link_hdf5

    if output.suffix != ".h5":
        raise click.UsageError(f"expected an output file ending in .h5 with --link, got {output.name!r}")
    _refuse_folder(output, force=force)
    link_hdf5(source, output, directories=directories or None)
    say(f"{output}: points into {source}")


def _refuse_folder(output: Path, *, force: bool) -> None:
    """As `refuse_overwrite`, for formats that are folders."""
    if output.exists() and not force:
        raise OutputError("the output file exists; give --force to replace it", at=str(output))
    if not output.absolute().parent.is_dir():
        raise OutputError("the directory of the output file does not exist", at=str(output))
