"""Reads OTF2 archives: a row for every region entered and left, with what I/O and message records say inside it.

OTF2 has no offsets of its own; they are known only where an attribute gives them, as in archives that striate wrote.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from striate.errors import TraceError
from striate.formats.readers.otf2_events import APART, BETWEEN, TOO_MANY_ROWS
from striate.limits import ReadBudget
from striate.trace.columns import operations
from striate.trace.functions import meaning
from striate.trace.header import Flag, Header, TracedCommunicator, TracedFile
from striate.trace.kinds import KINDS, LEVELS
from striate.trace.trace import Trace

ANCHOR = "traces.otf2"
_LEAST_ADDRESSES, _ADDRESSES_PER_BYTE = 4 << 30, 32  # of the reader, beside and per byte that it may unpack
_RANK = re.compile(r"\D*(\d+)")


def recognises(path: Path, head: bytes) -> bool:
    return (path / ANCHOR).is_file() if path.is_dir() else path.suffix == ".otf2" or head.startswith(b"OTF2")


def read(path: Path) -> Trace:
    """Read an archive, given by its directory or its anchor file; raises TraceError when it cannot be read."""
    anchor = path / ANCHOR if path.is_dir() else path
    parts = (anchor, anchor.with_suffix(".def"), anchor.with_suffix(""))
    budget = ReadBudget.of(*(part for part in parts if part.exists()))
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "rows.arrow"
        _run(anchor, target, budget)
        with pa.memory_map(str(target)) as source:
            table = pa.ipc.open_file(source).read_all()
    return _trace(table)


def _run(anchor: Path, target: Path, budget: ReadBudget) -> None:
    most_rows = str(budget.most_rows)
    command = [
        sys.executable,
        "-m",
        "striate.formats.readers.otf2_events",
        str(anchor),
        str(target),
        most_rows,
    ]
    environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    try:
        ran = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=budget.most_seconds,
            env=environment,
            preexec_fn=partial(_limit, _LEAST_ADDRESSES + _ADDRESSES_PER_BYTE * budget.most_bytes),
            check=False,
        )
    except subprocess.TimeoutExpired:
        budget.begun -= budget.most_seconds
        budget.look()
    if "No module named 'otf2'" in ran.stderr:
        raise TraceError("reading OTF2 needs a package that is not installed: pip install 'striate[otf2]'")
    if ran.returncode == TOO_MANY_ROWS:
        budget.take_rows(budget.most_rows + 1)
    if ran.returncode or not target.is_file():
        reason = ran.stderr.strip().splitlines()[-1:] or [f"its reader ended with status {ran.returncode}"]
        raise TraceError(f"a damaged OTF2 archive: {reason[0][:200]}")


def _limit(most: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = most if hard == resource.RLIM_INFINITY else min(hard, most)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def _trace(table: pa.Table) -> Trace:
    if not table.num_rows:
        raise TraceError("the archive has no region with an enter and a leave event")
    locations, location = _coded(table, "location")
    regions, region = _coded(table, "region")
    files, file = _coded(table, "file")
    ranks, threads = _ranks(locations)
    communicators, communicator = _communicators(table, dict(zip(locations, ranks, strict=True)))
    what = [_meaning(name) for name in regions]
    levels = [LEVELS.index(one[1]) for one in what]
    start, end = (np.asarray(table.column(name).to_numpy()) for name in ("start", "end"))
    begun = int(start.min())
    level = np.array(levels, np.int64)[region]
    told, level_code = _coded(table, "level")
    known = np.array([LEVELS.index(word) if word in LEVELS else -1 for word in told] or [-1])[level_code]
    level = np.where((level_code >= 0) & (known >= 0), known, level)
    named = np.array([one[0] for one in what])[region]
    marks = level == LEVELS.index("program")
    columns: dict[str, Any] = {
        "rank": np.array(ranks, np.int64)[location],
        "thread": np.array(threads, np.int64)[location],
        "communicator": communicator,
        "level": level,
        "kind": np.where(marks, KINDS.index("region"), named),
        "collective": np.array([one[2] for one in what])[region],
        "function": (region, regions),
        "file": file,
        "start": start - begun,
        "end": np.maximum(end, start) - begun,
        "region": np.where(marks, region, -1),
    }
    for name, missing in (("bytes", 0), ("offset", -1), ("peer", -1), ("tag", -1)):
        values = table.column(name).fill_null(missing).to_numpy()
        columns[name] = np.clip(values, missing, 2**62 if name in ("bytes", "offset") else 2**31 - 1)
    header = Header(
        max(ranks) + 1,
        "OTF2",
        files=tuple(TracedFile(name) for name in files),
        communicators=communicators,
        regions=tuple(regions),
    ).flagged(
        Flag("offset-unknown", "OTF2 records no offsets; they are known only where attributes give them")
    )
    return Trace.of(operations(table.num_rows, columns), header)


def _coded(table: pa.Table, name: str) -> tuple[list[str], Any]:
    column = table.column(name).combine_chunks().dictionary_encode()
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return column.dictionary.to_pylist(), np.asarray(column.indices.fill_null(-1).to_numpy()).astype(np.int64)


def _ranks(locations: list[str]) -> tuple[list[int], list[int]]:
    """(rank, thread) of each location: the first number in its process's name ("MPI Rank 3"), or else in its own.

    Locations of one process are its threads, as they were first seen; where no name has a number, each is a rank.
    """
    processes, names = zip(*(location.split(APART, 1) for location in locations), strict=True)
    for words in (processes, names):
        found = [_RANK.match(word) for word in words]
        if all(match is not None and len(match[1]) < 8 and int(match[1]) < 2**20 for match in found):
            ranks = [int(match[1]) for match in found if match]
            turns: dict[int, Iterator[int]] = {rank: count() for rank in ranks}
            return ranks, [next(turns[rank]) for rank in ranks]
    return list(range(len(locations))), [0] * len(locations)


def _communicators(table: pa.Table, ranks: dict[str, int]) -> tuple[tuple[TracedCommunicator, ...], Any]:
    """The header's communicators, the world first, and the number of each row's."""
    texts, code = _coded(table, "communicator")
    everyone = tuple(range(max(ranks.values()) + 1))
    found, number = [TracedCommunicator("world")], []
    for text in texts:
        name, *places = text.split(BETWEEN)
        members = tuple(ranks[one] for one in places if one in ranks)
        known = bool(places) and len(members) == len(places) == len(set(members))
        if not known or members == everyone:
            number.append(0 if members == everyone else -1)
            continue
        number.append(len(found))
        found.append(TracedCommunicator(name, members))
    return tuple(found), np.array([*number, -1], np.int64)[code]


def _meaning(region: str) -> tuple[int, str, bool]:
    """(kind, level, collective) of a region: a kind of ours, or a function of MPI or POSIX."""
    plain = region.removesuffix("_all")
    if plain in KINDS:
        return KINDS.index(plain), "mpi-io" if plain != region else "mpi", plain != region
    one = meaning(region)
    if one.kind == "other":
        return KINDS.index("region"), "program", False
    return KINDS.index(one.kind), one.level, one.collective
