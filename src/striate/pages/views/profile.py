"""Profiles: per function, file, rank, phase and region - how often, how much, how long, how fast, and who was worst."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.pages.names import shown_name
from striate.pages.page import View
from striate.pages.run import Run
from striate.trace.kinds import KINDS, LEVELS
from striate.trace.trace import Trace
from striate.units import about_size

MOST_LINES = 400  # of a table, those that took longest
_MOST_OF_DATA = 0.95  # who moves this share of the bytes is said to do the I/O
Line = list[Any]


def view(runs: Sequence[Run]) -> View | None:
    """Tables for every trace; None without one."""
    parts = [
        {"name": shown_name(run.name), "origin": run.origin} | profile_of(run.trace)
        for run in runs
        if run.trace is not None and len(run.trace)
    ]
    return View("profile", "Profiles", {"parts": parts}) if parts else None


def profile_of(trace: Trace) -> dict[str, Any]:
    """Tables with their columns' names and units, and what they say in words."""
    own = trace.of_ranks()
    tables = [
        _table(
            "function",
            ("operations", "bytes", "seconds", "mean seconds", "rate", "worst rank"),
            functions(own),
        ),
        _table("file", ("operations", "bytes", "seconds", "rate", "ranks"), files(trace)),
        _table(
            "rank", ("operations", "bytes", "seconds in I/O", "seconds in messages", "rate"), ranks(trace)
        ),
        _table("phase", ("start", "seconds", "operations", "bytes", "rate", "ranks"), phases(trace)),
        _table("region", ("operations", "seconds", "mean seconds", "worst rank"), regions(own)),
    ]
    return {"tables": [table for table in tables if table["lines"]], "words": words(trace)}


def _table(title: str, columns: Sequence[str], lines: list[Line]) -> dict[str, Any]:
    at = 1 + next(number for number, name in enumerate(columns) if name.startswith("seconds"))
    lines.sort(key=lambda line: -line[at])
    return {
        "title": title,
        "columns": list(columns),
        "lines": lines[:MOST_LINES],
        "more": max(0, len(lines) - MOST_LINES),
    }


def functions(trace: Trace) -> list[Line]:
    """By level and name of the call, or kind of operation where the recorder gave none; regions left out."""
    rows = np.flatnonzero(~trace.of_kind("region"))
    names = trace.functions()
    level, kind, function = (
        trace.column(name)[rows].astype(np.int64) for name in ("level", "kind", "function")
    )
    key = (level * len(KINDS) + kind) * len(names) + function
    found = []
    for code, sums in _summed(trace, rows, key):
        level_code, rest = divmod(code, len(KINDS) * len(names))
        kind_code, name_code = divmod(rest, len(names))
        label = names[name_code] or KINDS[kind_code]
        count, size, seconds, worst = sums
        rate = size / seconds if seconds and size else None
        found.append(
            [
                f"{shown_name(label, 80)} ({LEVELS[level_code]})",
                count,
                size,
                seconds,
                seconds / count,
                rate,
                worst,
            ]
        )
    return found


def regions(trace: Trace) -> list[Line]:
    """By name of the region."""
    rows = np.flatnonzero(trace.of_kind("region") & (trace.column("region") >= 0))
    return [
        [shown_name(trace.header.regions[code], 120), count, seconds, seconds / count, worst]
        for code, (count, _, seconds, worst) in _summed(
            trace, rows, trace.column("region")[rows].astype(np.int64)
        )
    ]


def files(trace: Trace) -> list[Line]:
    return [
        [
            shown_name(row["file"], 160),
            row["operations"],
            size := row["bytes_read"] + row["bytes_written"],
            row["seconds"],
            size / row["seconds"] if row["seconds"] and size else None,
            row["ranks"],
        ]
        for row in trace.per_file().to_pylist()
        if row["operations"]
    ]


def ranks(trace: Trace) -> list[Line]:
    found = []
    for row in trace.per_rank().to_pylist():
        size = row["bytes_read"] + row["bytes_written"]
        rate = size / row["io_seconds"] if row["io_seconds"] and size else None
        found.append(
            [f"rank {row['rank']}", row["operations"], size, row["io_seconds"], row["message_seconds"], rate]
        )
    return found


def phases(trace: Trace) -> list[Line]:
    found = []
    for number, row in enumerate(trace.per_phase().to_pylist()):
        size, seconds = row["bytes_read"] + row["bytes_written"], row["end"] - row["start"]
        rate = size / seconds if seconds and size else None
        found.append(
            [f"phase {number + 1}", row["start"], seconds, row["operations"], size, rate, row["ranks"]]
        )
    return found


def words(trace: Trace) -> list[str]:
    """Who really does the I/O: the ranks behind most bytes that reach the operating system."""
    below = np.flatnonzero(trace.at_level("posix") & trace.of_kind("read", "write"))
    above = trace.at_level("mpi-io") & trace.of_kind("read", "write")
    if not len(below) or not above.any():
        return []
    size = np.bincount(trace.column("rank")[below], trace.column("bytes")[below].astype(float), trace.ranks)
    order = np.argsort(-size, kind="stable")
    cumulative = np.cumsum(size[order])
    count = int(np.searchsorted(cumulative, _MOST_OF_DATA * cumulative[-1])) + 1
    asking = len(np.unique(trace.column("rank")[above]))
    named = ", ".join(str(rank) for rank in sorted(order[:count].tolist())[:16]) + (
        ", ..." if count > 16 else ""
    )
    who = f"rank {named}" if count == 1 else f"{count} ranks ({named})"
    return [
        f"{asking} of {trace.ranks} ranks ask for data through MPI-IO; {who} of them move {_MOST_OF_DATA:.0%} or more "
        f"of the {about_size(int(cumulative[-1]))} that reach the operating system."
    ]


def _summed(
    trace: Trace, rows: NDArray[np.int64], key: NDArray[np.int64]
) -> list[tuple[int, tuple[int, int, float, str]]]:
    """For every key: operations, bytes, seconds over all ranks, and the rank with most seconds."""
    if not len(rows):
        return []
    codes, place = np.unique(key, return_inverse=True)
    place = np.ravel(place)
    seconds = (trace.column("end")[rows] - trace.column("start")[rows]) / 1e9
    size = np.zeros(len(codes), np.int64)
    np.add.at(size, place, trace.column("bytes")[rows].astype(np.int64))
    count, total = np.bincount(place), np.bincount(place, seconds)
    pairs, at = np.unique(place * trace.ranks + trace.column("rank")[rows], return_inverse=True)
    of_pair = np.bincount(np.ravel(at), seconds)
    order = np.lexsort((of_pair, pairs // trace.ranks))
    last = np.append(np.flatnonzero(np.diff(pairs[order] // trace.ranks)), len(order) - 1)
    worst = [f"{int(pairs[order[i]] % trace.ranks)}" for i in last]
    return [
        (int(code), (int(count[i]), int(size[i]), float(total[i]), worst[i]))
        for i, code in enumerate(codes.tolist())
    ]
