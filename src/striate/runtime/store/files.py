"""The store: sub-files where the servers keep them, and the metadata file beside them."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from striate import _core
from striate.errors import DamageError, DatasetError, StorageError, StriateError
from striate.runtime.store import metadata as meta

Bytes = npt.NDArray[np.uint8]

_MOST_VECTORS = 512
MOST_OPEN = 256  # sub-files that a process keeps open for one dataset
NO_FILE = (0, 0, 0)
REWRITTEN = "the dataset was written again since it was opened, and this sub-file is gone: open it again"

Stamp = tuple[int, int, int]  # inode, time of the last change, size


@dataclass(frozen=True)
class Store:
    """The directory of a dataset, and the servers' own directories where they have them."""

    path: Path
    directories: tuple[Path, ...]  # one per server, or none: all sub-files lie in `path`

    def folder(self, server: int) -> Path:
        """Where a server keeps its sub-files."""
        return self.directories[server] if self.directories else self.path

    def locate(self, subfile: meta.SubFile) -> Path:
        """The path of a sub-file."""
        return self.folder(subfile.server) / subfile.name

    def or_stored(self, directories: Sequence[str]) -> Store:
        """The servers' directories as the metadata has them, unless the caller has named others."""
        return self if self.directories else replace(self, directories=tuple(map(Path, directories)))

    @property
    def directory_names(self) -> list[str]:
        """The servers' directories as the metadata has them; none when a name is not UTF-8, as JSON must be."""
        names = [str(folder.absolute()) for folder in self.directories]
        try:
            "".join(names).encode()
        except UnicodeEncodeError:
            return []
        return names

    @property
    def metadata_path(self) -> Path:
        return self.path / meta.FILE_NAME


def check_directories(store: Store, servers: int, *, own: bool) -> None:
    """Refuse a number of directories that does not fit the servers."""
    if own and len(store.directories) != servers:
        raise DatasetError(
            f"expected one directory for each of {servers} servers, got {len(store.directories)} directories",
            source=str(store.path),
        )
    if not own and store.directories:
        raise DatasetError(
            "expected no directories of servers, because this dataset is stored in one directory",
            source=str(store.path),
        )


def load(path: str | os.PathLike[str]) -> meta.Metadata:
    """The metadata of the dataset at `path`, checked."""
    return load_metadata(Store(Path(path), ()))


def load_metadata(store: Store) -> meta.Metadata:
    """The metadata of the dataset; raises StorageError when there is none, DamageError when it was changed."""
    return meta.decode(read_metadata(store), str(store.metadata_path))


def read_metadata(store: Store) -> bytes:
    """The bytes of the metadata file; raises StorageError when there is none, DatasetError when it is huge."""
    return read_stamped(store)[0]


def read_stamped(store: Store) -> tuple[bytes, Stamp]:
    """As `read_metadata`, with what tells this file from its successors."""
    _look_anew(store.metadata_path)
    try:
        descriptor = os.open(store.metadata_path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ENXIO):
            raise
        raise StorageError("no Striate dataset here", 2, at=str(store.path)) from None
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise StorageError("no Striate dataset here", 2, at=str(store.path))
        content = file.read(meta.MOST_BYTES + 1)
    if len(content) > meta.MOST_BYTES:
        raise DatasetError(
            f"expected dataset metadata of at most {meta.MOST_BYTES} bytes, found more",
            source=str(store.path),
        )
    return content, _stamp(found)


def stamp_of(store: Store) -> Stamp:
    """What tells the metadata file that is there now from any other; NO_FILE when there is none."""
    _look_anew(store.metadata_path)
    try:
        return _stamp(store.metadata_path.stat())
    except (FileNotFoundError, NotADirectoryError):
        return NO_FILE


def _look_anew(path: Path) -> None:
    """Let this host see a file that another host has just put in the place of the one it knows.

    Clients of GlusterFS keep names, and what small files hold, for a second. They do not keep that an attribute is
    missing: the server is asked, it no longer has the old file, and the name is looked up again.
    """
    with contextlib.suppress(OSError):
        os.getxattr(path, "user.striate")


def _stamp(found: os.stat_result) -> Stamp:
    return found.st_ino, found.st_mtime_ns, found.st_size


def write_part(path: Path, content: bytes, *, sync: bool) -> Path:
    """`content` in a file beside `path`, ready to be renamed to it."""
    part = path.with_name(f".{path.name}.part")
    with part.open("wb") as file:
        file.write(content)
        file.flush()
        if sync:
            os.fsync(file.fileno())
    return part


def sync_folder(path: Path) -> None:
    """Make the names in a directory durable."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class SubfileWriter:
    """One server's new sub-file, made when the first bytes come."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.descriptor = -1
        self.made = False
        self.flushed = True
        self.written_bytes = 0

    def write(self, offset: int, buffers: Sequence[memoryview]) -> None:
        """Write the buffers one after another from `offset` on."""
        if self.descriptor < 0:
            self.descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
            self.made = True
        self.flushed = False
        for first in range(0, len(buffers), _MOST_VECTORS):
            offset = self._write_some(offset, list(buffers[first : first + _MOST_VECTORS]))

    def _write_some(self, offset: int, buffers: list[memoryview]) -> int:
        while buffers:
            try:
                count = os.pwritev(self.descriptor, buffers, offset)
            except OSError as error:
                raise StorageError(
                    os.strerror(error.errno or 5).lower(), error.errno, at=str(self.path)
                ) from error
            offset += count
            self.written_bytes += count
            while buffers and count >= len(buffers[0]):
                count -= len(buffers.pop(0))
            if buffers:
                buffers[0] = buffers[0][count:]
        return offset

    def flush(self) -> None:
        """Make durable what was written since the last time."""
        if not self.flushed:
            os.fsync(self.descriptor)
            self.flushed = True

    def close(self, *, sync: bool) -> None:
        """Close the file, and make it durable when asked."""
        if self.descriptor < 0:
            return
        try:
            if sync:
                self.flush()
                sync_folder(self.path.parent)
        finally:
            os.close(self.descriptor)
            self.descriptor = -1

    def discard(self) -> None:
        """Remove what was written: it belongs to no dataset."""
        self.close(sync=False)
        if self.made:
            self.path.unlink(missing_ok=True)


class SubfileReader:
    """Sub-files opened for reading, each once, and only when its size is as it was written."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.descriptors: dict[str, int] = {}
        self.mapped: dict[str, _core.MappedFile] = {}

    def read_into(self, subfile: meta.SubFile, offset: int, buffers: list[Bytes]) -> None:
        """Fill the buffers from `offset` on; raises DamageError when the file ends before."""
        descriptor = self._open(subfile)
        views = [buffer.data for buffer in buffers if buffer.size]
        wanted = sum(len(view) for view in views)
        while wanted:
            count = os.preadv(descriptor, views, offset)
            if count <= 0:
                raise DamageError("the sub-file was truncated", at=str(self.store.locate(subfile)))
            wanted -= count
            offset += count
            while views and count >= len(views[0]):
                count -= len(views.pop(0))
            if views:
                views[0] = views[0][count:]

    def map(self, subfile: meta.SubFile) -> _core.MappedFile:
        """The sub-file as memory; raises RuntimeError where its file system has no such thing."""
        if subfile.name not in self.mapped:
            self.mapped[subfile.name] = _core.MappedFile(self._open(subfile), subfile.bytes)
        return self.mapped[subfile.name]

    def state(self, subfile: meta.SubFile) -> tuple[int, int]:
        """Size and time of the last change: two equal states have the same bytes between them."""
        found = os.fstat(self._open(subfile))
        return found.st_size, found.st_mtime_ns

    def hold(self, subfiles: Iterable[meta.SubFile]) -> bool:
        """Open these and close all others: what is open stays readable when a later write removes it.

        False when one is missing. Beyond MOST_OPEN files are opened when they are read.
        """
        wanted = list(subfiles)[:MOST_OPEN]
        self._close_but({subfile.name for subfile in wanted})
        try:
            for subfile in wanted:
                self._open(subfile)
        except StorageError as error:
            return error.errno != errno.ENOENT
        except DamageError:
            return True  # to be told when it is read
        return True

    def _open(self, subfile: meta.SubFile) -> int:
        if subfile.name in self.descriptors:
            return self.descriptors[subfile.name]
        path = self.store.locate(subfile)
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError as error:
            reason = str(error.strerror).lower()
            if isinstance(error, FileNotFoundError):
                reason = "the sub-file is missing" if self._is_named(subfile) else REWRITTEN
            raise StorageError(reason, error.errno, at=str(path)) from error
        found = os.fstat(descriptor)
        if found.st_size != subfile.bytes or not stat.S_ISREG(found.st_mode):
            os.close(descriptor)
            raise DamageError(
                f"expected a sub-file of {subfile.bytes} bytes, found {found.st_size}", at=str(path)
            )
        self.descriptors[subfile.name] = descriptor
        return descriptor

    def _is_named(self, subfile: meta.SubFile) -> bool:
        """True unless sound metadata says that the dataset is done with this sub-file."""
        try:
            return subfile in load_metadata(self.store).subfiles
        except (StriateError, OSError):
            return True

    def close(self) -> None:
        """Close all files."""
        self._close_but(set())

    def _close_but(self, names: set[str]) -> None:
        for name in [name for name in self.descriptors if name not in names]:
            self.mapped.pop(name, None)
            os.close(self.descriptors.pop(name))
