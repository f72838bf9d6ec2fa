"""Plain MPI-IO: the same records in one shared file, by the MPI library's own collective calls.

For file systems whose MPI knows better, and for comparison. The file is the bare array, with no checksums.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from striate.errors import DatasetError


class SharedFile:
    """`write_all(indices, records)` and `read_all(indices)` on one file, through indexed views.

    MPI wants a view's places ascending and, for writing, each once: records are put in that order first. Two ranks
    that write one record leave either of them; resolve that before, or use a dataset.
    """

    def __init__(self, comm: Any, path: str | os.PathLike[str], dtype: Any, hints: Mapping[str, str]) -> None:
        self.comm = comm
        self.path = os.fspath(path)
        self.dtype = np.dtype(dtype)
        self.hints = dict(hints)

    def view(self, indices: npt.ArrayLike) -> View:
        """How `indices` lie in the file; to be used again while they do not change."""
        return View(np.asarray(indices), self.dtype.itemsize)

    def write_all(self, view: View, records: npt.NDArray[Any], *, collective: bool = True) -> None:
        """Collective: put records in their places."""
        from mpi4py import MPI

        if records.dtype != self.dtype or len(records) != view.count:
            raise DatasetError(
                f"expected {view.count} records of {self.dtype}, got {len(records)} of {records.dtype}"
            )
        ordered = np.ascontiguousarray(records).view(self._opaque()).take(view.order)
        with _opened(self, MPI.MODE_WRONLY | MPI.MODE_CREATE) as file:
            file.Set_view(0, MPI.BYTE, view.filetype)
            write = file.Write_at_all if collective else file.Write_at
            write(0, [ordered.view(np.uint8), MPI.BYTE])

    def read_all(self, view: View, *, collective: bool = True) -> npt.NDArray[Any]:
        """Collective: the records at their places, in the order of the indices."""
        from mpi4py import MPI

        ordered = np.empty(len(view.places), self._opaque())
        with _opened(self, MPI.MODE_RDONLY) as file:
            file.Set_view(0, MPI.BYTE, view.filetype)
            read = file.Read_at_all if collective else file.Read_at
            read(0, [ordered.view(np.uint8), MPI.BYTE])
        result: npt.NDArray[Any] = ordered.take(view.back).view(self.dtype)
        return result

    def _opaque(self) -> np.dtype[Any]:
        """Records as plain bytes: NumPy moves them several times faster than fields."""
        return np.dtype((np.void, self.dtype.itemsize))


class View:
    """Places in ascending order, each once; `order` picks the records to write, `back` spreads those read."""

    def __init__(self, indices: npt.NDArray[Any], record_bytes: int) -> None:
        from mpi4py import MPI

        self.count = len(indices)
        self.places, self.back = np.unique(indices, return_inverse=True)
        self.order = np.zeros(len(self.places), np.int64)
        self.order[self.back] = np.arange(self.count)  # the later of equal indices stays
        element = MPI.BYTE.Create_contiguous(record_bytes)
        self.filetype = element.Create_indexed_block(1, self.places.astype(np.int64).tolist())
        self.filetype.Commit()
        element.Free()


@contextmanager
def _opened(shared: SharedFile, mode: int) -> Iterator[Any]:
    from mpi4py import MPI

    info = MPI.Info.Create(shared.hints)
    file = MPI.File.Open(shared.comm, shared.path, mode, info)
    info.Free()
    try:
        yield file
    finally:
        file.Close()
