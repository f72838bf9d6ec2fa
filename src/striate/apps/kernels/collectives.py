"""One collective, again and again; where sizes differ by rank they rise from rank to rank around the mean given."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from striate import units
from striate.units import Quantity
from striate.workload import operations
from striate.workload.kinds import ROOTED, VARYING, Kind
from striate.workload.operations import Operation

KINDS = tuple(kind for kind in Kind if Kind.BARRIER <= kind <= Kind.REDUCE_SCATTER)


def rising(size: int, rank: int, ranks: int) -> int:
    """The part of `rank` when parts rise by equal steps and their mean is `size`, in whole bytes."""
    return size * 2 * (rank + 1) // (ranks + 1)


def collective(kind: Kind) -> Callable[..., Iterator[Operation]]:
    """The kernel of one kind."""
    call: Any = getattr(operations, kind.label)

    def barrier(rank: int, ranks: int, *, repeat: int = 1, algorithm: str = "") -> Iterator[Operation]:
        for _ in range(repeat):
            yield call(algorithm=algorithm or None)

    def rooted(
        rank: int,
        ranks: int,
        *,
        size: Quantity = "1 MiB",
        repeat: int = 1,
        root: int = 0,
        algorithm: str = "",
    ) -> Iterator[Operation]:
        for _ in range(repeat):
            yield call(_size(kind, size, rank, ranks), root=root, algorithm=algorithm or None)

    def unrooted(
        rank: int, ranks: int, *, size: Quantity = "1 MiB", repeat: int = 1, algorithm: str = ""
    ) -> Iterator[Operation]:
        for _ in range(repeat):
            yield call(_size(kind, size, rank, ranks), algorithm=algorithm or None)

    kernel = barrier if kind is Kind.BARRIER else rooted if kind in ROOTED else unrooted
    kernel.__doc__ = f"{kind.label} of `size` bytes" if kind is not Kind.BARRIER else "barrier"
    return kernel


def _size(kind: Kind, size: Quantity, rank: int, ranks: int) -> Any:
    whole = units.size(size)
    if kind not in VARYING:
        return whole
    parts = [rising(whole, each, ranks) for each in range(ranks)]
    return parts if kind in (Kind.ALLTOALLV, Kind.REDUCE_SCATTER) else parts[rank]
