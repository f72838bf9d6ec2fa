"""Point-to-point messages, and waiting for what is in flight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from striate.errors import WorkloadError
from striate.workload.application import WORLD
from striate.workload.calls.operation import PENDING, Number, Operation, Several, bytes_of, each
from striate.workload.kinds import ANY, BLOCKING, Kind


def send(peer: Number, size: Number, *, tag: Number = 0, comm: str = WORLD) -> Operation:
    """Send `size` bytes to `peer`; returns when the buffer may be used again."""
    return Operation(Kind.SEND, (peer, tag, bytes_of(size), BLOCKING), comm)


def isend(peer: Number, size: Number, *, tag: Number = 0, comm: str = WORLD) -> Operation:
    """Begin to send `size` bytes to `peer`."""
    return Operation(Kind.SEND, (peer, tag, bytes_of(size), PENDING), comm)


def ssend(peer: Number, size: Number, *, tag: Number = 0, comm: str = WORLD) -> Operation:
    """Send synchronously: over only when the receiver has matched the message, however short it is."""
    return Operation(Kind.SSEND, (peer, tag, bytes_of(size), BLOCKING), comm)


def issend(peer: Number, size: Number, *, tag: Number = 0, comm: str = WORLD) -> Operation:
    """Begin a synchronous send."""
    return Operation(Kind.SSEND, (peer, tag, bytes_of(size), PENDING), comm)


def rsend(peer: Number, size: Number, *, tag: Number = 0, comm: str = WORLD) -> Operation:
    """Send to a receiver that is known to wait: as MPICH and Open MPI do it, a send like any other."""
    return send(peer, size, tag=tag, comm=comm)


def irsend(peer: Number, size: Number, *, tag: Number = 0, comm: str = WORLD) -> Operation:
    """Begin to send to a receiver that is known to wait."""
    return isend(peer, size, tag=tag, comm=comm)


def recv(peer: Number = ANY, size: Number = 0, *, tag: Number = ANY, comm: str = WORLD) -> Operation:
    """Receive at most `size` bytes (0: whatever comes) from `peer`, or from anyone."""
    return Operation(Kind.RECV, (peer, tag, bytes_of(size), BLOCKING), comm)


def irecv(peer: Number = ANY, size: Number = 0, *, tag: Number = ANY, comm: str = WORLD) -> Operation:
    """Begin to receive; arguments as for `recv`."""
    return Operation(Kind.RECV, (peer, tag, bytes_of(size), PENDING), comm)


def sendrecv(
    peer: Number,
    size: Number,
    *,
    source: Number | None = None,
    receive_size: Number | None = None,
    tag: Number = 0,
    source_tag: Number | None = None,
    comm: str = WORLD,
) -> Operation:
    """Send to `peer` and receive from `source` (the same rank and size unless given) at once."""
    bytes_ = bytes_of(size)
    received = bytes_ if receive_size is None else bytes_of(receive_size)
    came_from = peer if source is None else source
    came_tag = tag if source_tag is None else source_tag
    return Operation(Kind.SENDRECV, (peer, tag, bytes_, came_from, came_tag, received), comm)


def wait(*operations: Operation | Several) -> Operation:
    """Wait until the given non-blocking operations are complete."""
    return Operation(Kind.WAIT, (PENDING,), awaited=each(operations))


def test(*operations: Operation | Several) -> Operation:
    """Ask whether non-blocking operations are complete and go on either way; they are still to be awaited."""
    return Operation(Kind.TEST, (PENDING,), awaited=each(operations))


def waitall(operations: Sequence[Operation | Several] | None = None) -> Operation:
    """Wait for the given non-blocking operations, or for all that are in flight."""
    if operations is None:
        return Operation(Kind.WAITALL, ())
    return wait(*operations)


def _any_of(name: str, least: int, most: int, words: str) -> Any:
    def call(operations: Sequence[Operation]) -> Operation:
        if not operations or not all(isinstance(one, Operation) for one in operations):
            raise WorkloadError(
                f"expected a list of non-blocking operations to wait for, got {operations!r:.60}"
            )
        return Operation(Kind.WAITANY, (least, most), awaited=tuple(operations))

    call.__name__ = name
    call.__doc__ = (
        f"{words} Operations that were completed before are ignored, and a wait for them returns at once. "
        "The simulation decides which one completes first."
    )
    return call


waitany = _any_of("waitany", 1, 1, "Wait until one of the operations is complete, and take it.")
waitsome = _any_of("waitsome", 1, 0, "Wait until one of the operations is complete, and take all that are.")
testany = _any_of(
    "testany", 0, 1, "Take one of the operations if it is complete, and continue in either case."
)
testsome = _any_of("testsome", 0, 0, "Take the operations that are complete, and continue.")
