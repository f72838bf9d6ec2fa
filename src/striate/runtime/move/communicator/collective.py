"""Collective failure: what fails on one rank fails on all, with the same error, and nobody is left waiting."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Any

import msgspec
import xxhash

from striate import errors
from striate.errors import DatasetError, StorageError, StriateError
from striate.runtime.move.communicator.ranks import Ranks


class Failure(msgspec.Struct):
    """An error as plain data, to be raised again elsewhere."""

    kind: str
    message: str
    number: int | None
    at: str | None
    source: str | None


class Collective:
    """`with Collective(ranks): ...`: local work of every rank, and a meeting of all at its end.

    The body does nothing collective. When it fails anywhere, every rank raises the error of the lowest rank
    that failed. `values` are brought to the meeting; `largest` are the largest over all ranks after it. What
    `same` names must be equal on all ranks, else all refuse it.
    """

    def __init__(self, ranks: Ranks, *values: int, same: dict[str, object] | None = None) -> None:
        self.ranks = ranks
        self.values = list(values)
        self.same = same or {}
        self.largest: list[int] = []

    def __enter__(self) -> Collective:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and not isinstance(error, Exception):
            return  # an interrupt ends the program; the launcher ends the others
        failed = -1 if error is None else self.ranks.size - self.ranks.rank
        prints = [fingerprint(value) for value in self.same.values()]
        worst, *met = self.ranks.largest([failed, *prints, *(-one for one in prints), *self.values])
        if worst >= 0:
            _raise_everywhere(self.ranks, error, root=self.ranks.size - worst)
        highest, lowest, self.largest = (
            met[: len(prints)],
            met[len(prints) :][: len(prints)],
            met[2 * len(prints) :],
        )
        differ = [
            name for name, most, least in zip(self.same, highest, lowest, strict=True) if most != -least
        ]
        if differ:
            raise DatasetError(
                f"expected the same {' and '.join(differ)} on all ranks, got different values on some ranks"
            )


def fingerprint(value: object) -> int:
    """A number for a value: different for different ones, but for one case in 2^62."""
    return xxhash.xxh3_64_intdigest(repr(value).encode()) >> 2


def _raise_everywhere(ranks: Ranks, error: Exception | None, *, root: int) -> None:
    content = b""
    if ranks.rank == root:
        assert error is not None
        content = msgspec.json.encode(_as_utf8(describe(error)))
    failure = msgspec.json.decode(ranks.broadcast(content, root), type=Failure)
    where = f"rank {root}: " if ranks.size > 1 else ""
    raise _rebuilt(failure, where) from (error if ranks.rank == root else None)


def describe(error: Exception) -> Failure:
    """The error as plain data; an error of the system becomes one of storage, with its name."""
    if isinstance(error, StorageError):
        return Failure("StorageError", error.message, error.errno, error.at, error.source)
    if isinstance(error, StriateError):
        return Failure(type(error).__name__, error.message, None, error.at, error.source)
    if isinstance(error, OSError):
        reason = os.strerror(error.errno).lower() if error.errno else str(error)
        return Failure("StorageError", reason, error.errno, str(error.filename or "") or None, None)
    if isinstance(error, MemoryError):
        return Failure("StorageError", "out of memory", None, None, None)
    return Failure("DatasetError", f"{type(error).__name__}: {error}", None, None, None)


def _as_utf8(failure: Failure) -> Failure:
    """The same with bytes of names that are not UTF-8 spelt out."""
    plain = {
        name: value.encode("utf-8", "backslashreplace").decode()
        for name in ("message", "at", "source")
        if (value := getattr(failure, name)) is not None
    }
    return msgspec.structs.replace(failure, **plain)


def _rebuilt(failure: Failure, where: str) -> StriateError:
    message = where + failure.message
    if failure.kind == "StorageError":
        return StorageError(message, failure.number, at=failure.at, source=failure.source)
    kind: Any = getattr(errors, failure.kind, DatasetError)
    rebuilt: StriateError = kind(message, at=failure.at, source=failure.source)
    return rebuilt
