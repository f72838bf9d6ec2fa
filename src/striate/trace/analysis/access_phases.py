"""What ranks accessed between two barriers, file by file: the phases whose spatial patterns are recognised."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.layout.extents import Extents
from striate.layout.patterns import AccessPhase
from striate.trace.analysis.tables import front
from striate.trace.runs import byte_runs
from striate.trace.trace import Trace

Int64s = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class TracedPhase:
    """Accesses of one kind to one shared file, or to files of which each belongs to one rank."""

    number: int  # barriers before it
    kind: str  # "read" or "write"
    files: tuple[str, ...]
    accesses: AccessPhase

    def of_ranks(self) -> list[Extents]:
        """What every rank that takes part accesses, in the order of ranks."""
        return [self.accesses.of_rank(rank) for rank in np.unique(self.accesses.rank).tolist()]


def access_phases(trace: Trace) -> list[TracedPhase]:
    """The phases of a trace in the order of time, reads before writes.

    Where ranks pass different numbers of barriers, the whole run is one phase. Accesses whose offset is not known are
    left out.
    """
    number = _barriers_before(trace)
    return [
        phase
        for barrier in range(int(number.max(initial=0)) + 1)
        for kind in ("read", "write")
        for phase in _by_file(
            trace, np.flatnonzero(front(trace) & trace.of_kind(kind) & (number == barrier)), barrier, kind
        )
    ]


def _barriers_before(trace: Trace) -> Int64s:
    """How many barriers its rank had passed when each row began; zeros where ranks pass different numbers."""
    rank, start = trace.column("rank").astype(np.int64), trace.column("start")
    barrier = trace.of_kind("barrier") & trace.at_level("mpi")
    number = np.zeros(len(trace), np.int64)
    passed = np.bincount(rank[barrier], minlength=trace.ranks)
    if not len(trace) or (passed != passed[0]).any():
        return number
    for one in range(trace.ranks):
        mine = rank == one
        number[mine] = np.searchsorted(np.sort(start[mine & barrier]), start[mine], side="right")
    return number


def _by_file(trace: Trace, rows: Int64s, number: int, kind: str) -> Iterator[TracedPhase]:
    """Shared files one by one, then all files that belong to one rank each."""
    rows = rows[np.argsort(trace.column("start")[rows], kind="stable")]
    row, offset, length = byte_runs(trace, rows)
    known = trace.column("file")[row] >= 0  # an access whose file the log does not tell has no pattern
    row, offset, length = row[known], offset[known], length[known]
    rank, file = (trace.column(name)[row].astype(np.int64) for name in ("rank", "file"))
    owners = np.unique(np.stack([file, rank]), axis=1)[0]
    users = np.bincount(owners, minlength=len(trace.header.files))
    names = trace.file_names()
    groups = [[shared] for shared in np.flatnonzero(users > 1).tolist()]
    alone = np.flatnonzero(users == 1).tolist()
    for group in [*groups, *([alone] if alone else [])]:
        mine = np.isin(file, group)
        accesses = AccessPhase(rank[mine], file[mine], Extents(offset[mine], length[mine]))
        yield TracedPhase(number, kind, tuple(names[one] for one in group), accesses)
