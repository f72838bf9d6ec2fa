"""Collective calls that move data between the ranks of a communicator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from striate.workload.application import WORLD
from striate.workload.calls.operation import (
    Number,
    Operation,
    algorithm_operand,
    bytes_of,
    request,
    total_bytes,
    whole_numbers,
)
from striate.workload.kinds import NO_COUNTS, Kind


def barrier(*, comm: str = WORLD, blocking: bool = True, algorithm: str | None = None) -> Operation:
    """Wait until all ranks of the communicator have called it."""
    return Operation(Kind.BARRIER, (algorithm_operand(algorithm), request(blocking)), comm)


def _rooted(kind: Kind) -> Any:
    def call(
        size: Number,
        *,
        root: Number = 0,
        comm: str = WORLD,
        blocking: bool = True,
        algorithm: str | None = None,
    ) -> Operation:
        return Operation(kind, (bytes_of(size), root, algorithm_operand(algorithm), request(blocking)), comm)

    call.__name__ = kind.label
    call.__doc__ = (
        f"{kind.label} of `size` bytes per rank, from or to `root` of the communicator; `algorithm` as in "
        "docs/collectives.md."
    )
    return call


def _unrooted(kind: Kind) -> Any:
    def call(
        size: Number, *, comm: str = WORLD, blocking: bool = True, algorithm: str | None = None
    ) -> Operation:
        return Operation(kind, (bytes_of(size), algorithm_operand(algorithm), request(blocking)), comm)

    call.__name__ = kind.label
    call.__doc__ = (
        f"{kind.label} of `size` bytes per rank over the communicator; `algorithm` as in docs/collectives.md."
    )
    return call


bcast = _rooted(Kind.BCAST)
reduce = _rooted(Kind.REDUCE)
gather = _rooted(Kind.GATHER)
gatherv = _rooted(Kind.GATHERV)
scatter = _rooted(Kind.SCATTER)
scatterv = _rooted(Kind.SCATTERV)
allreduce = _unrooted(Kind.ALLREDUCE)
allgather = _unrooted(Kind.ALLGATHER)
allgatherv = _unrooted(Kind.ALLGATHERV)
alltoall = _unrooted(Kind.ALLTOALL)
scan = _unrooted(Kind.SCAN)
exscan = _unrooted(Kind.EXSCAN)


def alltoallv(
    sizes: Sequence[Number], *, comm: str = WORLD, blocking: bool = True, algorithm: str | None = None
) -> Operation:
    """Send `sizes[i]` bytes to rank i of the communicator."""
    column = whole_numbers([bytes_of(size) for size in sizes], "sizes")
    operands = (total_bytes(column, "sizes"), column, algorithm_operand(algorithm), request(blocking))
    return Operation(Kind.ALLTOALLV, operands, comm)


def reduce_scatter(
    size: Number | Sequence[Number],
    *,
    comm: str = WORLD,
    blocking: bool = True,
    algorithm: str | None = None,
) -> Operation:
    """Combine vectors of `size` bytes and leave each rank an equal part; of a list, `size[i]` bytes to rank i."""
    end = (algorithm_operand(algorithm), request(blocking))
    if not isinstance(size, list | tuple):
        return Operation(Kind.REDUCE_SCATTER, (bytes_of(size), NO_COUNTS, *end), comm)
    column = whole_numbers([bytes_of(part) for part in size], "sizes")
    return Operation(Kind.REDUCE_SCATTER, (total_bytes(column, "sizes"), column, *end), comm)
