"""Paraver's text traces: states for operations, events for bytes and offsets, messages where both ends are known."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from striate.trace.kinds import KINDS
from striate.trace.trace import Trace

BYTES_EVENT, OFFSET_EVENT, FILE_EVENT = 70_000_001, 70_000_002, 70_000_003


@dataclass(frozen=True, slots=True)
class Paraver:
    """The three files: records, what their numbers mean, names of rows."""

    records: str  # .prv
    meanings: str  # .pcf
    rows: str  # .row


def encode(trace: Trace) -> Paraver:
    """States are `1 + kind`; times are nanoseconds. Only ranks are told of."""
    trace = trace.of_ranks()
    length = int(trace.column("end").max(initial=0))
    stamp = time.strftime("%d/%m/%y at %H:%M", time.gmtime(trace.header.started / 1e9))
    hosts = max(len(trace.header.hosts), 1)
    tasks = ",".join(f"1:{_node(trace, rank)}" for rank in range(trace.ranks))
    head = f"#Paraver ({stamp}):{length}_ns:{hosts}({','.join(['1'] * hosts)}):1:{trace.ranks}({tasks})\n"
    lines = sorted(_lines(trace), key=lambda line: line[0])
    return Paraver(head + "".join(text for _, text in lines), _meanings(trace), _rows(trace))


def _node(trace: Trace, rank: int) -> int:
    return trace.header.host_of_rank[rank] + 1 if trace.header.host_of_rank else 1


def _lines(trace: Trace) -> Iterator[tuple[int, str]]:
    names = ("rank", "kind", "start", "end", "bytes", "offset", "file")
    calls = trace.where(~trace.at_level("program"))
    top = calls.where(~calls.at_level("posix") | ~_covered(calls))
    for rank, kind, start, end, size, offset, file in zip(
        *(top.column(name).tolist() for name in names), strict=True
    ):
        place = f"{rank + 1}:1:{rank + 1}:1"
        yield start, f"1:{place}:{start}:{end}:{kind + 1}\n"
        if size:
            more = f":{OFFSET_EVENT}:{offset}" if offset >= 0 else ""
            more += f":{FILE_EVENT}:{file + 1}" if file >= 0 else ""
            yield start, f"2:{place}:{start}:{BYTES_EVENT}:{size}{more}\n"


def _covered(trace: Trace) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Rows that lie inside an earlier row of their rank: Paraver's states do not nest."""
    rank, start, end = (trace.column(name) for name in ("rank", "start", "end"))
    found = np.zeros(len(trace), bool)
    if len(trace):
        first = np.flatnonzero(np.append(True, rank[1:] != rank[:-1]))
        for low, high in zip(first, np.append(first[1:], len(trace)), strict=True):
            reach = np.maximum.accumulate(end[low:high])
            found[low + 1 : high] = start[low + 1 : high] < reach[:-1]
    return found


def _meanings(trace: Trace) -> str:
    states = "".join(f"{number + 1} {kind}\n" for number, kind in enumerate(KINDS))
    events = "".join(
        f"\nEVENT_TYPE\n0 {number} {name}\n"
        for number, name in ((BYTES_EVENT, "bytes"), (OFFSET_EVENT, "offset"))
    )
    files = "".join(f"{number + 1} {name}\n" for number, name in enumerate(trace.file_names()))
    return f"STATES\n0 compute\n{states}{events}\nEVENT_TYPE\n0 {FILE_EVENT} file\nVALUES\n{files}"


def _rows(trace: Trace) -> str:
    names = "".join(f"rank {rank}\n" for rank in range(trace.ranks))
    return f"LEVEL THREAD SIZE {trace.ranks}\n{names}"
