"""An end to what takes too long: a timer of the process that interrupts Python, and the core where it polls."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

_LONGEST = 1e8  # seconds that a timer can take


class OutOfTime(BaseException):
    """The time given is over."""


@contextmanager
def ended_after(seconds: float) -> Iterator[None]:
    """Raise OutOfTime in the block when it takes longer; outside the main thread, where no signal comes, never."""
    if not seconds > 0:
        raise OutOfTime
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, _ring)
    left, again = signal.setitimer(signal.ITIMER_REAL, min(seconds, _LONGEST))
    begun = time.monotonic()
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if left:  # somebody else's timer goes on
            signal.setitimer(signal.ITIMER_REAL, max(1e-6, left - (time.monotonic() - begun)), again)


def _ring(number: int, frame: FrameType | None) -> None:
    raise OutOfTime


@dataclass(frozen=True, slots=True)
class TaskDeadline:
    """When a task must end: by the clock, and, where clocks of hosts differ, by the seconds left when it was sent."""

    clock: float
    seconds: float

    @classmethod
    def within(cls, seconds: float) -> TaskDeadline:
        return cls(time.time() + seconds, seconds)

    @property
    def left(self) -> float:
        """Seconds from now."""
        return min(self.clock - time.time(), self.seconds)
