"""Files that a program accesses through the module `os`: those calls are done, and told to the coordinator.

Objects of `open` are not seen: Python buffers them, and what it asks of the system does not pass through Python.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from typing import Any

from striate.simulate.mpi.link import link, outside

_NO_DATA = ("/dev/", "/proc/", "/sys/")

_open, _close, _fsync, _fdatasync = os.open, os.close, os.fsync, os.fdatasync
_pread, _pwrite, _preadv, _pwritev = os.pread, os.pwrite, os.preadv, os.pwritev
_read, _write = os.read, os.write


_files: dict[int, str] = {}  # regular files by descriptor


def _tell(kind: str, name: str, offset: int = 0, size: int = 0) -> None:
    link().tell("plain", kind, name, offset, size)


def open_file(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
    descriptor = _open(path, flags, mode, dir_fd=dir_fd)
    name = os.fsdecode(path) if isinstance(path, str | bytes | os.PathLike) else ""
    if name and not name.startswith(_NO_DATA) and stat.S_ISREG(os.fstat(descriptor).st_mode):
        _files[descriptor] = name
        _tell("create" if flags & os.O_CREAT else "open", name)
    return descriptor


def close_file(fd: int) -> None:
    _close(fd)
    file = _files.pop(fd, None)
    if file is not None:
        _tell("close", file)


def _synced(system: Callable[[int], None]) -> Callable[[Any], None]:
    def sync(fd: Any) -> None:
        system(fd)
        file = _files.get(fd if isinstance(fd, int) else fd.fileno())
        if file is not None:
            _tell("sync", file)

    return sync


def _told(kind: str, fd: int, offset: int, size: int) -> None:
    file = _files.get(fd)
    if file is not None and size:
        _tell(kind, file, offset, size)


def pread(fd: int, length: int, offset: int) -> bytes:
    content = _pread(fd, length, offset)
    _told("read", fd, offset, len(content))
    return content


def pwrite(fd: int, data: Any, offset: int) -> int:
    size = _pwrite(fd, data, offset)
    _told("write", fd, offset, size)
    return size


def preadv(fd: int, buffers: Sequence[Any], offset: int, flags: int = 0) -> int:
    size = _preadv(fd, buffers, offset, flags)
    _told("read", fd, offset, size)
    return size


def pwritev(fd: int, buffers: Sequence[Any], offset: int, flags: int = 0) -> int:
    size = _pwritev(fd, buffers, offset, flags)
    _told("write", fd, offset, size)
    return size


def read(fd: int, length: int) -> bytes:
    content = _read(fd, length)
    if fd in _files:
        _told("read", fd, os.lseek(fd, 0, os.SEEK_CUR) - len(content), len(content))
    return content


def write(fd: int, data: Any) -> int:
    size = _write(fd, data)
    if fd in _files:
        _told("write", fd, os.lseek(fd, 0, os.SEEK_CUR) - size, size)
    return size


def install() -> None:
    """From now on the calls of `os` are told."""
    os.open, os.close = outside(open_file), outside(close_file)
    os.fsync, os.fdatasync = outside(_synced(_fsync)), outside(_synced(_fdatasync))
    os.pread, os.pwrite = outside(pread), outside(pwrite)
    os.preadv, os.pwritev = outside(preadv), outside(pwritev)
    os.read, os.write = outside(read), outside(write)
