"""Executes a kernel's operations for real, on mpi4py: the same generator that is forecast."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from striate.errors import WorkloadError
from striate.workload.kinds import ACCESSES, ANY, NO_COUNTS, OPERANDS, WRITES, Kind
from striate.workload.operations import Operation

Operands = dict[str, Any]


class Performer:
    """One rank that performs operations; files lie in `folder`, and buffers are made and touched before the run.

    Making it is collective.
    """

    def __init__(
        self, comm: Any, folder: Path, operations: Iterable[Operation], hints: Mapping[str, str]
    ) -> None:
        from mpi4py import MPI

        self._mpi, self._comm, self._folder = MPI, comm, folder
        self._program = [
            (operation, dict(zip(OPERANDS[operation.kind], operation.operands, strict=True)))
            for operation in operations
        ]
        self._info = MPI.Info.Create(dict(hints)) if hints else MPI.INFO_NULL
        mine = max((_buffer_bytes(op.kind, given, comm.size) for op, given in self._program), default=0)
        largest = comm.allreduce(mine, op=MPI.MAX)  # who sends little may receive much
        self._out, self._in = np.ones(largest, np.uint8), np.ones(largest, np.uint8)
        self._files: dict[Any, Any] = {}
        self._pending: list[Any] = []

    def run(self) -> dict[str, float]:
        """All operations in order; seconds that each kind of call took this rank."""
        spent: dict[str, float] = {}
        for operation, given in self._program:
            begun = time.perf_counter()
            self._perform(operation, given)
            label = operation.kind.label
            spent[label] = spent.get(label, 0.0) + time.perf_counter() - begun
        return spent

    def _perform(self, operation: Operation, given: Operands) -> None:
        kind = operation.kind
        if kind in ACCESSES:
            self._access(kind, given)
        elif Kind.BARRIER <= kind <= Kind.REDUCE_SCATTER:
            self._collective(kind, given)
        elif Kind.SEND <= kind <= Kind.WAITALL:
            self._message(operation, given)
        else:
            self._other(kind, given)

    def _message(self, operation: Operation, given: Operands) -> None:
        kind, pending = operation.kind, operation.is_pending
        if kind is Kind.WAITALL:
            self._mpi.Request.Waitall(self._pending)
            self._pending.clear()
        elif kind is Kind.SEND:
            call = self._comm.Isend if pending else self._comm.Send
            self._keep(call(self._out[: given["bytes"]], given["peer"], given["tag"]))
        elif kind is Kind.RECV:
            call = self._comm.Irecv if pending else self._comm.Recv
            self._keep(call(self._in[: given["bytes"]], *self._source(given["peer"], given["tag"])))
        elif kind is Kind.SENDRECV:
            source, tag = self._source(given["source"], given["source_tag"])
            received = self._in[: given["source_bytes"]]
            self._comm.Sendrecv(
                self._out[: given["bytes"]], given["peer"], given["tag"], received, source, tag
            )
        else:
            raise WorkloadError(f"the operation {kind.label} can be forecast, but not run on this machine")

    def _keep(self, request: Any) -> None:
        if request is not None:
            self._pending.append(request)

    def _source(self, peer: int, tag: int) -> tuple[int, int]:
        mpi = self._mpi
        return (mpi.ANY_SOURCE if peer == ANY else peer, mpi.ANY_TAG if tag == ANY else tag)

    def _collective(self, kind: Kind, given: Operands) -> None:
        comm, size, ranks = self._comm, given.get("bytes", 0), self._comm.size
        mine, theirs = self._out[:size], self._in[: size * ranks]
        at_root = theirs if comm.rank == given.get("root") else None
        match kind:
            case Kind.BARRIER:
                comm.Barrier()
            case Kind.BCAST:
                comm.Bcast(mine, given["root"])
            case Kind.REDUCE:
                comm.Reduce(mine, self._in[:size], root=given["root"])
            case Kind.ALLREDUCE:
                comm.Allreduce(mine, self._in[:size])
            case Kind.SCAN | Kind.EXSCAN:
                (comm.Scan if kind is Kind.SCAN else comm.Exscan)(mine, self._in[:size])
            case Kind.GATHER:
                comm.Gather(mine, at_root, given["root"])
            case Kind.SCATTER:
                out = self._out[: size * ranks] if comm.rank == given["root"] else None
                comm.Scatter(out, self._in[:size], given["root"])
            case Kind.ALLGATHER:
                comm.Allgather(mine, theirs)
            case Kind.ALLTOALL:
                comm.Alltoall(self._out[: size * ranks], theirs)
            case Kind.REDUCE_SCATTER if given["counts"] is NO_COUNTS:
                comm.Reduce_scatter_block(mine, self._in[: size // ranks])
            case Kind.REDUCE_SCATTER:
                counts = [int(count) for count in given["counts"]]
                comm.Reduce_scatter(mine, self._in[: counts[comm.rank]], counts)
            case _:
                self._varying(kind, given)

    def _varying(self, kind: Kind, given: Operands) -> None:
        """Collectives whose sizes differ by rank; who receives must know them all, as an MPI program does."""
        comm, root = self._comm, given.get("root")
        mine = self._out[: given["bytes"]]
        if kind is Kind.ALLTOALLV:
            sizes = [int(count) for count in given["counts"]]
            came = comm.alltoall(sizes)
            self._expect_room(max(sum(sizes), sum(came)))
            comm.Alltoallv([self._out, sizes], [self._in, came])
            return
        parts = comm.allgather(given["bytes"])
        self._expect_room(sum(parts))
        if kind is Kind.ALLGATHERV:
            comm.Allgatherv(mine, [self._in, parts])
        elif kind is Kind.GATHERV:
            comm.Gatherv(mine, [self._in, parts] if comm.rank == root else None, root)
        else:
            comm.Scatterv([self._out, parts] if comm.rank == root else None, self._in[: given["bytes"]], root)

    def _expect_room(self, size: int) -> None:
        """MPI itself writes beyond the end of a buffer that is too short."""
        if size > self._in.size:
            raise WorkloadError(
                f"expected an MPI buffer of at least {size} bytes for the kernel, got {self._in.size}"
            )

    def _access(self, kind: Kind, given: Operands) -> None:
        file, size, count = self._files[given["file"]], given["bytes"], given["count"]
        verb = "Write" if kind in WRITES else "Read"
        call = getattr(file, f"{verb}_at{'_all' if kind in (Kind.READ_ALL, Kind.WRITE_ALL) else ''}")
        buffer = self._out if kind in WRITES else self._in
        status = self._mpi.Status()
        if count == 1:
            call(given["offset"], buffer[:size], status)
        else:
            blocks = self._mpi.BYTE.Create_vector(count, size, given["stride"]).Commit()
            file.Set_view(given["offset"], self._mpi.BYTE, blocks)
            call(0, buffer[: size * count], status)
            blocks.Free()
        moved = status.Get_count(self._mpi.BYTE)
        if moved < size * count:  # a file system whose clients do not know a file's size ends reads early
            raise WorkloadError(
                f"expected {kind.label} at offset {given['offset']} to transfer {size * count} bytes, "
                f"got {moved} bytes",
                at=f"file {given['file']!r}",
            )

    def _other(self, kind: Kind, given: Operands) -> None:
        if kind is Kind.COMPUTE:
            _compute(given["picoseconds"])
        elif kind is Kind.OPEN:
            mode = self._mpi.MODE_RDWR | (self._mpi.MODE_CREATE if given["create"] else 0)
            path = str(self._folder / str(given["file"]))
            self._files[given["file"]] = self._mpi.File.Open(self._comm, path, mode, self._info)
        elif kind is Kind.CLOSE:
            self._files.pop(given["file"]).Close()
        elif kind is Kind.SYNC:
            self._files[given["file"]].Sync()
        else:
            raise WorkloadError(f"the operation {kind.label} can be forecast, but not run on this machine")


def _buffer_bytes(kind: Kind, given: Operands, ranks: int) -> int:
    """Bytes of the larger buffer of an operation, at most, where no rank's part is larger than this one's."""
    size = max(given.get("bytes", 0), given.get("source_bytes", 0))
    if kind in ACCESSES:
        return int(size * given["count"])
    return int(size * ranks) if Kind.GATHER <= kind <= Kind.ALLTOALLV else int(size)


def _compute(picoseconds: int) -> None:
    """CPU time, so that a rank computes as much on a busy machine."""
    until = time.thread_time_ns() + picoseconds // 1000
    while time.thread_time_ns() < until:
        pass
