"""Reads the two files of a traced process; `core/shim/record.h` describes them."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.errors import TraceError
from striate.trace.header import MOST_RANKS

MAGIC = b"STRIATE1"
PAGE = 4096
HEAD = struct.Struct("<8s4i5Q48s256s256s4i2Q")
_NAME = struct.Struct("<IIq")
_SLOT = struct.Struct("<QII")
INSIDE, THREADS = 2048, 64  # where calls that threads are inside of stand in the first page, and how many
EVENT = np.dtype(
    [
        ("start", "<u8"), ("end", "<u8"), ("offset", "<i8"), ("bytes", "<i8"), ("received", "<i8"),
        ("object", "<i4"), ("peer", "<i4"), ("tag", "<i4"), ("request", "<u4"),
        ("function", "<u2"), ("thread", "<u2"), ("status", "<i4"),
    ]
)  # fmt: skip
KINDS = ("function", "file", "path", "type", "communicator", "list", "region", "clock", "program")
_LONGEST_CLOCK = 2**61
CALLED_MPI, STARTED, FORKED = 0, 1, 2  # how a process began: `enum how`
ENDED, REPLACED = 1, 3  # how it ended: by itself; by another program in its place


@dataclass(frozen=True, slots=True)
class ProcessInfo:
    """A process among its relatives: numbers of the system, and of a launcher such as torchrun (-1: none)."""

    number: int = 0
    parent: int = 0
    how: int = CALLED_MPI
    launch_rank: int = -1
    begun: int = 0  # nanoseconds on the events' clock
    ended: int = 0  # 0: not known


@dataclass(frozen=True, slots=True)
class UnfinishedCall:
    """A call that a thread was inside of when its process ended."""

    function: str
    start: int
    thread: int


@dataclass(frozen=True, slots=True, eq=False)
class RankFile:
    """One process: who it was, its events in the order they ended, and its names by kind and number."""

    rank: int
    size: int
    finished: int  # 0 killed, 1 finalized or ended, 2 aborted, 3 replaced by another program
    dropped: int
    wall: int
    clock: int
    boot: str
    host: str
    library: str
    events: NDArray[Any]
    names: dict[str, dict[int, bytes]]
    whole: bool
    inside: tuple[UnfinishedCall, ...] = ()  # calls that never returned
    process: ProcessInfo = ProcessInfo()

    def called(self, *functions: str) -> NDArray[np.bool_]:
        """Which events are calls of these functions."""
        wanted = {name.encode() for name in functions}
        numbers = [number for number, name in self.names["function"].items() if name in wanted]
        return np.isin(self.events["function"], numbers)


@dataclass(frozen=True, slots=True)
class Head:
    """Who a traced process was, and how its clock compares with the wall's."""

    rank: int
    size: int
    finished: int
    events: int
    dropped: int
    wall: int
    clock: int
    boot: str
    host: str
    library: str
    process: ProcessInfo


def read_head(page: bytes, *, source: str) -> Head:
    """The head of a process's files; raises TraceError when it is broken."""
    if len(page) < HEAD.size or page[:8] != MAGIC:
        raise TraceError("expected the event file of a traced process, found another file", source=source)
    _, rank, size, number, finished, count, dropped, _, wall, clock, *rest = HEAD.unpack_from(page)
    boot, host, library, parent, how, launch_rank, launch_size, begun, ended = rest
    child = how in (STARTED, FORKED) and (rank, size) == (-1, 0)
    if not (child or 0 <= rank < size <= MOST_RANKS) or max(wall, clock, begun, ended) >= _LONGEST_CLOCK:
        raise TraceError(f"the header of the event file is damaged (rank {rank} of {size})", source=source)
    launched = launch_rank if 0 <= launch_rank < launch_size else -1
    return Head(
        rank,
        size,
        finished,
        count,
        dropped,
        wall,
        clock,
        _text(boot),
        _text(host),
        _text(library),
        ProcessInfo(number, parent, how, launched, begun, ended),
    )


def read_part(path: Path) -> RankFile:
    """Read `path` (RANK.GENERATION.events) and the names beside it; raises TraceError when the head is broken."""
    with path.open("rb") as file:
        page = file.read(PAGE)
    head = read_head(page, source=str(path))
    rows = max(0, (path.stat().st_size - PAGE) // EVENT.itemsize)
    events = np.fromfile(path, EVENT, min(head.events, rows), offset=PAGE)
    names, names_whole = _names(path.with_suffix(".names"))
    sound = (events["function"] > 0) & (events["end"] >= events["start"]) & (events["end"] < _LONGEST_CLOCK)
    return RankFile(
        head.rank,
        head.size,
        head.finished,
        head.dropped,
        head.wall,
        head.clock,
        head.boot,
        head.host,
        head.library,
        events[sound],
        names,
        bool(sound.all()) and head.events <= rows and names_whole,
        _inside(page, names["function"]) if head.finished not in (ENDED, REPLACED) else (),
        head.process,
    )


def _inside(page: bytes, functions: dict[int, bytes]) -> tuple[UnfinishedCall, ...]:
    """Calls without a return; none in pages of tracers that did not write them down."""
    slots = page[INSIDE : INSIDE + THREADS * _SLOT.size]
    found = []
    for start, function, thread in _SLOT.iter_unpack(slots[: len(slots) // _SLOT.size * _SLOT.size]):
        if 0 < start < _LONGEST_CLOCK and function in functions and thread < THREADS:
            found.append(UnfinishedCall(functions[function].decode("utf-8", "replace"), start, thread))
    return tuple(found)


def _names(path: Path) -> tuple[dict[str, dict[int, bytes]], bool]:
    names: dict[str, dict[int, bytes]] = {kind: {} for kind in KINDS}
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return names, False
    at = 0
    while at + _NAME.size <= len(content):
        kind, length, number = _NAME.unpack_from(content, at)
        at += _NAME.size
        if not 1 <= kind <= len(KINDS) or at + length > len(content):
            return names, False
        names[KINDS[kind - 1]][number] = content[at : at + length]
        at += length
    return names, at == len(content)


def _text(content: bytes) -> str:
    return content.split(b"\0", 1)[0].decode("utf-8", "replace").strip()
