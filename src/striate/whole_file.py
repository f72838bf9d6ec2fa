"""Files and folders that appear whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from striate.errors import OutputError, StriateError

_unfinished: set[Path] = set()  # what this process must not leave behind


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Where to write what becomes the file `path` when the block ends well, and is gone when it does not.

    The place has a random name in the folder of `path`, is made by O_EXCL, so that nobody can put a link there, and has
    the mode of the file that it replaces. A link at `path` itself is followed. A device or a pipe holds nothing to keep
    and must stay what it is: it is written to itself. Raises OutputError when the system refuses.
    """
    if path.exists() and not path.is_file():
        with _refusals(path):
            yield path
        return
    target = path.resolve()
    place = target.with_name(f".striate-{os.urandom(8).hex()}.part")
    with _refusals(path):
        _unfinished.add(place)
        try:
            _make(place, target)
            yield place
            place.replace(target)
        finally:
            place.unlink(missing_ok=True)
            _unfinished.discard(place)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Where to write what becomes the folder `path` when the block ends well; what was there is replaced as a whole."""
    scratch = path.resolve().with_name(f".striate-{os.urandom(8).hex()}.parts")
    with _refusals(path):
        _unfinished.add(scratch)
        try:
            scratch.mkdir(mode=0o700)
            yield scratch / "new"
            if os.path.lexists(path):
                path.rename(scratch / "old")
            (scratch / "new").rename(path)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
            _unfinished.discard(scratch)


def remove_unfinished() -> None:
    """Remove what is being written, for a process that ends at once."""
    for place in list(_unfinished):
        shutil.rmtree(place, ignore_errors=True) if place.is_dir() else place.unlink(missing_ok=True)


def _make(place: Path, target: Path) -> None:
    """An empty file that only this process can have made, with the mode that the result is to have."""
    mode = target.stat().st_mode & 0o777 if target.exists() else None
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    descriptor = os.open(place, flags, 0o666 if mode is None else 0o600)
    try:
        if mode is not None:
            os.fchmod(descriptor, mode)
    finally:
        os.close(descriptor)


@contextmanager
def _refusals(path: Path) -> Iterator[None]:
    try:
        yield
    except StriateError:
        raise
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise OutputError(f"cannot write: {reason}", at=str(path)) from error
