"""One-sided communication: put, get and accumulate, and the epochs in which they are complete.

A window is the memory that the members of a communicator show each other; its communicator names it. The target of an
access takes no part in it, as with remote DMA, but for the CPU time of an accumulate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from striate.workload.application import WORLD
from striate.workload.calls.neighbours import comm_dup
from striate.workload.calls.operation import PENDING, Number, Operation, Several, bytes_of
from striate.workload.kinds import ANY, BLOCKING, COMPLETE_TAG, DEFAULT_ALGORITHM, POST_TAG, Kind

BASE_AND_SIZE_BYTES = 16  # that each rank tells the others of its part of a window


def _access(kind: Kind, request: object, name: str) -> Callable[..., Operation]:
    def call(peer: Number, size: Number, *, comm: str = WORLD) -> Operation:
        return Operation(kind, (peer, bytes_of(size), request), comm)

    call.__name__ = name
    later = "; what it returns can be awaited" if request is PENDING else ""
    call.__doc__ = (
        f"{kind.label.capitalize()} `size` bytes at rank `peer`, complete when its epoch is{later}."
    )
    return call


put = _access(Kind.PUT, BLOCKING, "put")
get = _access(Kind.GET, BLOCKING, "get")
accumulate = _access(Kind.ACCUMULATE, BLOCKING, "accumulate")
rput = _access(Kind.PUT, PENDING, "rput")
rget = _access(Kind.GET, PENDING, "rget")
raccumulate = _access(Kind.ACCUMULATE, PENDING, "raccumulate")


def win_flush(peer: Number = ANY, *, comm: str = WORLD) -> Operation:
    """Wait until all accesses to `peer`, or to any rank, are done there."""
    return Operation(Kind.FLUSH, (peer, 0), comm)


def win_flush_local(peer: Number = ANY, *, comm: str = WORLD) -> Operation:
    """Wait until what was put has left, and what was asked for has come."""
    return Operation(Kind.FLUSH, (peer, 1), comm)


def win_lock(peer: Number, *, exclusive: bool = True, comm: str = WORLD) -> Operation:
    """Begin an epoch on the memory of `peer`: ask for its lock, and wait until it is granted."""
    return Operation(Kind.LOCK, (peer, int(exclusive)), comm)


def win_unlock(peer: Number, *, comm: str = WORLD) -> Operation:
    """End the epoch: wait until the accesses to `peer` are done, and give its lock back."""
    return Operation(Kind.UNLOCK, (peer,), comm)


def win_unlock_all(*, comm: str = WORLD) -> Operation:
    """End an epoch on everyone's memory, which nobody locks alone; beginning it costs nothing."""
    return win_flush(comm=comm)


def win_fence(*, comm: str = WORLD) -> Several:
    """End an epoch of all ranks and begin the next: what each has begun is done, then all meet."""
    met = Operation(Kind.BARRIER, (DEFAULT_ALGORITHM, BLOCKING), comm)
    return Several((win_flush(comm=comm), met))


win_free = win_fence


def win_create(*, comm: str = WORLD) -> Several:
    """Make a window: a communicator of its own, and everyone's base and size told to all."""
    told = Operation(Kind.ALLGATHER, (BASE_AND_SIZE_BYTES, DEFAULT_ALGORITHM, BLOCKING), comm)
    return Several((*comm_dup(comm=comm), told))


def _told(peers: Sequence[Number], tag: int, comm: str) -> list[Operation]:
    return [Operation(Kind.SEND, (peer, tag, 0, BLOCKING), comm) for peer in peers]


def _heard(peers: Sequence[Number], tag: int, comm: str) -> list[Operation]:
    return [Operation(Kind.RECV, (peer, tag, 0, BLOCKING), comm) for peer in peers]


def win_post(origins: Sequence[Number], *, comm: str = WORLD) -> Several:
    """Let `origins` reach this rank's memory: each is told."""
    return Several(tuple(_told(origins, POST_TAG, comm)))


def win_start(targets: Sequence[Number], *, comm: str = WORLD) -> Several:
    """Begin an epoch on the memory of `targets`: wait until each has posted it."""
    return Several(tuple(_heard(targets, POST_TAG, comm)))


def win_complete(targets: Sequence[Number], *, comm: str = WORLD) -> Several:
    """End the epoch begun with `win_start`: the accesses are done, and each of `targets` is told."""
    return Several((win_flush(comm=comm), *_told(targets, COMPLETE_TAG, comm)))


def win_wait(origins: Sequence[Number], *, comm: str = WORLD) -> Several:
    """Wait until each of the `origins` of `win_post` has completed its epoch."""
    return Several(tuple(_heard(origins, COMPLETE_TAG, comm)))
