"""Collective calls played out message by message: who sends how many bytes to whom, and what one rank sees of it."""

from collections.abc import Callable, Iterator

from striate.workload.kinds import Kind

Message = tuple[int, int, int]  # from, to, bytes; positions counted from the root
RECURSIVE_DOUBLING_BELOW = 8192  # bytes; a larger allreduce is a reduce-scatter and an allgather


def played(kind: Kind, size: int, position: int, root: int, bytes_: int) -> tuple[int, int, int]:
    """(bytes sent, bytes received, messages received) of the rank at `position`."""
    if size == 1:
        return 0, 0, 0
    if kind in VECTORS:  # to or from the root directly; the root's side is charged where the block is
        mine = position != root
        sends = kind is Kind.GATHERV
        return (bytes_ * mine, 0, 0) if sends else (0, bytes_ * mine, int(mine))
    if kind in EVERYBODY:
        return EVERYBODY[kind](size, bytes_)
    me = (position - root) % size
    messages = list(TREES[kind](size, bytes_))
    sent = sum(amount for source, _, amount in messages if source == me)
    received = [amount for _, target, amount in messages if target == me]
    return sent, sum(received), len(received)


def rounds(size: int) -> int:
    count = 0
    while 2**count < size:
        count += 1
    return count


def edges(size: int) -> Iterator[tuple[int, int]]:
    """Parent and child in a binomial tree: in round k those that have the data pass it 2^k places on.

    Drawn from the far end, so that a child's lowest bit is its distance to its parent.
    """
    for child in range(1, size):
        distance = 1
        while child % (2 * distance) == 0:
            distance *= 2
        yield child - distance, child


def below(size: int, node: int) -> int:
    """How many hang below `node`, itself included."""
    return 1 + sum(below(size, child) for parent, child in edges(size) if parent == node)


def bcast(size: int, bytes_: int) -> Iterator[Message]:
    return ((parent, child, bytes_) for parent, child in edges(size))


def reduce(size: int, bytes_: int) -> Iterator[Message]:
    return ((child, parent, bytes_) for parent, child in edges(size))


def scatter(size: int, bytes_: int) -> Iterator[Message]:
    return ((parent, child, bytes_ * below(size, child)) for parent, child in edges(size))


def gather(size: int, bytes_: int) -> Iterator[Message]:
    return ((child, parent, bytes_ * below(size, child)) for parent, child in edges(size))


def allreduce(size: int, bytes_: int) -> tuple[int, int, int]:
    if bytes_ < RECURSIVE_DOUBLING_BELOW:
        return doubling(size, bytes_)
    piece = bytes_ // size
    return 2 * piece * (size - 1), 2 * piece * (size - 1), 2 * rounds(size)


def doubling(size: int, bytes_: int) -> tuple[int, int, int]:
    return rounds(size) * bytes_, rounds(size) * bytes_, rounds(size)


def each_to_each(size: int, bytes_: int) -> tuple[int, int, int]:
    return (size - 1) * bytes_, (size - 1) * bytes_, size - 1


TREES: dict[Kind, Callable[[int, int], Iterator[Message]]] = {
    Kind.BCAST: bcast,
    Kind.REDUCE: reduce,
    Kind.SCATTER: scatter,
    Kind.GATHER: gather,
}
VECTORS = (Kind.GATHERV, Kind.SCATTERV)
EVERYBODY: dict[Kind, Callable[[int, int], tuple[int, int, int]]] = {
    Kind.BARRIER: lambda size, _: (0, 0, rounds(size)),
    Kind.ALLREDUCE: allreduce,
    Kind.SCAN: doubling,
    Kind.ALLGATHER: each_to_each,
    Kind.ALLGATHERV: each_to_each,
    Kind.ALLTOALL: each_to_each,
    Kind.REDUCE_SCATTER: lambda size, bytes_: each_to_each(size, bytes_ // size),
}
