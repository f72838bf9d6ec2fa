"""What traces say about single operations, seconds against bytes: messages by distance, writes, reads, flushes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.cluster.cluster import Cluster
from striate.cluster.placement import Placement
from striate.trace.analysis.tables import front
from striate.trace.trace import Trace

Floats = NDArray[np.float64]
_BINS_PER_DOUBLING = 2


@dataclass(frozen=True, slots=True, eq=False)
class Observed:
    """Seconds and bytes of operations of one sort."""

    bytes: Floats
    seconds: Floats

    @classmethod
    def joined(cls, parts: Sequence[Observed]) -> Observed:
        return cls(
            np.concatenate([one.bytes for one in parts]), np.concatenate([one.seconds for one in parts])
        )

    def binned(self) -> tuple[list[int], list[Floats]]:
        """Sizes (half octaves, by their median) and the seconds of each."""
        moved = self.bytes > 0
        size, seconds = self.bytes[moved], self.seconds[moved]
        place = np.floor(np.log2(size) * _BINS_PER_DOUBLING).astype(np.int64)
        bins = [place == number for number in np.unique(place)]
        return [int(np.median(size[rows])) for rows in bins], [seconds[rows] for rows in bins]


def messages(trace: Trace, cluster: Cluster) -> dict[str, Observed]:
    """Messages by distance: within a socket, between sockets, between nodes.

    The receiver's call tells how long a message took when the message came after it; sendrecv tells it on both sides.
    """
    placement = cluster.place(trace.ranks)
    rows = trace.of_kind("sendrecv", "recv") & trace.at_level("mpi") & (trace.column("request") < 0)
    level = _levels(trace, placement, rows)
    size = np.maximum(trace.column("bytes"), trace.column("received"))
    return {name: _taken(trace, rows & (level == number), size) for number, name in enumerate(_LEVELS)}


_LEVELS = ("same socket", "two sockets", "two nodes")


def _levels(trace: Trace, placement: Placement, rows: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The distance of every row's partner; -1 where it has none in the world."""
    partner = np.where(trace.of_kind("recv"), trace.column("peer"), trace.column("source"))
    rank = trace.column("rank")
    world = rows & (partner >= 0) & (partner < trace.ranks) & (rank >= 0)
    level = np.full(len(trace), -1, np.int64)
    mine, other = rank[world], partner[world]
    apart = placement.node[mine] != placement.node[other]
    level[world] = np.where(apart, 2, placement.socket[mine] != placement.socket[other])
    return level


def accesses(trace: Trace, kind: str) -> Observed:
    """Blocking, independent reads or writes, as the program asked for them."""
    alone = ~trace.column("collective") & (trace.column("request") < 0)
    return _taken(trace, front(trace) & trace.of_kind(kind) & alone, trace.column("bytes"))


def flushes(trace: Trace) -> Observed:
    """Syncs, with the bytes that all ranks wrote to the file since its last one; one a moment, the longest."""
    file, start, end = (trace.column(name) for name in ("file", "start", "end"))
    written, synced = front(trace) & trace.of_kind("write"), trace.of_kind("sync")
    sizes, seconds = [], []
    for number in np.unique(file[synced & (file >= 0)]).tolist():
        rows = np.flatnonzero(synced & (file == number))
        rows = rows[np.argsort(start[rows])]
        groups = np.split(rows, np.flatnonzero(start[rows][1:] > np.maximum.accumulate(end[rows])[:-1]) + 1)
        before = -1
        for group in groups:
            until = int(end[group].max())
            fresh = written & (file == number) & (end > before) & (end <= until)
            sizes.append(float(trace.column("bytes")[fresh].sum()))
            seconds.append(float((end[group] - start[group]).max()) / 1e9)
            before = until
    return Observed(np.array(sizes), np.array(seconds))


def _taken(trace: Trace, rows: NDArray[np.bool_], size: NDArray[np.int64]) -> Observed:
    seconds = (trace.column("end")[rows] - trace.column("start")[rows]) / 1e9
    return Observed(size[rows].astype(np.float64), seconds)
