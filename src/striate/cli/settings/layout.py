"""`striate layout`: draw a layout, tell where bytes go, measure accesses, and advise."""

from __future__ import annotations

from pathlib import Path

import click

from striate.cli.output import (
    deliver,
    json_option,
    output_option,
    print_json,
    refuse_overwrite,
    say,
    write_output,
)
from striate.cli.settings.layout_advice import advise, measure, patterns
from striate.errors import OutputError
from striate.printable import columns

LOCATE_SCHEMA = "striate.layout.locate/1"
LUSTRE_SCHEMA = "striate.layout.lustre/1"
DRAW_SCHEMA = "striate.layout.draw/1"


@click.group()
def command() -> None:
    """Draw a file layout, locate bytes in it, measure how it serves accesses, or recommend a layout.

    A layout says which server stores which bytes of a file. LAYOUT has one of these forms:

    \b
        basic                            the whole file on one server
        simple:SERVERS:UNIT              units of UNIT bytes, round-robin
        varstrip:SERVER:SIZE;...         in each round, SIZE bytes on each SERVER
        twod:SERVERS:UNIT:GROUPS:FACTOR  FACTOR rounds over one of GROUPS groups
                                         of servers, then over the next group
        grouped:SERVERS:DOMAIN:FACTOR[:ALIGNMENT]
                                         DOMAIN bytes of each rank, in FACTOR
                                         aligned blocks, round-robin
        hash:SERVERS:UNIT[:NAME]         units on servers chosen by a hash
        lustre:SERVERS:OPTIONS           OPTIONS of `lfs setstripe`

    For example, simple:8:64KiB stripes a file over 8 servers in units of 64 KiB.
    """


@command.command()
@click.argument("layout")
@click.argument("offsets", nargs=-1, required=True, metavar="OFFSET...")
@json_option
@output_option("write the answer to this file")
def locate(layout: str, offsets: tuple[str, ...], as_json: bool, output: Path | None, force: bool) -> None:
    """Print which server of LAYOUT stores the byte at each OFFSET, and at which position on this server.

    OFFSET is a position in the file, such as 0, 70000 or 1MiB. LAYOUT is a file layout such as simple:8:64KiB, that is
    a file striped over 8 servers in units of 64 KiB; `striate layout --help` lists all forms.
    """
    from striate.layout.parse import parse
    from striate.units import size

    if output is not None:
        refuse_overwrite(output, force=force)
    rule, wanted = parse(layout), [size(offset) for offset in offsets]
    servers, physical = rule.locate(wanted)
    columns = (wanted, servers.tolist(), physical.tolist(), rule.run_length(wanted).tolist())
    names = ("offset", "server", "physical", "run_length")
    places = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    document = {"schema": LOCATE_SCHEMA, "layout": str(rule), "servers": rule.servers, "places": places}
    deliver(document, _table(places), as_json=as_json, output=output, force=force)


@command.command()
@click.argument("words")
@click.option(
    "--servers",
    type=click.IntRange(1, 2000),
    required=True,
    help="number of object storage targets (OSTs) of the file system",
)
@json_option
@output_option("write the answer to this file")
def lustre(words: str, servers: int, as_json: bool, output: Path | None, force: bool) -> None:
    """Print a Lustre layout in the notation of Striate, which `striate predict --layout` accepts.

    WORDS is the layout, either as "lfs setstripe OPTIONS" or as a file with the output of `lfs getstripe`.
    """
    from striate.layout.lfs import from_getstripe, from_setstripe, setstripe_command

    if output is not None:
        refuse_overwrite(output, force=force)
    path = Path(words)
    if len(words) < 4096 and path.is_file():
        layout = from_getstripe(path.read_text(errors="replace"), servers=servers)
    else:
        layout = from_setstripe(words, servers=servers)
    made = setstripe_command(layout, "DIRECTORY")
    document = {
        "schema": LUSTRE_SCHEMA,
        "layout": str(layout),
        "command": made,
        "components": layout.components,
    }
    deliver(document, f"{layout.describe()}\n{layout}\n{made}", as_json=as_json, output=output, force=force)


@command.command()
@click.argument("layout")
@click.option("--byte", "offset", help="mark this byte, such as 0, 70000 or 1MiB")
@json_option
@output_option("write the picture to this .svg file")
def draw(layout: str, offset: str | None, as_json: bool, output: Path | None, force: bool) -> None:
    """Draw the first strips (contiguous pieces of a file) of LAYOUT and the servers that store them, as SVG.

    LAYOUT is a file layout such as simple:8:64KiB, that is a file striped over 8 servers in units of 64 KiB; `striate
    layout --help` lists all forms.
    """
    from striate.layout.draw import draw as picture
    from striate.layout.parse import parse
    from striate.layout.picture import shown_strips
    from striate.units import size

    if output is not None:
        _refuse_name(output)
        refuse_overwrite(output, force=force)
    rule, byte = parse(layout), None if offset is None else size(offset)
    image = picture(rule, byte)
    if output is not None:
        write_output(output, image, force=force)
    if as_json:
        names = ("number", "offset", "size", "server", "physical")
        strips = [{name: getattr(strip, name) for name in names} for strip in shown_strips(rule, byte)]
        print_json({"schema": DRAW_SCHEMA, "layout": str(rule), "servers": rule.servers, "strips": strips})
    elif output is None:
        say(image, newline=False)


def _refuse_name(output: Path) -> None:
    if output.suffix != ".svg":
        raise OutputError(f"expected a file name that ends in .svg, got {output.name!r}", at=str(output))


def _table(places: list[dict[str, int]]) -> str:
    """Columns to the right, a title above each."""
    titles = {
        "offset": "byte",
        "server": "server",
        "physical": "position there",
        "run_length": "bytes to strip end",
    }
    rows = [[str(place[name]) for name in titles] for place in places]
    return columns([list(titles.values()), *rows], numbers_from=0)


for _one in (measure, advise, patterns):
    command.add_command(_one)
