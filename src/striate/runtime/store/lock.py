"""The writer's lock: one program at a time writes a dataset; readers never ask for it.

The lock is the kernel's (`flock`), so it goes with the process that has it, however that ends. The file says who has
it and what it is writing: what a dead writer left is known by that, and removed by the next. On a file system without
such locks a claim file takes their place, which is given up when its process is found dead.
"""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import time
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from striate.errors import DatasetError, StorageError

FILE_NAME = ".lock"
CLAIM_NAME = ".lock.claim"
MOST_BYTES = 2**20
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)


class Unfinished(msgspec.Struct, frozen=True):
    """A write that may have been interrupted: the dataset it was for, and the servers' directories it used."""

    identity: str
    directories: list[str]


class Holder(msgspec.Struct, frozen=True, kw_only=True):
    """Who writes: a process, told apart from a later one of the same number by when it began."""

    host: str
    pid: int
    began: str
    since: str
    unfinished: list[Unfinished]

    def is_gone(self) -> bool:
        """True when the process is known to have ended; of other hosts nothing is known."""
        return self.host == socket.gethostname() and _began(self.pid) != self.began

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host} since {self.since}"


@dataclass
class WriterLock:
    """The lock on one dataset, shared by all handles of this process; `writer` is the one with a write in flight."""

    path: Path
    descriptor: int
    by_kernel: bool
    holder: Holder
    handles: int = 1
    writer: object | None = None
    key: tuple[int, int, int] = field(default=(0, 0, 0))

    def begin(self, writer: object) -> None:
        """Refuse a write while another handle of this process has one in flight."""
        if self.writer is not None and self.writer is not writer:
            raise DatasetError(
                "another handle of this program has a write in flight: wait() for it first", at=str(self.path)
            )
        self.writer = writer

    def end(self, writer: object) -> None:
        """The write is over."""
        if self.writer is writer:
            self.writer = None

    def leave(self) -> None:
        """One handle less; the last one gives the lock back."""
        self.handles -= 1
        if self.handles or _taken.pop(self.key, None) is None:
            return
        os.ftruncate(self.descriptor, 0)
        if not self.by_kernel:
            (self.path / CLAIM_NAME).unlink(missing_ok=True)
        os.close(self.descriptor)  # and with it the kernel's lock


_taken: dict[
    tuple[int, int, int], WriterLock
] = {}  # by process and directory; a forked child has none of them


def take_lock(path: Path, unfinished: Unfinished) -> WriterLock:
    """The lock on the dataset at `path`; refuses while another program has it.

    What earlier writers that died have left stays listed in `holder.unfinished`, before our own entry.
    """
    found = path.stat()
    key = (os.getpid(), found.st_dev, found.st_ino)
    if key in _taken:
        _taken[key].handles += 1
        return _taken[key]
    descriptor = os.open(path / FILE_NAME, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    try:
        by_kernel = _lock(descriptor, path)
        holder = _holder([*_left(descriptor), unfinished])
        if not by_kernel:
            _claim(path, holder)
        _write(descriptor, holder)
    except BaseException:
        os.close(descriptor)
        raise
    _taken[key] = WriterLock(path, descriptor, by_kernel, holder, key=key)
    return _taken[key]


def unfinished_writes(path: Path) -> list[Unfinished] | None:
    """What writers that died have left, for those who look only; None while a writer is at work."""
    try:
        descriptor = os.open(path / FILE_NAME, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return []
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return _left(descriptor)
    except BlockingIOError:
        return None
    except OSError:
        holder = _read(descriptor)
        return None if holder is not None and not holder.is_gone() else _left(descriptor)
    finally:
        os.close(descriptor)


def _lock(descriptor: int, path: Path) -> bool:
    """Take the kernel's lock; False where the file system has none."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise _refusal(path, _read(descriptor)) from None
    except OSError as error:
        if error.errno in _NO_LOCKS:
            return False
        raise
    return True


def _claim(path: Path, holder: Holder) -> None:
    """Make the claim file, of which a file system makes one only; that of a dead process is moved away first."""
    claim = path / CLAIM_NAME
    for _ in range(3):
        try:
            descriptor = os.open(claim, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
        except FileExistsError:
            _give_up_if_dead(path, claim)
            continue
        _write(descriptor, holder)
        os.close(descriptor)
        return
    raise _refusal(path, None)


def _give_up_if_dead(path: Path, claim: Path) -> None:
    try:
        descriptor = os.open(claim, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return
    try:
        other = _read(descriptor)
    finally:
        os.close(descriptor)
    if other is None or not other.is_gone():
        raise _refusal(path, other)
    aside = claim.with_name(f"{CLAIM_NAME}.{os.getpid()}")
    try:
        claim.rename(aside)
    except FileNotFoundError:
        return  # another program was faster
    aside.unlink(missing_ok=True)


def _refusal(path: Path, holder: Holder | None) -> DatasetError:
    who = "another program" if holder is None else str(holder)
    return DatasetError(
        f"the dataset is being written by {who}; only one program can write at a time", at=str(path)
    )


def _holder(unfinished: list[Unfinished]) -> Holder:
    since = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime())
    pid = os.getpid()
    return Holder(host=socket.gethostname(), pid=pid, began=_began(pid), since=since, unfinished=unfinished)


def _began(pid: int) -> str:
    """When a process of this host began, by its kernel; empty when there is none."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return f"{boot} {fields[19]}"


def _left(descriptor: int) -> list[Unfinished]:
    holder = _read(descriptor)
    return [] if holder is None else holder.unfinished


def _read(descriptor: int) -> Holder | None:
    content = os.pread(descriptor, MOST_BYTES, 0)
    try:
        return msgspec.json.decode(content, type=Holder)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _write(descriptor: int, holder: Holder) -> None:
    content = msgspec.json.encode(holder)
    os.ftruncate(descriptor, 0)
    if os.pwrite(descriptor, content, 0) != len(content):
        raise StorageError("no space left on device", errno.ENOSPC)
