"""Messages between two ranks, around a ring, in pairs, and to a root."""

from __future__ import annotations

from collections.abc import Iterator

from striate.units import Quantity
from striate.workload.operations import Operation, irecv, recv, send, sendrecv, waitall


def ping_pong(
    rank: int, ranks: int, *, size: Quantity = "1 MiB", repeat: int = 1, first: int = 0, second: int = 1
) -> Iterator[Operation]:
    """Rank `first` sends to `second`, which sends back; the others do nothing."""
    for _ in range(repeat):
        if rank == first:
            yield send(second, size)
            yield recv(second, size)
        elif rank == second:
            yield recv(first, size)
            yield send(first, size)


def exchange(
    rank: int, ranks: int, *, size: Quantity = "1 MiB", repeat: int = 1, first: int = 0, second: int = 1
) -> Iterator[Operation]:
    """Ranks `first` and `second` send and receive at once; the others do nothing."""
    for _ in range(repeat):
        if rank in (first, second):
            yield sendrecv(second if rank == first else first, size)


def ring(rank: int, ranks: int, *, size: Quantity = "1 MiB", repeat: int = 1) -> Iterator[Operation]:
    """Everyone sends to the right neighbour and receives from the left one."""
    for _ in range(repeat):
        yield sendrecv((rank + 1) % ranks, size, source=(rank - 1) % ranks)


def paired(rank: int, ranks: int, *, size: Quantity = "1 MiB", repeat: int = 1) -> Iterator[Operation]:
    """An even rank exchanges with the odd one after it; a last one without a partner does nothing."""
    for _ in range(repeat):
        if rank ^ 1 < ranks:
            yield sendrecv(rank ^ 1, size)


def send_to_root(rank: int, ranks: int, *, size: Quantity = "1 MiB", repeat: int = 1) -> Iterator[Operation]:
    """All send to rank 0, which receives in order of their ranks."""
    for _ in range(repeat):
        if rank:
            yield send(0, size)
        else:
            for source in range(1, ranks):
                yield recv(source, size)


def sendrecv_root(rank: int, ranks: int, *, size: Quantity = "1 MiB", repeat: int = 1) -> Iterator[Operation]:
    """All exchange with rank 0, which takes them in order of their ranks."""
    for _ in range(repeat):
        for partner in range(1, ranks) if rank == 0 else (0,):
            yield sendrecv(partner, size)


def incast(rank: int, ranks: int, *, size: Quantity = "1 MiB", repeat: int = 1) -> Iterator[Operation]:
    """All send to rank 0, which takes them as they come."""
    for _ in range(repeat):
        if rank:
            yield send(0, size)
        else:
            for source in range(1, ranks):
                yield irecv(source, size)
            yield waitall()
