"""Ranks: the few collective operations the runtime needs, over mpi4py or for one process alone."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Int64 = npt.NDArray[np.int64]

_AWAKE = 1e-3  # seconds in which others mostly come: a nap of 20 us takes 100
_LONGEST_NAP = 5e-3  # seconds: a process that was stopped for an hour must not sleep for minutes
_PATIENCE = 16  # naps in the time waited so far: waking up costs little, and waking up late as well


class Ranks(Protocol):
    """A group of processes; `rank` is ours. Every method is called by all of them, or by none.

    Ranks that wait leave their CPU to those that do not: where there are fewer CPUs than ranks, one that polls keeps
    the very rank from running that it waits for.
    """

    rank: int
    size: int

    def barrier(self) -> None: ...
    def largest(self, values: Sequence[int]) -> list[int]: ...
    def gather_rows(self, row: Array) -> Array: ...
    def broadcast(self, content: bytes, root: int) -> bytes: ...
    def broadcast_known(self, content: bytes, length: int, root: int) -> bytes: ...
    def exchange(self, send: Array, counts: Int64, received: Int64) -> Array: ...
    def swap_counts(self, counts: Int64) -> Int64: ...
    def copy(self) -> Ranks: ...
    def takes_threads(self) -> bool: ...
    def split(self, color: int) -> Ranks: ...
    def neighbours(self) -> Ranks: ...
    def start_send(self, content: Array, to: int) -> Any: ...
    def receive(self, content: Array, source: int) -> None: ...
    def free(self) -> None: ...


class OneRank:
    """A single process: no MPI, and nothing to wait for."""

    rank = 0
    size = 1

    def barrier(self) -> None:
        pass

    def largest(self, values: Sequence[int]) -> list[int]:
        return list(values)

    def gather_rows(self, row: Array) -> Array:
        return row[None, :]

    def broadcast(self, content: bytes, root: int) -> bytes:
        return content

    def broadcast_known(self, content: bytes, length: int, root: int) -> bytes:
        return content

    def exchange(self, send: Array, counts: Int64, received: Int64) -> Array:
        return send

    def swap_counts(self, counts: Int64) -> Int64:
        return counts

    def copy(self) -> Ranks:
        return self

    def takes_threads(self) -> bool:
        return True

    def split(self, color: int) -> Ranks:
        return self

    def neighbours(self) -> Ranks:
        return self

    def start_send(self, content: Array, to: int) -> Any:
        raise AssertionError("a single rank has no one to send to")

    def receive(self, content: Array, source: int) -> None:
        raise AssertionError("a single rank has no one to receive from")

    def free(self) -> None:
        pass


class MpiRanks:
    """The ranks of an mpi4py communicator."""

    def __init__(self, communicator: Any) -> None:
        self.communicator = communicator
        self.rank: int = communicator.Get_rank()
        self.size: int = communicator.Get_size()

    def barrier(self) -> None:
        _await(self.communicator.Ibarrier())

    def largest(self, values: Sequence[int]) -> list[int]:
        """The largest of each value over all ranks."""
        from mpi4py import MPI

        result = np.array(values, np.int64)
        _await(self.communicator.Iallreduce(MPI.IN_PLACE, result, op=MPI.MAX))
        return [int(value) for value in result]

    def gather_rows(self, row: Array) -> Array:
        """The rows of all ranks, which have one length and type, as a table."""
        table = np.empty((self.size, row.size), row.dtype)
        brought = np.ascontiguousarray(row)
        _await(self.communicator.Iallgather(brought, table))
        return table

    def broadcast(self, content: bytes, root: int) -> bytes:
        """The bytes that `root` has."""
        length = np.array([len(content)], np.int64)
        _await(self.communicator.Ibcast(length, root=root))
        return self.broadcast_known(content, int(length[0]), root)

    def broadcast_known(self, content: bytes, length: int, root: int) -> bytes:
        """The bytes that `root` has, of which all know the number."""
        buffer = bytearray(content) if self.rank == root else bytearray(length)
        _await(self.communicator.Ibcast([buffer, self._bytes()], root=root))
        return bytes(buffer)

    def exchange(self, send: Array, counts: Int64, received: Int64) -> Array:
        """Every rank's part of `send`, divided by `counts`, and ours of theirs: one Alltoallv."""
        result = np.empty(int(received.sum()), send.dtype)
        width, kind = send.dtype.itemsize, self._bytes()
        out = [send.view(np.uint8), (counts * width, _starts(counts) * width), kind]
        into = [result.view(np.uint8), (received * width, _starts(received) * width), kind]
        self.communicator.Alltoallv(out, into)
        return result

    def swap_counts(self, counts: Int64) -> Int64:
        """What each rank has for us, when `counts` is what we have for each."""
        result = np.empty_like(counts)
        _await(self.communicator.Ialltoall(counts, result))
        return result

    def copy(self) -> Ranks:
        """The same ranks, whose messages do not mix with ours."""
        return MpiRanks(self.communicator.Dup())

    def takes_threads(self) -> bool:
        """True when several threads may call MPI at once."""
        from mpi4py import MPI

        return bool(MPI.Query_thread() == MPI.THREAD_MULTIPLE)

    def split(self, color: int) -> Ranks:
        """The ranks that gave the same color, in our order."""
        return MpiRanks(self.communicator.Split(color, self.rank))

    def neighbours(self) -> Ranks:
        """The ranks that can share memory with us."""
        from mpi4py import MPI

        return MpiRanks(self.communicator.Split_type(MPI.COMM_TYPE_SHARED, self.rank))

    def start_send(self, content: Array, to: int) -> Any:
        return self.communicator.Isend([content, self._bytes()], dest=to)

    def receive(self, content: Array, source: int) -> None:
        self.communicator.Recv([content, self._bytes()], source=source)

    def free(self) -> None:
        """Give the communicator back to MPI."""
        from mpi4py import MPI

        if not MPI.Is_finalized() and self.communicator != MPI.COMM_NULL:
            self.communicator.Free()

    @staticmethod
    def _bytes() -> Any:
        from mpi4py import MPI

        return MPI.BYTE


def _await(request: Any) -> None:
    """Wait for a request: for a moment others run whenever they can, then we sleep, longer and longer."""
    begin = time.perf_counter()
    while not request.Test():
        waited = time.perf_counter() - begin
        if waited < _AWAKE:
            os.sched_yield()
        else:
            time.sleep(min(waited / _PATIENCE, _LONGEST_NAP))


def _starts(counts: Int64) -> Int64:
    return np.cumsum(counts) - counts
