"""What commands share: where results go, JSON, and a bar that shows only on a terminal."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from striate import documents
from striate.errors import OutputError, PluginError
from striate.printable import printable, printable_json
from striate.whole_file import whole_file

Command = TypeVar("Command", bound=Callable[..., Any])


def output_option(help_text: str) -> Callable[[Command], Command]:
    """`-o PATH` and `--force`."""

    def decorate(function: Command) -> Command:
        function = click.option("--force", is_flag=True, help="overwrite an existing output")(function)
        option = click.option("-o", "--output", type=click.Path(path_type=Path), help=help_text)
        return option(function)

    return decorate


def json_option(function: Command) -> Command:
    """`--json`."""
    return click.option("--json", "as_json", is_flag=True, help="print JSON (versioned schema)")(function)


def memory_option(function: Command) -> Command:
    """`--memory SIZE`: a limit of the process, set before anything is read."""

    def limit(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
        if value is None:
            return
        from striate.errors import UnitError
        from striate.limits import limit_memory

        try:
            limit_memory(value)
        except UnitError as error:
            raise click.BadParameter(error.message, context, parameter) from None

    text = (
        "memory that the command may use, such as 1GiB (at least 256MiB); an input that needs more is refused"
    )
    return click.option(
        "--memory", metavar="SIZE", callback=limit, expose_value=False, is_eager=True, help=text
    )(function)


def allow_code_option(function: Command) -> Command:
    """`--allow-code`."""
    text = (
        "allow that a .toml description names Python files outside its own folder, which are then run "
        '(see the guide "What is trusted")'
    )
    return click.option("--allow-code", is_flag=True, help=text)(function)


def plugin_options(function: Command) -> Command:
    """`--plugin FILE` and `--plugin-traceback`."""
    trace = "if a plug-in fails, print its Python traceback before the error message"
    function = click.option("--plugin-traceback", is_flag=True, help=trace)(function)
    text = (
        "use the algorithms of a plug-in; FILE is a .py or .so file, which is run, or the name of an installed "
        "plug-in, and NAME selects one class of the file; may be given several times (see the guide "
        '"Write a plug-in")'
    )
    return click.option("--plugin", "plugins", multiple=True, metavar="FILE[:NAME]", help=text)(function)


@contextmanager
def plugin_tracebacks(wanted: bool) -> Iterator[None]:
    """Print what stands behind a refused plug-in, where that is wanted."""
    try:
        yield
    except PluginError as error:
        if wanted and error.__cause__ is not None:
            say("".join(traceback.format_exception(error.__cause__)), error=True, newline=False)
        raise


def percentile_option(what: str) -> Callable[[Command], Command]:
    """--percentile P, any number of times: `what` says of what."""
    return click.option(
        "--percentile",
        "percentiles",
        type=click.FloatRange(0, 100, min_open=True, max_open=True),
        multiple=True,
        metavar="P",
        help=f"{what} do not exceed; may be given several times",
    )


def store_option(function: Command) -> Command:
    """`--store results.db`."""
    text = "append the result to this results store, an SQLite file that `striate results` lists"
    return click.option("--store", type=click.Path(path_type=Path, dir_okay=False), help=text)(function)


def write_output(path: Path, content: str | bytes, *, force: bool) -> None:
    """Write a whole file or nothing; refuses to overwrite unless `force`."""
    refuse_overwrite(path, force=force)
    with whole_file(path) as place:
        place.write_bytes(content.encode() if isinstance(content, str) else content)


def refuse_overwrite(path: Path, *, force: bool) -> None:
    """Raise OutputError when `path` is a file that may not be replaced, or its directory does not exist."""
    if path.is_dir():
        raise OutputError("expected an output file to write, found a directory", at=str(path))
    if path.is_file() and not force:
        raise OutputError("the output file exists; give --force to replace it", at=str(path))
    if not path.parent.is_dir():
        raise OutputError("the directory of the output file does not exist", at=str(path))
    stream = path.exists() and not path.is_file()
    if not os.access(path if stream else path.parent, os.W_OK):
        raise OutputError("no permission to write the output file", at=str(path))


def refuse_ending(path: Path, wanted: str) -> None:
    """Raise UsageError unless the name ends in `wanted`: nobody looks for a page in a .csv."""
    if path.suffix != wanted and not path.is_char_device() and not path.is_fifo():
        raise click.UsageError(f"expected an output file ending in {wanted}, got {path.name!r}")


def refuse_store(path: Path | None) -> None:
    """Raise before long work when its result could not be stored: no directory, or not a results store."""
    if path is None:
        return
    if path.exists():
        from striate.results import Filter, entries

        entries(path, Filter(last=1))
    elif not path.parent.is_dir():
        raise OutputError("the directory of the results store does not exist", at=str(path))


def print_json(document: Any) -> None:
    """One JSON document on standard output, indented, keys in their own order."""

    say_json(documents.to_json(document))


def say(text: str, *, error: bool = False, newline: bool = True) -> None:
    """Print text on standard output, or on standard error; control characters of names in it are spelt out."""
    click.echo(printable(text), err=error, nl=newline)


def say_json(document: str) -> None:
    """Print a JSON document that ends its own last line."""
    click.echo(printable_json(document), nl=False)


@contextmanager
def progress(label: str, total: int | None = None) -> Iterator[Any]:
    """A callable that advances a bar on standard error; silent when that is not a terminal."""
    if not sys.stderr.isatty():
        yield lambda steps=1: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total)
        yield lambda steps=1: bar.advance(task, steps)


def deliver(document: Any, text: str, *, as_json: bool, output: Path | None, force: bool) -> None:
    """Print a result as JSON or as text, or write it to `output`."""
    if output is None:
        print_json(document) if as_json else say(text)
        return

    encoded = documents.to_json(document).rstrip("\n") if as_json else text
    write_output(output, encoded + "\n", force=force)
