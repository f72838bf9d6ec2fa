"""Neighbourhood collectives and the making of communicators, as the messages and collectives they consist of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from striate.errors import WorkloadError
from striate.workload.application import WORLD
from striate.workload.calls.operation import PENDING, Number, Operation, Several, bytes_of
from striate.workload.kinds import BLOCKING, DEFAULT_ALGORITHM, NEIGHBOUR_TAG, NO_PEER, Kind

COLOR_AND_KEY_BYTES = 8  # that each rank tells the others in MPI_Comm_split
CONTEXT_MASK_BYTES = 256  # in which MPICH looks for a free number of a communicator


def cartesian_neighbors(
    rank: Any, dimensions: Sequence[int], *, periodic: bool | Sequence[bool] = False
) -> list[Any]:
    """Who stands before and behind a rank (or an array of ranks) in each dimension of a grid, as MPI_Cart_shift says.

    The last dimension runs fastest. A neighbour beyond the border of a dimension that is not periodic is -1.
    """
    sizes = [int(size) for size in dimensions]
    wraps = [periodic] * len(sizes) if isinstance(periodic, bool) else list(periodic)
    if not sizes or min(sizes) < 1 or len(wraps) != len(sizes):
        raise WorkloadError(
            "expected grid dimensions of at least 1, and as many booleans in `periodic`, "
            f"got dimensions {dimensions!r:.60} and periodic {periodic!r:.60}"
        )
    place = np.array(np.unravel_index(np.asarray(rank), sizes))
    found: list[Any] = []
    for axis, (size, wrap) in enumerate(zip(sizes, wraps, strict=True)):
        for step in (-1, 1):
            there = place.copy()
            there[axis] += step
            inside = wrap | ((there[axis] >= 0) & (there[axis] < size))
            there[axis] %= size
            number = np.where(inside, np.ravel_multi_index(tuple(there), sizes), NO_PEER)
            found.append(number if number.ndim else int(number))
    return found


def neighbor_alltoallv(
    sizes: Sequence[Number],
    neighbors: Sequence[Number],
    *,
    sources: Sequence[Number] | None = None,
    comm: str = WORLD,
    blocking: bool = True,
) -> Several:
    """Send `sizes[i]` bytes to `neighbors[i]` and receive what `sources` (the same ranks unless given) send here.

    As MPICH does, all messages are in flight at once. A neighbour of -1 is none.
    """
    if len(sizes) != len(neighbors):
        raise WorkloadError(
            f"expected a message size for each of {len(neighbors)} neighbours, got {len(sizes)} sizes"
        )
    begun = [
        Operation(Kind.RECV, (source, NEIGHBOUR_TAG, 0, PENDING), comm)
        for source in (neighbors if sources is None else sources)
        if _there(source)
    ]
    begun += [
        Operation(Kind.SEND, (peer, NEIGHBOUR_TAG, bytes_of(size), PENDING), comm)
        for peer, size in zip(neighbors, sizes, strict=True)
        if _there(peer)
    ]
    ends = [Operation(Kind.WAIT, (PENDING,), awaited=tuple(begun))] if blocking and begun else []
    return Several((*begun, *ends))


def neighbor_alltoall(size: Number, neighbors: Sequence[Number], **options: Any) -> Several:
    """Send `size` bytes to each of `neighbors`, to each its own; options as of `neighbor_alltoallv`."""
    return neighbor_alltoallv([size] * len(neighbors), neighbors, **options)


def neighbor_allgather(size: Number, neighbors: Sequence[Number], **options: Any) -> Several:
    """Send the same `size` bytes to each of `neighbors`; options as of `neighbor_alltoallv`."""
    return neighbor_alltoallv([size] * len(neighbors), neighbors, **options)


neighbor_allgatherv = neighbor_allgather


def _there(peer: Number) -> bool:
    return isinstance(peer, np.ndarray) or peer != NO_PEER


def comm_dup(*, comm: str = WORLD) -> Several:
    """Make another communicator of the same ranks: all agree on a free number for it (MPICH's mask of contexts)."""
    return Several((Operation(Kind.ALLREDUCE, (CONTEXT_MASK_BYTES, DEFAULT_ALGORITHM, BLOCKING), comm),))


def comm_split(*, comm: str = WORLD) -> Several:
    """Make communicators of some of the ranks: colours and keys are gathered, then all agree on a number."""
    gathered = Operation(Kind.ALLGATHER, (COLOR_AND_KEY_BYTES, DEFAULT_ALGORITHM, BLOCKING), comm)
    return Several((gathered, *comm_dup(comm=comm)))


comm_create = comm_dup
