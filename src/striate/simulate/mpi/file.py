"""MPI-IO: the bytes go to real files of the program, and what was asked for is told to the coordinator.

Bytes move before the call is made: what was written before a collective call, or before a message, is there after it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from os import close as close_descriptor
from os import pread, pwrite  # the system's own: those of `os` are told apart (plain_files)
from typing import Any

import numpy as np

from striate.layout.datatypes import FileView
from striate.layout.extents import Extents
from striate.simulate.mpi import constants
from striate.simulate.mpi.buffers import Part, whole_part
from striate.simulate.mpi.comm import Comm, Errhandler
from striate.simulate.mpi.datatype import PREDEFINED, MpiDatatype
from striate.simulate.mpi.errors import Refusing, failed, refuse_unknown
from striate.simulate.mpi.group import MpiGroup
from striate.simulate.mpi.info import Info
from striate.simulate.mpi.link import all_outside, link
from striate.simulate.mpi.open_file import FileName, erase, open_by_all
from striate.simulate.mpi.request import MpiRequest
from striate.simulate.mpi.status import Status
from striate.simulate.wire import BLOCKING, ReceivedMessage

BYTE = PREDEFINED["BYTE"]


def _told(runs: Extents) -> tuple[list[int], list[int]]:
    return runs.offsets.tolist(), runs.sizes.tolist()


class MpiFile(metaclass=Refusing):
    """A file that the ranks of a communicator opened together."""

    def __init__(self) -> None:
        self._descriptor = -1

    def _become(self, comm: Comm, name: str, mode: int, info: Info, descriptor: int) -> None:
        self._comm, self._name, self._mode, self._info = comm, name, mode, info
        self._descriptor = descriptor
        self._etype: MpiDatatype = BYTE
        self._filetype: MpiDatatype = BYTE
        self._view = FileView(0, BYTE.runs)
        self._position = 0  # in etypes of the view
        self.atomicity = False

    __getattr__ = refuse_unknown("File")

    def __bool__(self) -> bool:
        return self._descriptor >= 0

    # ---- opening and closing

    @classmethod
    def Open(
        cls, comm: Comm, filename: FileName, amode: int = constants.MODE_RDONLY, info: Info | None = None
    ) -> MpiFile:
        name = os.fsdecode(os.fspath(filename))
        hints = dict(info.items()) if info is not None else {}
        descriptor = open_by_all(comm, name, amode, hints)
        made = cls()
        made._become(comm, name, amode, Info(hints), descriptor)
        if amode & constants.MODE_APPEND:
            made._position = os.fstat(descriptor).st_size
        return made

    def Close(self) -> None:
        descriptor, self._descriptor = self._open(), -1
        close_descriptor(descriptor)
        self._together("close")
        if self._mode & constants.MODE_DELETE_ON_CLOSE and self._comm.Get_rank() == 0:
            erase(self._name)

    @classmethod
    def Delete(cls, filename: FileName, info: Info | None = None) -> None:
        erase(os.fsdecode(os.fspath(filename)))

    def _open(self) -> int:
        if self._descriptor < 0:
            raise failed("ERR_FILE", "the file is not open")
        return self._descriptor

    def _together(self, kind: str) -> None:
        link().ask("file_together", self._comm._id, kind, self._name)

    # ---- the view and the pointer

    def Set_view(
        self,
        disp: int = 0,
        etype: MpiDatatype | None = None,
        filetype: MpiDatatype | None = None,
        datarep: str = "native",
        info: Info | None = None,
    ) -> None:
        if datarep not in ("native", "internal"):
            raise failed("ERR_ARG", f"data representation {datarep!r}")
        self._etype = etype or BYTE
        self._filetype = filetype or self._etype
        self._view = FileView(disp, self._filetype.runs)
        self._position = 0

    def Get_view(self) -> tuple[int, MpiDatatype, MpiDatatype, str]:
        return self._view.displacement, self._etype, self._filetype, "native"

    def Seek(self, offset: int, whence: int = constants.SEEK_SET) -> None:
        if whence == constants.SEEK_CUR:
            offset += self._position
        elif whence == constants.SEEK_END:
            offset += self._end()
        if offset < 0:
            raise failed("ERR_ARG", f"a position of {offset}")
        self._position = offset

    def _end(self) -> int:
        """The first position of the view at or behind the end of the file."""
        size = max(0, os.fstat(self._open()).st_size - self._view.displacement)
        tiles, rest = divmod(size, self._filetype.extent)
        runs = self._filetype.runs.runs
        covered = int(np.clip(rest - runs.offsets, 0, runs.sizes).sum())
        return -(-(tiles * self._filetype.size + covered) // self._etype.size)

    def Get_position(self) -> int:
        return self._position

    def Get_byte_offset(self, offset: int) -> int:
        return int(self._view.extents(offset * self._etype.size, 1).offsets[0])

    # ---- the file itself

    def Get_size(self) -> int:
        link().ask("file_alone", "stat", self._name)
        return os.fstat(self._open()).st_size

    size = property(lambda self: self.Get_size())

    def Set_size(self, size: int) -> None:
        if self._comm.Get_rank() == 0:
            os.ftruncate(self._open(), size)
        self._comm.barrier()

    def Preallocate(self, size: int) -> None:
        if self._comm.Get_rank() == 0 and os.fstat(self._open()).st_size < size:
            os.ftruncate(self._open(), size)
        self._comm.barrier()

    def Sync(self) -> None:
        self._open()
        self._together("sync")

    def Get_amode(self) -> int:
        return self._mode

    amode = property(Get_amode)

    def Get_group(self) -> MpiGroup:
        return self._comm.Get_group()

    def Get_info(self) -> Info:
        return self._info.Dup()

    def Set_info(self, info: Info) -> None:
        self._info.update(dict(info.items()))

    def Set_atomicity(self, flag: bool) -> None:
        self.atomicity = flag

    def Get_atomicity(self) -> bool:
        return self.atomicity

    def Set_errhandler(self, errhandler: Errhandler) -> None:
        """Errors are exceptions, whatever the program asks for."""

    # ---- access

    def _expect_mode(self, writes: bool) -> int:
        descriptor = self._open()
        if writes and self._mode & constants.MODE_RDONLY:
            raise failed("ERR_READ_ONLY", f"{self._name} was opened to be read")
        if not writes and self._mode & constants.MODE_WRONLY:
            raise failed("ERR_ACCESS", f"{self._name} was opened to be written")
        return descriptor

    def _access(
        self, part: Part, offset: int, *, writes: bool, together: bool, handle: int
    ) -> Callable[[Any], Any]:
        """Tell or make the access at `offset` of the view; what is to be done when it is over."""
        descriptor = self._expect_mode(writes)
        runs = self._view.extents(offset * self._etype.size, part.size)
        content = part.content() if writes else _get(descriptor, runs)
        if writes:
            _put(descriptor, runs, content)
        group = self._comm._id if together else None
        arguments = ("file_access", group, self._name, writes, _told(runs), handle)
        if handle == BLOCKING:
            link().ask(*arguments)
        else:
            link().tell(*arguments)

        def finish(_: Any) -> ReceivedMessage:
            if not writes:
                part.fill(content)
            return ReceivedMessage(0, 0, len(content), b"")

        return finish

    def _now(self, buf: Any, offset: int, status: Status | None, *, writes: bool, together: bool) -> int:
        """A blocking access; how many etypes it read or wrote."""
        finish = self._access(whole_part(buf), offset, writes=writes, together=together, handle=BLOCKING)
        done: ReceivedMessage = finish(None)
        if status is not None:
            status.note(done)
        return done.size // self._etype.size

    def _later(self, buf: Any, offset: int, *, writes: bool, together: bool) -> MpiRequest:
        handle = link().new_handle()
        finish = self._access(whole_part(buf), offset, writes=writes, together=together, handle=handle)
        return MpiRequest(handle, finish)


def _put(descriptor: int, runs: Extents, content: bytes) -> None:
    at = 0
    for offset, size in zip(runs.offsets.tolist(), runs.sizes.tolist(), strict=True):
        end = at + size
        while at < end:
            written = pwrite(descriptor, content[at:end], offset)
            at, offset = at + written, offset + written


def _get(descriptor: int, runs: Extents) -> bytes:
    """The bytes of the runs, as far as the file goes."""
    found = []
    for offset, size in zip(runs.offsets.tolist(), runs.sizes.tolist(), strict=True):
        content = pread(descriptor, size, offset)
        found.append(content)
        if len(content) < size:
            break
    return b"".join(found)


def _add_accesses() -> None:
    """Read and write, at the pointer or at an offset, alone or together, blocking or not."""
    for verb, writes in (("read", False), ("write", True)):
        for at in (False, True):
            for together in (False, True):
                name = f"{verb}{'_at' if at else ''}{'_all' if together else ''}"
                setattr(MpiFile, name.capitalize(), _blocking(writes, at, together))
                setattr(MpiFile, f"I{name}", _started(writes, at, together))


def _blocking(writes: bool, at: bool, together: bool) -> Any:
    def at_offset(self: MpiFile, offset: int, buf: Any, status: Status | None = None) -> None:
        self._now(buf, offset, status, writes=writes, together=together)

    def at_pointer(self: MpiFile, buf: Any, status: Status | None = None) -> None:
        self._position += self._now(buf, self._position, status, writes=writes, together=together)

    return at_offset if at else at_pointer


def _started(writes: bool, at: bool, together: bool) -> Any:
    def at_offset(self: MpiFile, offset: int, buf: Any) -> MpiRequest:
        return self._later(buf, offset, writes=writes, together=together)

    def at_pointer(self: MpiFile, buf: Any) -> MpiRequest:
        part = whole_part(buf)
        begin, self._position = self._position, self._position + part.size // self._etype.size
        return self._later(buf, begin, writes=writes, together=together)

    return at_offset if at else at_pointer


_add_accesses()
all_outside(MpiFile)
FILE_NULL = MpiFile()
