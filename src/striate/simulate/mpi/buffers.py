"""Messages as mpi4py takes them - a buffer, or [buffer, count, datatype] - and their bytes."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.layout import datatypes as byte_runs
from striate.simulate.mpi import constants
from striate.simulate.mpi.datatype import PREDEFINED, MpiDatatype, of_dtype
from striate.simulate.mpi.errors import NotSimulatedError, failed

Bytes = NDArray[np.uint8]
HOST = 1  # DLPack's number for memory of the host


@dataclass(frozen=True, slots=True)
class Part:
    """`count` items from `start` bytes on in a buffer."""

    memory: Bytes
    datatype: MpiDatatype
    count: int
    start: int = 0

    @property
    def size(self) -> int:
        """Bytes of data."""
        return self.count * self.datatype.size

    @property
    def span(self) -> tuple[int, int]:
        """The first byte that belongs to it, and the end of the last."""
        if not self.count:
            return self.start, self.start
        first, reach = self.datatype.reach
        last = (self.count - 1) * self.datatype.extent
        return self.start + first + min(last, 0), self.start + first + reach + max(last, 0)

    def where(self) -> slice | NDArray[np.int64]:
        """The bytes of the data in their order: a slice where they lie without gaps, their places otherwise."""
        if self.datatype.is_dense:
            begin = self.start + int(self.datatype.runs.runs.offsets[0])
            return slice(begin, begin + self.size)
        return self._places()

    def content(self) -> bytes:
        """The data, without gaps."""
        return self.memory[self.where()].tobytes()

    def fill(self, content: bytes) -> None:
        """Put data where it belongs; refuses more than there is room for."""
        if len(content) > self.size:
            raise failed("ERR_TRUNCATE", f"message of {len(content)} bytes for a buffer of {self.size}")
        if not self.memory.flags.writeable and content:
            raise BufferError("Object is not writable")
        values = np.frombuffer(content, np.uint8)
        where = self.where()
        if isinstance(where, slice):
            self.memory[where.start : where.start + len(values)] = values
        else:
            self.memory[where[: len(values)]] = values

    def _places(self) -> NDArray[np.int64]:
        runs = byte_runs.contiguous(self.count, self.datatype.runs).runs
        ends = np.cumsum(runs.sizes)
        before = np.repeat(runs.offsets - (ends - runs.sizes) + self.start, runs.sizes)
        places: NDArray[np.int64] = before + np.arange(int(ends[-1]) if len(ends) else 0)
        return places


def memory_of(buffer: Any) -> tuple[Bytes, MpiDatatype]:
    """The bytes of a buffer, in the order in which they lie, and the datatype of its elements."""
    if isinstance(buffer, np.ndarray):
        if not (buffer.flags.c_contiguous or buffer.flags.f_contiguous):
            raise BufferError("ndarray is not contiguous")
        lies = buffer if buffer.flags.c_contiguous else buffer.T
        return lies.reshape(-1).view(np.uint8), of_dtype(buffer.dtype)
    if not isinstance(buffer, bytes | bytearray | memoryview) and hasattr(buffer, "__dlpack__"):
        return memory_of(_of_dlpack(buffer))
    if hasattr(buffer, "__cuda_array_interface__"):
        raise NotSimulatedError("expected a buffer in host memory: memory of a GPU is not simulated")
    view = memoryview(buffer)
    if not view.c_contiguous:
        raise BufferError("buffer is not contiguous")
    kind = of_dtype(np.dtype(view.format)) if view.format not in (None, "B", "c") else PREDEFINED["BYTE"]
    if not view.nbytes:
        return np.empty(0, np.uint8), kind
    return np.frombuffer(view, np.uint8), kind


def _of_dlpack(buffer: Any) -> NDArray[Any]:
    """The array of another library, without a copy; refuses one that is not in the memory of the host."""
    kind, _ = buffer.__dlpack_device__()
    if kind != HOST:
        raise NotSimulatedError("expected a buffer in host memory: memory of a GPU is not simulated")
    return np.from_dlpack(buffer)


def _datatype(given: Any) -> MpiDatatype | None:
    if given is None or isinstance(given, MpiDatatype):
        return given
    if isinstance(given, str):
        return of_dtype(np.dtype(given))
    raise TypeError(f"expected a datatype, got {type(given).__name__}")


def _spelt(message: Any, pair: tuple[type[Any], ...]) -> tuple[Any, Any, Any, MpiDatatype | None]:
    """Buffer, counts, displacements and datatype of a message; counts in a `pair` come with displacements."""
    if not isinstance(message, list | tuple):
        return message, None, None, None
    counts: Any = None
    shifts: Any = None
    kind: Any = None
    if len(message) == 2:
        buffer, second = message
        if second is None or isinstance(second, MpiDatatype | str):
            kind = second
        else:
            counts = second
    elif len(message) == 3:
        buffer, counts, kind = message
    elif len(message) == 4:
        buffer, counts, shifts, kind = message
    else:
        raise ValueError(
            "message: expecting 2 to 4 items (buffer, counts, displacements, datatype), "
            f"got {len(message)} items"
        )
    if len(message) < 4 and isinstance(counts, pair):
        counts, shifts = counts
    return buffer, counts, shifts, _datatype(kind)


def whole_part(message: Any) -> Part:
    """All that a message names, as one part."""
    buffer, count, shift, given = _spelt(message, (list, tuple))
    if buffer is None or isinstance(buffer, constants.InPlaceType):
        return Part(np.empty(0, np.uint8), given or PREDEFINED["BYTE"], 0)
    memory, kind = memory_of(buffer)
    kind = given or kind
    start = 0 if shift is None else operator.index(shift) * kind.extent
    if count is None:
        count = _fitting(len(memory) - start, kind)
    part = Part(memory, kind, operator.index(count), start)
    _expect_room(part)
    return part


def equal_parts(message: Any, members: int) -> list[Part]:
    """A message as one part per member, all of one size; a count that is given is that of a part."""
    buffer, count, shift, given = _spelt(message, (list, tuple))
    memory, kind = memory_of(buffer)
    kind = given or kind
    start = 0 if shift is None else operator.index(shift) * kind.extent
    if count is None:
        whole = _fitting(len(memory) - start, kind)
        if whole % members:
            raise ValueError(
                f"message: expecting a buffer whose number of items is a multiple of the {members} ranks, "
                f"got {whole} items"
            )
        count = whole // members
    step = operator.index(count) * kind.extent
    parts = [Part(memory, kind, operator.index(count), start + at * step) for at in range(members)]
    _expect_room(parts[-1])
    return parts


def unequal_parts(message: Any, members: int) -> list[Part]:
    """A message as one part per member, by counts and displacements in items."""
    buffer, counts, shifts, given = _spelt(message, (tuple,))
    memory, kind = memory_of(buffer)
    kind = given or kind
    if counts is None:
        counts = _fitting(len(memory), kind)
        each, more = divmod(counts, members)
        sizes = [each + (at < more) for at in range(members)]
    elif np.ndim(counts) == 0:
        sizes = [operator.index(counts)] * members
    else:
        sizes = [operator.index(one) for one in counts]
    if shifts is None:
        places = [sum(sizes[:at]) for at in range(members)]
    else:
        places = [
            operator.index(one) for one in (_steps(shifts, members) if np.ndim(shifts) == 0 else shifts)
        ]
    if len(sizes) != members or len(places) != members:
        raise ValueError(
            f"message: expecting {members} counts and {members} displacements, one per rank, "
            f"got {len(sizes)} counts and {len(places)} displacements"
        )
    parts = [
        Part(memory, kind, count, place * kind.extent) for count, place in zip(sizes, places, strict=True)
    ]
    for part in parts:
        _expect_room(part)
    return parts


def _steps(stride: Any, members: int) -> list[int]:
    return [at * operator.index(stride) for at in range(members)]


def parts_by_type(message: Any, members: int) -> list[Part]:
    """The parts of Alltoallw: counts, displacements in bytes, and a datatype for each member."""
    buffer, *rest = message
    memory, _ = memory_of(buffer)
    if len(rest) == 2:
        (counts, shifts), kinds = rest
    else:
        counts, shifts, kinds = rest
    return [
        Part(memory, kind, operator.index(count), operator.index(shift))
        for count, shift, kind in zip(counts, shifts, kinds, strict=True)
    ]


def _fitting(size: int, kind: MpiDatatype) -> int:
    """How many items a buffer holds; refuses a rest."""
    if kind.extent <= 0:
        raise ValueError(
            f"message: expecting a count, as the datatype has the extent {kind.extent}, got no count"
        )
    true_end = sum(kind.reach)
    if size % kind.extent and (size - true_end) % kind.extent:
        raise ValueError(
            f"message: buffer of {size} bytes is not a multiple of the datatype's extent of {kind.extent} bytes"
        )
    return size // kind.extent if size % kind.extent == 0 else 1 + (size - true_end) // kind.extent


def _expect_room(part: Part) -> None:
    if part.count < 0:
        raise failed("ERR_COUNT", f"negative count {part.count}")
    if not part.count:
        return
    first, end = part.span
    if end > len(part.memory) or first < 0:
        raise ValueError(
            f"message: buffer too small for the requested count, which needs {end} bytes, "
            f"got {len(part.memory)} bytes"
        )


def is_in_place(message: Any) -> bool:
    """Whether a rank's data lies in its other buffer already."""
    return message is None or message is constants.IN_PLACE
