"""Small edits of operations that rules share."""

from __future__ import annotations

from collections.abc import Iterator

from striate.workload.kinds import ACCESSES, BLOCKING, NO_EXTENTS, Kind
from striate.workload.operations import Operation

INDEPENDENT = frozenset((Kind.READ, Kind.WRITE))


def is_plain(operation: Operation) -> bool:
    """True for one run of bytes, accessed by this rank alone, that the program waits for."""
    if operation.kind not in INDEPENDENT:
        return False
    _, _, _, count, _, extents, request = operation.operands
    return bool(count == 1 and extents == NO_EXTENTS and request == BLOCKING)


def is_access(operation: Operation) -> bool:
    return operation.kind in ACCESSES


def plain(kind: Kind, file: str, offset: int, size: int) -> Operation:
    """One run of bytes, waited for."""
    return Operation(kind, (file, offset, size, 1, 0, NO_EXTENTS, BLOCKING))


def sized(operation: Operation, size: int) -> Operation:
    """The access with another number of bytes per block."""
    file, offset, _, count, stride, extents, request = operation.operands
    return Operation(
        operation.kind, (file, offset, size, count, stride, extents, request), operation.communicator
    )


def place(operation: Operation) -> tuple[str, int, int]:
    """File, offset and bytes of a plain access."""
    file, offset, size, *_ = operation.operands
    return str(file), int(offset), int(size)


def joined(steps: Iterator[Operation], most_bytes: int) -> Iterator[Operation]:
    """Plain accesses that follow one another in a file become one, up to `most_bytes`; compute comes before it."""
    pending: Operation | None = None
    for step in steps:
        if pending is not None and is_plain(step) and _follows(pending, step, most_bytes):
            file, offset, size = place(pending)
            pending = plain(pending.kind, file, offset, size + place(step)[2])
            continue
        if step.kind is Kind.COMPUTE and pending is not None:
            yield step
            continue
        if pending is not None:
            yield pending
            pending = None
        if is_plain(step):
            pending = step
        else:
            yield step
    if pending is not None:
        yield pending


def _follows(first: Operation, second: Operation, most_bytes: int) -> bool:
    file, offset, size = place(first)
    other, begin, more = place(second)
    return (
        first.kind is second.kind and file == other and begin == offset + size and size + more <= most_bytes
    )


def in_order(steps: Iterator[Operation], most_bytes: int) -> Iterator[Operation]:
    """Plain accesses with nothing but compute between them, by file and offset, joined where they touch."""
    pending: list[Operation] = []
    for step in steps:
        if is_plain(step):
            pending.append(step)
        elif step.kind is Kind.COMPUTE:
            yield step
        else:
            yield from _sorted(pending, most_bytes)
            pending = []
            yield step
    yield from _sorted(pending, most_bytes)


def _sorted(pending: list[Operation], most_bytes: int) -> Iterator[Operation]:
    pending.sort(key=lambda step: (step.kind, *place(step)[:2]))
    return joined(iter(pending), most_bytes)
