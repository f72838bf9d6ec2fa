"""`striate check CLUSTER`: understand a cluster description, print what was understood, draw it."""

from __future__ import annotations

from pathlib import Path

import click

from striate.cli.output import json_option, output_option, print_json, refuse_overwrite, say, write_output
from striate.errors import OutputError
from striate.printable import one_line

MOST_RANKS = 10_000_000


@click.command()
@click.argument("cluster")
@json_option
@output_option("draw the topology into this .svg or .png file")
@click.option(
    "--ranks", type=click.IntRange(1, MOST_RANKS), help="also show on which nodes this many MPI ranks run"
)
def command(cluster: str, as_json: bool, output: Path | None, force: bool, ranks: int | None) -> None:
    """Check the cluster description CLUSTER (a TOML file or the name of a bundled machine) and print it as a table."""
    from striate.cluster.load import load_cluster
    from striate.pages.topology.document import document
    from striate.pages.topology.draw import draw, draw_png
    from striate.pages.topology.outline import sections

    if output is not None:
        _refuse_output(output, force=force)
    machine = load_cluster(cluster)
    placement = machine.place(ranks) if ranks is not None else None
    if output is not None:
        write_output(output, draw_png(machine) if output.suffix == ".png" else draw(machine), force=force)
    if as_json:
        print_json(document(machine, placement))
    else:
        say(table(machine.name, machine.source, sections(machine, placement)))


def _refuse_output(output: Path, *, force: bool) -> None:
    if output.suffix not in (".svg", ".png"):
        raise OutputError(
            f"expected a file name that ends in .svg or .png, got {output.name!r}", at=str(output)
        )
    refuse_overwrite(output, force=force)


def table(name: str, source: str, sections: list[tuple[str, list[tuple[str, str]]]]) -> str:
    """The name, the sections with aligned labels, and the source of the numbers."""
    width = max(len(label) for _, lines in sections for label, _ in lines)
    text = [one_line(name)]
    for title, lines in sections:
        text += ["", title]
        text += [f"  {one_line(label):<{width}}  {one_line(value)}" for label, value in lines]
    return "\n".join([*text, *_source(source)])


def _source(source: str) -> list[str]:
    """The source, wrapped."""
    import textwrap

    if not source.strip():
        return []
    lines = ["", "Where the numbers come from"]
    for paragraph in source.strip().splitlines():
        lines += textwrap.wrap(one_line(paragraph), 100, initial_indent="  ", subsequent_indent="  ")
    return lines
