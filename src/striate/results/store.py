"""The SQLite file: opened so that many processes can append at once, and refused in one line when it is not ours."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from striate.errors import ResultsError
from striate.interval import Interval
from striate.results.entry import KINDS, Entry, Filter

SCHEMA = 1
_OURS = 0x53545249  # "STRI", SQLite's application_id
_WAIT_SECONDS = 30.0  # for another writer
_COLUMNS = (
    *("made", "kind", "workload", "cluster", "layout", "ranks", "seconds", "low", "high", "measured"),
    *("setup", "versions", "results"),
)
_TABLE = """CREATE TABLE entry (
    number INTEGER PRIMARY KEY, made TEXT NOT NULL, kind TEXT NOT NULL, workload TEXT NOT NULL,
    cluster TEXT NOT NULL, layout TEXT NOT NULL, ranks INTEGER, seconds REAL, low REAL, high REAL, measured REAL,
    setup TEXT NOT NULL, versions TEXT NOT NULL, results TEXT NOT NULL)"""


def append(path: str | os.PathLike[str], *new: Entry) -> None:
    """Add entries in one transaction, making the file when there is none; raises ResultsError."""
    for entry in new:
        if entry.kind not in KINDS:
            raise ResultsError(
                f"expected a results entry of a kind among {', '.join(KINDS)}, got {entry.kind!r:.60}"
            )
    rows = [_row(entry) for entry in new]
    marks = ", ".join("?" * len(_COLUMNS))
    with _opened(path, create=True) as base:
        base.execute("BEGIN IMMEDIATE")
        _prepare(base)
        base.executemany(f"INSERT INTO entry ({', '.join(_COLUMNS)}) VALUES ({marks})", rows)
        base.execute("COMMIT")


def entries(path: str | os.PathLike[str], wanted: Filter = Filter()) -> list[Entry]:  # noqa: B008 - frozen
    """The entries that meet `wanted`, oldest first; raises ResultsError when the file is no results store."""
    where, values = _conditions(wanted)
    query = f"SELECT number, {', '.join(_COLUMNS)} FROM entry{where} ORDER BY number DESC"
    with _opened(path, create=False) as base:
        _check(base)
        rows = base.execute(
            query + " LIMIT ?", [*values, -1 if wanted.last is None else wanted.last]
        ).fetchall()
    return [_entry(row, os.fspath(path)) for row in reversed(rows)]


@contextmanager
def _opened(path: str | os.PathLike[str], *, create: bool) -> Iterator[sqlite3.Connection]:
    """A connection without implicit transactions; every refusal of SQLite becomes one line."""
    name = os.fspath(path)
    if not create and not Path(name).is_file():
        raise ResultsError("no such results store", source=name)
    mode = "rwc" if create else "ro"
    try:
        address = f"{Path(name).absolute().as_uri()}?mode={mode}"
        with closing(sqlite3.connect(address, uri=True, timeout=_WAIT_SECONDS, isolation_level=None)) as base:
            base.execute("PRAGMA trusted_schema = OFF")
            yield base
    except ResultsError as error:
        raise error.in_source(name) from None
    except (sqlite3.Error, UnicodeError, ValueError) as error:
        raise ResultsError(f"the file is not a usable results store: {error}", source=name) from None


def _prepare(base: sqlite3.Connection) -> None:
    """Make the table in a new file; refuse another program's file."""
    empty = base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
    if empty:
        base.execute(_TABLE)
        base.execute(f"PRAGMA application_id = {_OURS}")
        base.execute(f"PRAGMA user_version = {SCHEMA}")
    _check(base)


def _check(base: sqlite3.Connection) -> None:
    if base.execute("PRAGMA application_id").fetchone()[0] != _OURS:
        raise ResultsError("expected a results store of striate, found another database")
    found = base.execute("PRAGMA user_version").fetchone()[0]
    if found != SCHEMA:
        raise ResultsError(f"expected a results store of schema version {SCHEMA}, found version {found}")


def _conditions(wanted: Filter) -> tuple[str, list[Any]]:
    equal = [(name, getattr(wanted, name)) for name in ("kind", "workload", "cluster", "layout", "ranks")]
    parts = [(f"{name} = ?", value) for name, value in equal if value is not None]
    if wanted.since is not None:
        parts.append(("made >= ?", wanted.since))
    return " WHERE " * bool(parts) + " AND ".join(part for part, _ in parts), [value for _, value in parts]


def _row(entry: Entry) -> tuple[Any, ...]:
    bounds: tuple[float | None, ...] = (None, None, None)
    if entry.seconds is not None:
        bounds = (entry.seconds.estimate, entry.seconds.low, entry.seconds.high)
    plain = (entry.made, entry.kind, entry.workload, entry.cluster, entry.layout, entry.ranks)
    documents = (dict(entry.setup), dict(entry.versions), entry.results)
    return (*plain, *bounds, entry.measured, *(_text(document) for document in documents))


def _text(document: Any) -> str:
    import msgspec

    return msgspec.json.encode(document).decode()


def _entry(row: tuple[Any, ...], source: str) -> Entry:
    """A row read back; what a stranger may have written into it is checked."""
    number, made, kind, workload, cluster, layout, ranks, seconds, low, high, measured, *documents = row
    try:
        setup, versions, results = (json.loads(document) for document in documents)
        bounds = None if seconds is None else Interval(low, seconds, high)
        names = (made, kind, workload, cluster, layout)
        if not all(isinstance(name, str) for name in names) or not isinstance(setup, dict):
            raise TypeError("a column of the results store has the wrong type")
        if not isinstance(ranks, int | None) or not isinstance(measured, float | None):
            raise TypeError("a column of the results store has the wrong type")
        return Entry(
            *(kind, workload, cluster, layout, ranks, bounds, measured),
            *(setup, results, dict(versions), made, number),
        )
    except (ValueError, TypeError, RecursionError) as error:
        raise ResultsError(f"a damaged entry: {error}", at=f"entry {number}", source=source) from None
