"""Traces as slices on named tracks in groups: what every writer for a viewer starts from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.trace.analysis.lanes import lanes
from striate.trace.kinds import KINDS, LEVELS
from striate.trace.trace import Trace

Int64s = NDArray[np.int64]
REGIONS_FROM = len(KINDS) + 2  # codes of `states_of` from here on are regions


@dataclass(frozen=True, slots=True, eq=False)
class Slices:
    """One group: slices ordered by track and start, times in nanoseconds, and what is worth showing of each."""

    group: str  # "observed" or "simulated"
    tracks: tuple[str, ...]
    names: tuple[str, ...]
    categories: tuple[str, ...]
    track: Int64s
    name: Int64s
    category: Int64s
    start: Int64s
    end: Int64s
    numbers: dict[str, Int64s]  # shown where not negative
    file: Int64s
    files: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.track)


def states_of(trace: Trace) -> tuple[tuple[str, ...], Int64s]:
    """(names, a code of each row): kinds, `read_all` and `write_all` apart from them, regions by their own names."""
    kind = trace.column("kind").astype(np.int64)
    names = (*KINDS, "read_all", "write_all", *trace.header.regions)
    together = trace.column("collective") & trace.at_level("mpi-io")
    for word in ("read", "write"):
        kind[together & trace.of_kind(word)] = names.index(f"{word}_all")
    marks = trace.of_kind("region") & (trace.column("region") >= 0)
    kind[marks] = REGIONS_FROM + trace.column("region")[marks]
    return names, kind


def slices_of(trace: Trace) -> Slices:
    """One group: ranks as tracks, then resources; what does not nest, and other threads, on tracks beside them."""
    names, kind = states_of(trace)
    line, titles = lines_of(trace)
    order, track, tracks = _placed(line, trace.column("start"), trace.column("end"), titles)
    numbers = {
        name: trace.column(name).astype(np.int64)[order]
        for name in ("bytes", "offset", "peer", "tag", "blocks", "stride", "request")
    }
    return Slices(
        "simulated" if trace.is_simulated else "observed",
        tracks,
        names,
        LEVELS,
        track,
        kind[order],
        trace.column("level").astype(np.int64)[order],
        trace.column("start")[order],
        trace.column("end")[order],
        numbers,
        trace.column("file").astype(np.int64)[order],
        tuple(trace.file_names()),
    )


def lines_of(trace: Trace) -> tuple[Int64s, dict[int, str]]:
    """The line of each row and the title of each line: threads of ranks first, then resources."""
    rank, thread = trace.column("rank").astype(np.int64), trace.column("thread").astype(np.int64)
    resource = trace.column("resource").astype(np.int64)
    threads = int(thread.max(initial=0)) + 1
    line = np.where(resource >= 0, trace.ranks * threads + resource, rank * threads + thread)
    titles = {}
    for number in np.unique(line).tolist():
        who, which = divmod(number, threads)
        titles[number] = (
            trace.header.resources[number - trace.ranks * threads]
            if who >= trace.ranks
            else f"rank {who}" + (f" thread {which}" if which else "")
        )
    return line, titles


def _placed(
    line: Int64s, start: Int64s, end: Int64s, names: dict[int, str]
) -> tuple[Int64s, Int64s, tuple[str, ...]]:
    """(order of rows, track of each row in that order, names of tracks)."""
    order = np.lexsort((-end, start, line))
    lane = lanes(line[order], start[order], end[order])
    again = np.lexsort((-end[order], start[order], lane, line[order]))
    order, lane = order[again], lane[again]
    pairs, track = np.unique(np.stack([line[order], lane]), axis=1, return_inverse=True)
    tracks = tuple(
        names[number] + (f" (beside {beside})" if beside else "") for number, beside in pairs.T.tolist()
    )
    return order, np.asarray(track, np.int64).ravel(), tracks
