"""Memory that MPI gives to programs: `MPI.buffer`, and memory that ranks of one node share."""

from __future__ import annotations

import mmap
import os
from typing import Any, Self

import numpy as np

from striate.simulate.mpi.errors import refuse_unknown


class Buffer(np.ndarray[Any, Any]):
    """Bytes, which programs read and set as those of a `memoryview`, or fill with one number."""

    __getattr__ = refuse_unknown("buffer")

    @classmethod
    def allocate(cls, nbytes: int, clear: bool = False) -> Self:
        if nbytes < 0:
            raise ValueError("expecting non-negative size")
        return np.zeros(nbytes, np.uint8).view(cls)

    @classmethod
    def frombuffer(cls, buf: Any, readonly: bool = False) -> Self:
        view = memoryview(buf).cast("B")
        made = (np.frombuffer(view, np.uint8) if view.nbytes else np.empty(0, np.uint8)).view(cls)
        made.flags.writeable = not (readonly or view.readonly)
        return made

    def __setitem__(self, index: Any, value: Any) -> None:
        if not isinstance(value, int | np.integer | np.ndarray):
            value = np.frombuffer(memoryview(value).cast("B"), np.uint8)
        super().__setitem__(index, value)

    def __bool__(self) -> bool:
        return self.size > 0

    @property
    def address(self) -> int:
        return int(self.ctypes.data)

    @property
    def obj(self) -> Any:
        return self.base

    @property
    def readonly(self) -> bool:
        return not self.flags.writeable

    @property
    def format(self) -> str:
        return "B"

    def release(self) -> None:
        """Nothing to do: the memory goes with the last reference."""

    def toreadonly(self) -> Buffer:
        return type(self).frombuffer(self, readonly=True)


def begin_sharing(size: int) -> tuple[int, int]:
    """Memory that other processes can open, until this one ends: the numbers to open it with."""
    descriptor = os.memfd_create("striate-shared")
    os.ftruncate(descriptor, max(size, 1))
    return os.getpid(), descriptor


def shared_memory(process: int, descriptor: int, size: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """The bytes that `begin_sharing` made in a process, seen from this one."""
    opened = os.open(f"/proc/{process}/fd/{descriptor}", os.O_RDWR)
    try:
        return np.frombuffer(mmap.mmap(opened, max(size, 1)), np.uint8)[:size]
    finally:
        os.close(opened)
