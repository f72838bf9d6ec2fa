"""Where bytes at offsets go: a plain file for a program alone, MPI-IO when there are ranks."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Protocol

from striate.layout.distributions.simple_stripe import SimpleStripe
from striate.layout.distributions.varstrip import VarStrip
from striate.layout.layout import Layout


class SampleStore(Protocol):
    """A file open for writing at any place."""

    def write_at(self, offset: int, content: bytes) -> None: ...

    def sync_all(self) -> None:
        """Return when the bytes of every rank are on disk."""

    def close_all(self) -> None: ...


class PlainStore:
    """One process and the operating system."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)

    def write_at(self, offset: int, content: bytes) -> None:
        written = 0
        while written < len(content):
            written += os.pwrite(self._file, content[written:], offset + written)

    def sync_all(self) -> None:
        os.fsync(self._file)

    def close_all(self) -> None:
        os.close(self._file)


class MpiStore:
    """MPI-IO: every rank writes where the map says, on its own."""

    def __init__(self, path: Path, comm: Any, layout: Layout | None) -> None:
        from mpi4py import MPI

        info = MPI.Info.Create()
        for key, value in hints(layout).items():
            info.Set(key, value)
        self._comm = comm
        self._file = MPI.File.Open(comm, str(path), MPI.MODE_RDWR | MPI.MODE_CREATE, info)
        info.Free()

    def write_at(self, offset: int, content: bytes) -> None:
        self._file.Write_at(offset, content)

    def sync_all(self) -> None:
        self._file.Sync()
        self._comm.Barrier()

    def close_all(self) -> None:
        self._file.Close()


def hints(layout: Layout | None) -> dict[str, str]:
    """The MPI-IO hints that ask the file system for a layout; none for one it cannot be asked for."""
    from striate.runtime.hints import hints as hints_of

    return hints_of(layout=layout) if isinstance(layout, SimpleStripe | VarStrip) else {}
