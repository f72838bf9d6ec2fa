"""Operations in flight: what `iwrite_all` and `iread_all` begin, and `wait` ends."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import numpy.typing as npt

from striate.runtime.move.writing import Writing
from striate.runtime.report import Report


class Pending:
    """A write in flight. `wait` is collective; until then the old dataset is in place."""

    def __init__(
        self, writing: Writing, moved: Future[None] | None, finish: Callable[[Writing], Report]
    ) -> None:
        self.writing = writing
        self._moved = moved  # None: all was moved at once
        self._finish = finish
        self._report: Report | None = None

    def finish_moving(self) -> None:
        """Wait until no background work is left; raises what failed there."""
        if self._moved is not None:
            self._moved.result()

    def discard(self) -> None:
        """Cancel the write; the old dataset stays."""
        if self._moved is None or self._moved.exception() is None:
            self.writing.writers.discard()

    def wait(self) -> Report:
        """Collective: end the write; what was done. A second call gives the same."""
        if self._report is None:
            self._report = self._finish(self.writing)
        return self._report


class PendingRead:
    """A read in flight. `wait` gives the array; until then it must not be used."""

    def __init__(
        self, result: npt.NDArray[Any], done: Future[None], finish: Callable[[Future[None]], None]
    ) -> None:
        self._result = result
        self._done = done
        self._finish = finish

    def discard(self) -> None:
        """Cancel the read."""
        self._done.exception()

    def wait(self) -> npt.NDArray[Any]:
        """Collective: end the read; the array."""
        self._finish(self._done)
        return self._result
