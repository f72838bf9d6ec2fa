"""One process's events as rows of a trace: words for functions, completions joined, places resolved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from striate.layout.extents import Extents
from striate.record.clocks import Correction
from striate.record.files import RankFile
from striate.record.offsets import Accesses, resolve
from striate.record.part_names import MergedNames
from striate.record.regions import follow
from striate.trace.columns import operations
from striate.trace.functions import Meaning, meaning
from striate.trace.kinds import KINDS, LEVELS


def rows_of(part: RankFile, fix: Correction, origin: int, merged: MergedNames) -> pa.Table:
    """The rows of one process, its times on the common clock counted from `origin`."""
    events = part.events
    words = {number: name.decode("utf-8", "replace") for number, name in part.names["function"].items()}
    numbers, which = np.unique(events["function"], return_inverse=True)
    meanings = [meaning(words.get(int(number), "")) for number in numbers]
    called = np.array([words.get(int(number), "") for number in numbers] or [""])[which]
    calls = ~np.isin(called, ("complete", "half", "region_begin", "region_end"))
    start = fix.apply(events["start"].astype(np.int64)) - origin
    end = fix.apply(events["end"].astype(np.int64)) - origin
    start, end = np.maximum(start, 0), np.maximum(end, np.maximum(start, 0))
    kind = np.array([one.kind for one in meanings] or ["other"])[which]
    columns = _plain(part, events[calls], start[calls], end[calls], merged)
    columns |= _words(meanings, which[calls], called[calls], merged)
    level = np.array([one.level for one in meanings] or ["mpi"])[which]
    _completions(events, called, calls, end, columns, kind[calls])
    _halves(events, called, calls, columns)
    _files(part, events[calls], kind[calls], level[calls], meanings, which[calls], columns, merged)
    regions = _regions(part, events, called, start, columns, merged, int(end.max(initial=0)))
    return pa.concat_tables([operations(int(calls.sum()), columns), regions]).unify_dictionaries()


def _plain(part: RankFile, events: Any, start: Any, end: Any, merged: MergedNames) -> dict[str, Any]:
    return {
        "rank": part.rank,
        "thread": events["thread"],
        "bytes": np.maximum(events["bytes"], 0),
        "start": start,
        "end": end,
        "complete": end.copy(),
        "peer": events["peer"].copy(),
        "tag": events["tag"].copy(),
        "status": events["status"],
        "request": np.where(events["request"] > 0, events["request"].astype(np.int64), -1),
    }


def _words(meanings: Sequence[Meaning], which: Any, called: Any, merged: MergedNames) -> dict[str, Any]:
    names, place = np.unique(called, return_inverse=True)
    codes = np.array(
        [merged.functions.setdefault(str(name), len(merged.functions)) for name in names], np.int16
    )
    return {
        "kind": np.array([KINDS.index(one.kind) for one in meanings] or [0])[which],
        "level": np.array([LEVELS.index(one.level) for one in meanings] or [0])[which],
        "collective": np.array([one.collective for one in meanings] or [False])[which],
        "function": (codes[place] if len(names) else np.empty(0, np.int16), list(merged.functions)),
    }


def _completions(events: Any, called: Any, calls: Any, end: Any, columns: dict[str, Any], kind: Any) -> None:
    """Give every non-blocking operation the time, and every receive the status, of the wait that completed it."""
    done = events[called == "complete"]
    if not len(done):
        return
    order = np.argsort(done["request"], kind="stable")
    numbers, times = done["request"][order].astype(np.int64), end[called == "complete"][order]
    place = np.searchsorted(numbers, columns["request"])
    place[place == len(numbers)] = 0
    found = (columns["request"] > 0) & (numbers[place] == columns["request"])
    columns["complete"] = np.where(found, np.maximum(times[place], columns["end"]), columns["complete"])
    received = found & (kind == "recv")
    for name in ("peer", "tag"):
        known = received & (columns["peer"] != -2)
        columns[name] = np.where(known, done[name][order][place], columns[name])
    moved = found & np.isin(kind, ("recv", "read"))
    columns["bytes"] = np.where(moved, np.maximum(done["received"][order][place], 0), columns["bytes"])


def _halves(events: Any, called: Any, calls: Any, columns: dict[str, Any]) -> None:
    """The receiving halves stand behind their sendrecv, thread by thread."""
    rows = np.flatnonzero(np.char.startswith(called[calls], "MPI_Sendrecv"))
    halves = events[called == "half"]
    source, tag = np.full(int(calls.sum()), -1, np.int64), np.full(int(calls.sum()), -1, np.int64)
    received = np.zeros(int(calls.sum()), np.int64)
    for thread in np.unique(columns["thread"][rows]):
        mine = rows[columns["thread"][rows] == thread]
        theirs = halves[halves["thread"] == thread]
        count = min(len(mine), len(theirs))
        source[mine[:count]] = theirs["peer"][:count]
        tag[mine[:count]] = theirs["tag"][:count]
        received[mine[:count]] = np.maximum(theirs["received"][:count], 0)
    columns |= {"source": source, "source_tag": tag, "received": received}


def _files(
    part: RankFile,
    events: Any,
    kind: Any,
    level: Any,
    meanings: Sequence[Meaning],
    which: Any,
    columns: dict[str, Any],
    merged: MergedNames,
) -> None:
    rows = len(events)
    file, communicator = np.full(rows, -1, np.int64), np.full(rows, -1, np.int64)
    offset, blocks = np.full(rows, -1, np.int64), np.ones(rows, np.int64)
    stride, extents = np.zeros(rows, np.int64), np.full(rows, -1, np.int64)
    world = _communicators(part, merged)
    message, mpi, posix = level == "mpi", level == "mpi-io", level == "posix"
    communicator[message] = _looked_up(events["object"][message], world)
    used = set(np.unique(events["object"][posix]).tolist())
    paths = {
        number: merged.file(_path(name), {}) for number, name in part.names["path"].items() if number in used
    }
    file[posix] = _looked_up(events["object"][posix], paths)
    offset[posix] = events["offset"][posix]
    opens = {number: merged.file(*_opened(name)) for number, name in part.names["file"].items()}
    file[mpi] = _looked_up(events["object"][mpi], opens)
    _share_communicators(events, kind, mpi, world, communicator, columns)
    pointer = np.array([one.pointer for one in meanings] or [""])[which]
    accesses = Accesses(
        events["object"][mpi].astype(np.int64),
        kind[mpi],
        pointer[mpi],
        events["offset"][mpi],
        np.maximum(events["bytes"][mpi], 0),
        events["received"][mpi],
    )
    found = resolve(accesses, part.names["type"], merged.lists)
    offset[mpi], blocks[mpi] = found.offset, found.blocks
    stride[mpi], extents[mpi] = found.stride, found.extents
    merged.views_missed += found.views_missed
    merged.shared_pointers += found.shared_pointers
    blocking = mpi & (kind == "read") & (columns["request"] < 0)
    columns["bytes"] = np.where(blocking, np.maximum(events["received"], 0), columns["bytes"])
    columns["bytes"] = np.where(np.isin(kind, ("view", "wait")), 0, columns["bytes"])
    _lists(part, events, kind, message, extents, merged)
    columns |= {
        "file": file,
        "communicator": communicator,
        "offset": np.maximum(offset, -1),
        "blocks": blocks,
        "stride": stride,
        "extents": extents,
    }


def _communicators(part: RankFile, merged: MergedNames) -> dict[int, int]:
    """Numbers all ranks share: equal members, and the same turn among communicators of these members."""
    shared, turns = {0: 0}, dict[tuple[int, ...], int]()
    for number, content in sorted(part.names["communicator"].items()):
        members = tuple(np.frombuffer(content, np.int32, len(content) // 4).tolist())
        turn = turns.get(members, 0)
        turns[members] = turn + 1
        shared[number] = merged.communicators.setdefault((members, turn), len(merged.communicators) + 1)
    return shared


def _share_communicators(
    events: Any, kind: Any, mpi: Any, world: dict[int, int], communicator: Any, columns: Any
) -> None:
    """An MPI-IO operation takes place on the communicator its file was opened on."""
    opened = np.flatnonzero(mpi & (kind == "open"))
    by_open = {
        int(number): world.get(int(peer), -1)
        for number, peer in zip(events["object"][opened], events["peer"][opened], strict=True)
    }
    communicator[mpi] = _looked_up(events["object"][mpi], by_open)
    columns["peer"][mpi] = -1


def _lists(part: RankFile, events: Any, kind: Any, message: Any, extents: Any, merged: MergedNames) -> None:
    for row in np.flatnonzero(message & np.isin(kind, ("alltoallv", "neighbor", "rma"))).tolist():
        content = part.names["list"].get(int(events["offset"][row]))
        if content is not None:
            sizes = np.frombuffer(content, np.int64, len(content) // 8)
            extents[row] = merged.lists.number(
                Extents.trusted(np.arange(len(sizes), dtype=np.int64), np.maximum(sizes, 0))
            )


def _regions(
    part: RankFile,
    events: Any,
    called: Any,
    start: Any,
    columns: dict[str, Any],
    merged: MergedNames,
    end: int,
) -> pa.Table:
    marks = np.flatnonzero(np.isin(called, ("region_begin", "region_end")))
    number = {
        own: merged.regions.setdefault(name.decode("utf-8", "replace"), len(merged.regions))
        for own, name in part.names["region"].items()
    }
    regions = follow(
        [
            (
                int(events["thread"][row]),
                number.get(int(events["object"][row]), 0),
                called[row] == "region_begin",
                int(start[row]),
            )
            for row in (marks.tolist() if number else [])
        ],
        end=end,
    )
    columns["region"] = np.full(len(columns["start"]), -1, np.int64)
    for thread in regions.moments:
        mine = columns["thread"] == thread
        columns["region"][mine] = regions.at(thread, columns["start"][mine])
    if not regions.rows:
        return operations(0, {})
    threads, names, begin, stop = (np.array(column, np.int64) for column in zip(*regions.rows, strict=True))
    return operations(
        len(threads),
        {
            "rank": part.rank,
            "thread": threads,
            "kind": KINDS.index("region"),
            "level": LEVELS.index("program"),
            "region": names,
            "start": begin,
            "end": stop,
        },
    )


def _looked_up(numbers: Any, table: dict[int, int]) -> Any:
    if not len(numbers):
        return np.empty(0, np.int64)
    distinct, place = np.unique(numbers, return_inverse=True)
    return np.array([table.get(int(number), -1) for number in distinct], np.int64)[place]


def _path(name: bytes) -> str:
    return name.decode("utf-8", "replace")


def _opened(content: bytes) -> tuple[str, dict[str, str]]:
    path, _, text = content.partition(b"\0")
    lines = text.decode("utf-8", "replace").rstrip("\0").splitlines()
    name = _path(path)
    prefix, _, rest = name.partition(":")
    if rest.startswith("/") and prefix.isalnum():  # "ufs:/path": the driver is not part of the name
        name = rest
    return name, dict(line.split("=", 1) for line in lines if "=" in line)
