"""One-sided communication of a trace as operations: accesses, and the epochs that complete them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from striate.workload import operations
from striate.workload.operations import Operation, Several

# Functions that return what was there take data both ways.
_BOTH_DIRECTIONS = ("get_accumulate", "rget_accumulate", "fetch_and_op", "compare_and_swap")
_ACCESSES = ("put", "get", "accumulate", "rput", "rget", "raccumulate", *_BOTH_DIRECTIONS)


@dataclass(frozen=True, slots=True)
class Reached:
    """What a row says: whose memory on which communicator, and with whom an epoch is begun."""

    comm: str
    peer: int
    bytes: int
    alone: bool  # an exclusive lock
    later: bool  # it has a request
    group: list[int]


class TracedMemory:
    """Follows the epochs of one rank, since the calls that end one do not name with whom it was begun."""

    def __init__(self) -> None:
        self._started: dict[str, list[int]] = {}
        self._posted: dict[str, list[int]] = {}
        self._locked: dict[str, set[int]] = {}
        self._open: dict[str, None] = {}  # communicators with accesses that are not completed

    def operations(self, function: str, row: Reached) -> Iterator[Operation]:
        """The operations of a row; none for calls that only order the accesses of the rank itself."""
        name = function.removeprefix("mpi_").removesuffix("_c").removeprefix("win_")
        if name in _ACCESSES:
            yield from self._access(name, row)
        elif name in ("lock", "unlock"):
            yield from self._lock(row, begins=name == "lock")
        elif name in ("start", "complete", "post", "wait"):
            yield from self._epoch(name, row)
        elif name in ("flush_local", "flush_local_all"):
            yield operations.win_flush_local(max(row.peer, -1), comm=row.comm)
        elif name in ("flush", "flush_all", "unlock_all"):
            yield operations.win_flush(max(row.peer, -1), comm=row.comm)
            if row.peer < 0:
                self._open.pop(row.comm, None)

    def fence(self, comm: str) -> Several:
        self._open.pop(comm, None)
        return operations.win_fence(comm=comm)

    def left_open(self) -> Iterator[Operation]:
        for comm, peers in self._locked.items():
            yield from (operations.win_unlock(peer, comm=comm) for peer in sorted(peers))
        yield from (operations.win_flush(comm=comm) for comm in self._open)

    def _access(self, name: str, row: Reached) -> Iterator[Operation]:
        if row.peer < 0:
            return
        self._open[row.comm] = None
        if name in _BOTH_DIRECTIONS:
            yield operations.accumulate(row.peer, row.bytes, comm=row.comm)
        verb = "get" if name in _BOTH_DIRECTIONS else name.removeprefix("r")
        yield getattr(operations, "r" * row.later + verb)(row.peer, row.bytes, comm=row.comm)

    def _lock(self, row: Reached, *, begins: bool) -> Iterator[Operation]:
        locked = self._locked.setdefault(row.comm, set())
        if row.peer < 0 or (row.peer in locked) == begins:
            return
        locked ^= {row.peer}
        if begins:
            yield operations.win_lock(row.peer, exclusive=row.alone, comm=row.comm)
        else:
            yield operations.win_unlock(row.peer, comm=row.comm)

    def _epoch(self, name: str, row: Reached) -> Several:
        if name == "start":
            self._started[row.comm] = row.group
            return operations.win_start(row.group, comm=row.comm)
        if name == "post":
            self._posted[row.comm] = row.group
            return operations.win_post(row.group, comm=row.comm)
        if name == "complete":
            self._open.pop(row.comm, None)
            return operations.win_complete(self._started.pop(row.comm, []), comm=row.comm)
        return operations.win_wait(self._posted.pop(row.comm, []), comm=row.comm)
