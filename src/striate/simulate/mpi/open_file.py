"""Opening a real file by all ranks of a communicator: the first one makes it, and tells the others how that went."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from os import open as open_descriptor  # the system's own
from pathlib import Path
from typing import Any

from striate.simulate.mpi import constants
from striate.simulate.mpi.errors import MpiError, failed
from striate.simulate.mpi.link import link

FileName = str | bytes | os.PathLike[str]

_CLASSES = {
    errno.ENOENT: "ERR_NO_SUCH_FILE",
    errno.EEXIST: "ERR_FILE_EXISTS",
    errno.EACCES: "ERR_ACCESS",
    errno.EROFS: "ERR_READ_ONLY",
    errno.ENOSPC: "ERR_NO_SPACE",
    errno.EISDIR: "ERR_BAD_FILE",
}


def of_system(error: OSError, name: str) -> MpiError:
    """MPI's error for one of the operating system."""
    return failed(_CLASSES.get(error.errno or 0, "ERR_IO"), f"{error.strerror or error} - at {name}")


def _flags(mode: int) -> int:
    kinds = [mode & bit for bit in (constants.MODE_RDONLY, constants.MODE_WRONLY, constants.MODE_RDWR)]
    if sum(map(bool, kinds)) != 1:
        raise failed("ERR_AMODE", "expected one of MODE_RDONLY, MODE_WRONLY and MODE_RDWR")
    if mode & constants.MODE_RDONLY:
        if mode & (constants.MODE_CREATE | constants.MODE_EXCL):
            raise failed("ERR_AMODE", "a file to be read is not created")
        return os.O_RDONLY
    return os.O_WRONLY if mode & constants.MODE_WRONLY else os.O_RDWR


def open_by_all(comm: Any, name: str, mode: int, hints: Mapping[str, str]) -> int:
    """Collective: a descriptor of the file; the same error on all ranks when the first could not open it."""
    flags, descriptor, error = _flags(mode), -1, None
    if comm.Get_rank() == 0:
        made = (os.O_CREAT if mode & constants.MODE_CREATE else 0) | (
            os.O_EXCL if mode & constants.MODE_EXCL else 0
        )
        try:
            descriptor = open_descriptor(name, flags | made, 0o666)
        except OSError as found:
            error = of_system(found, name)
    create = bool(mode & constants.MODE_CREATE)
    told = None if error is None else (error.ierr, error.words)
    first: tuple[int, str] | None = link().ask("open", comm._id, name, create, dict(hints), told)
    if first is not None:
        raise MpiError(*first)
    try:
        return descriptor if descriptor >= 0 else open_descriptor(name, flags)
    except OSError as found:
        raise of_system(found, name) from None


def erase(name: str) -> None:
    """Delete the file."""
    link().ask("file_alone", "delete", name)
    try:
        Path(name).unlink()
    except OSError as found:
        raise of_system(found, name) from None
