"""A time budget, dealt out to the parts of a measurement."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from striate.probe.samples import Floats


class Deadline:
    """So many seconds from now."""

    def __init__(self, seconds: float) -> None:
        self._end = time.perf_counter() + seconds

    @property
    def left(self) -> float:
        """Seconds left, 0 when over."""
        return max(0.0, self._end - time.perf_counter())

    @property
    def over(self) -> bool:
        return self.left == 0


def repeated(once: Callable[[], float], seconds: float, *, least: int = 5, most: int = 200) -> list[float]:
    """What `once` returns, again and again for `seconds`, at least and at most so often."""
    deadline, found = Deadline(seconds), list[float]()
    while len(found) < least or (len(found) < most and not deadline.over):
        found.append(once())
    return found


def timed(
    act: Callable[[int], object],
    places: range | list[int],
    seconds: float,
    busy: list[float],
    *,
    again: Callable[[], object] = lambda: None,
) -> Floats:
    """Seconds of `act` at one place after the other, with `again` before each repetition; CPU seconds go to `busy`."""
    deadline, found, turn = Deadline(seconds), list[float](), 0
    while len(found) < 8 or (len(found) < 400 and not deadline.over):
        if turn % len(places) == 0:
            again()
        cpu, before = time.process_time(), time.perf_counter()
        act(places[turn % len(places)])
        found.append(time.perf_counter() - before)
        busy.append(time.process_time() - cpu)
        turn += 1
    return np.array(found)


def affordable(one_round: float, seconds: float, *, least: int = 8, most: int = 200) -> int:
    """How many rounds of that length fit into `seconds`, between `least` and `most`."""
    return int(min(max(seconds / max(one_round, 1e-9), least), most))
