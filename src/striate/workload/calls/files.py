"""Calls on files: independent and collective accesses, opening, flushing, and metadata."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from striate.errors import LayoutError, WorkloadError
from striate.layout.datatypes import FileView
from striate.layout.extents import Extents
from striate.workload.application import WORLD
from striate.workload.calls.operation import Number, Operation, bytes_of, request, total_bytes, whole_numbers
from striate.workload.kinds import NO_EXTENTS, Kind


def open_file(file: Any, *, create: bool = False, comm: str = WORLD) -> Operation:
    """Open a file, collectively over the communicator; `create` it if need be."""
    return Operation(Kind.OPEN, (file, int(create)), comm)


def close_file(file: Any, *, comm: str = WORLD) -> Operation:
    """Close a file, collectively over the communicator."""
    return Operation(Kind.CLOSE, (file,), comm)


def stat_file(file: Any) -> Operation:
    """Ask for the attributes of a file."""
    return Operation(Kind.STAT, (file,))


def sync_file(file: Any, *, comm: str = WORLD) -> Operation:
    """Flush a file to disk, collectively over the communicator."""
    return Operation(Kind.SYNC, (file,), comm)


def delete_file(file: Any) -> Operation:
    """Delete a file."""
    return Operation(Kind.ERASE, (file,))


def _access(kind: Kind) -> Any:
    def call(
        file: Any,
        *,
        offset: Number = 0,
        size: Number = 0,
        count: Number = 1,
        stride: Number = 0,
        extents: Extents | tuple[Sequence[int], Sequence[int]] | None = None,
        view: FileView | None = None,
        comm: str = WORLD,
        blocking: bool = True,
    ) -> Operation:
        operands: tuple[Any, ...]
        if view is not None:
            if extents is not None or (count, stride) != (1, 0):
                raise WorkloadError(
                    "expected no `extents`, `count` or `stride` beside a file view, which selects the bytes"
                )
            offset, extents = 0, _seen(view, bytes_of(offset), bytes_of(size))
        if extents is None:
            operands = (
                file,
                bytes_of(offset),
                bytes_of(size),
                count,
                bytes_of(stride),
                NO_EXTENTS,
                request(blocking),
            )
        else:
            runs = _runs(extents)
            operands = (
                file,
                bytes_of(offset),
                total_bytes(runs.sizes, "lengths"),
                1,
                0,
                runs,
                request(blocking),
            )
        return Operation(kind, operands, comm)

    call.__name__ = kind.label
    call.__doc__ = (
        f"{kind.label}: `count` blocks of `size` bytes, `stride` bytes apart, from `offset` - or the byte runs "
        "`extents` (or a pair of offsets and lengths) counted from `offset` - or `size` bytes of a file `view` from "
        "its byte `offset`."
    )
    return call


def _runs(extents: Extents | tuple[Sequence[int], Sequence[int]]) -> Extents:
    if isinstance(extents, Extents):
        return extents
    offsets, sizes = whole_numbers(extents[0], "offsets"), whole_numbers(extents[1], "lengths")
    if len(offsets) != len(sizes):
        raise WorkloadError(
            f"expected as many offsets as lengths, got {len(offsets)} offsets and {len(sizes)} lengths"
        )
    return Extents.trusted(offsets, sizes)


def _seen(view: FileView, start: Number, size: Number) -> Extents:
    """The byte runs of the file that a view shows; refuses what no view has."""
    try:
        return view.extents(start, size)
    except LayoutError as error:
        raise WorkloadError(error.message) from None


read = _access(Kind.READ)
write = _access(Kind.WRITE)
read_all = _access(Kind.READ_ALL)
write_all = _access(Kind.WRITE_ALL)
