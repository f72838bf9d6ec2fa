"""`striate results STORE`: list, filter, compare over time and export what was stored."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from striate import documents
from striate.cli.output import json_option, output_option, print_json, refuse_overwrite, say, write_output

if TYPE_CHECKING:
    from striate.results import Entry

SCHEMA = "striate.results/1"


@click.command()
@click.argument("store", type=click.Path(path_type=Path))
@click.option(
    "--kind",
    type=click.Choice(["predict", "probe", "validate", "tune"]),
    help="list only results of this command",
)
@click.option("--workload", help="list only results for the workload (program) of this name")
@click.option("--cluster", help="list only results for the cluster of this name")
@click.option("--layout", help="list only results with this file layout")
@click.option("--ranks", type=click.IntRange(min=1), help="list only results with this number of MPI ranks")
@click.option("--since", help="list only results made at or after this date, such as 2026-01-31")
@click.option("--last", type=click.IntRange(min=1), help="list only this many of the newest results")
@click.option(
    "--changes",
    "over_time",
    is_flag=True,
    help="print the first result, the last result and the change between them, in one line for all results with the "
    "same command, workload, cluster, layout and ranks",
)
@json_option
@output_option("export the listed results to a .parquet, .csv or .json file")
def command(
    store: Path,
    kind: str | None,
    workload: str | None,
    cluster: str | None,
    layout: str | None,
    ranks: int | None,
    since: str | None,
    last: int | None,
    over_time: bool,
    as_json: bool,
    output: Path | None,
    force: bool,
) -> None:
    """List the results in STORE, the file to which predict, simulate, probe, validate and tune append with --store."""
    from striate.results import Filter, entries
    from striate.results.changes import changes

    if output is not None:
        if output.suffix not in (".parquet", ".csv", ".json"):
            raise click.UsageError(
                f"expected an output file ending in .parquet, .csv or .json, got {output.name!r}"
            )
        refuse_overwrite(output, force=force)
    found = entries(store, Filter(kind, workload, cluster, layout, ranks, since, last))
    if output is not None:
        write_output(output, exported(found, output.suffix), force=force)
    if as_json:
        print_json({"schema": SCHEMA, "changes": changes(found)} if over_time else _document(found))
    else:
        say(changes_text(found) if over_time else entries_text(found))


def exported(found: Sequence[Entry], suffix: str) -> bytes:
    """The entries in the format that a file name asks for."""
    from striate.results import table

    if suffix == ".json":
        return documents.to_json(_document(found)).encode()
    return table.to_parquet(found) if suffix == ".parquet" else table.to_csv(found)


def _document(found: Sequence[Entry]) -> dict[str, object]:
    return {"schema": SCHEMA, "entries": found}


def entries_text(found: Sequence[Entry]) -> str:
    """One line per entry."""
    from striate.printable import columns

    subject = ("kind", "workload", "cluster", "layout", "ranks")
    rows = [("number", "made", *subject, "seconds", "low", "high", "measured"), *map(_line, found)]
    return columns(rows, numbers_from=6) if found else "no entries"


def _line(entry: Entry) -> tuple[str, ...]:
    bounds = ["-"] * 3
    if entry.seconds is not None:
        bounds = [_time(entry.seconds.estimate), _time(entry.seconds.low), _time(entry.seconds.high)]
    names = (_shown(name) for name in (entry.kind, entry.workload, entry.cluster, entry.layout))
    ranks = "-" if entry.ranks is None else f"{entry.ranks:,}"
    return (str(entry.number), _shown(entry.made[:19]), *names, ranks, *bounds, _time(entry.measured))


def changes_text(found: Sequence[Entry]) -> str:
    """One line for each thing that entries are about."""
    from striate.printable import columns
    from striate.results.changes import changes

    head = ("kind", "workload", "cluster", "layout", "ranks", "entries", "first", "last", "median", "change")
    rows: list[tuple[str, ...]] = [head]
    for change in changes(found):
        names = [_shown(name) for name in (change.kind, change.workload, change.cluster, change.layout)]
        when = [_shown(entry.made[:19]) for entry in (change.first, change.last)]
        ranks = "-" if change.ranks is None else f"{change.ranks:,}"
        share = "-" if change.share is None else f"{change.share:+.1%}"
        rows.append((*names, ranks, str(change.entries), *when, _time(change.median_seconds), share))
    return columns(rows, numbers_from=4) if found else "no entries"


def _time(seconds: float | None) -> str:
    from striate.units import about_seconds

    return "-" if seconds is None else about_seconds(seconds)


def _shown(text: str) -> str:
    """A name from a file: on one line, not endless."""
    from striate.printable import one_line

    clean = one_line(text)
    return clean if len(clean) <= 40 else clean[:39] + "…"
