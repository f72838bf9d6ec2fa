"""An end to what takes too long: a timer of the process that interrupts Python, and the core where it polls."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

_LONGEST = 1e8  # seconds that a timer can take


class OutOfTime(BaseException):
    """The time given is over."""


@dataclass(frozen=True, slots=True)
class _Timer:
    """One of the process's timers, the signal it sends, and the clock it goes by."""

    which: int
    signal: signal.Signals
    now: Callable[[], float]


_BY_THE_CLOCK = _Timer(signal.ITIMER_REAL, signal.SIGALRM, time.monotonic)
_CPU = _Timer(signal.ITIMER_PROF, signal.SIGPROF, time.process_time)


@contextmanager
def ended_after(seconds: float, *, cpu: bool = False) -> Iterator[None]:
    """Raise OutOfTime in the block when it takes longer, by the clock or, with `cpu`, of this process's CPU time.

    Outside the main thread, where no signal comes, it is never raised.
    """
    if not seconds > 0:
        raise OutOfTime
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    timer = _CPU if cpu else _BY_THE_CLOCK
    before = signal.signal(timer.signal, _ring)
    left, again = signal.setitimer(timer.which, min(seconds, _LONGEST))
    begun = timer.now()
    try:
        yield
    finally:
        signal.setitimer(timer.which, 0)
        signal.signal(timer.signal, before)
        if left:  # somebody else's timer goes on
            signal.setitimer(timer.which, max(1e-6, left - (timer.now() - begun)), again)


def _ring(number: int, frame: FrameType | None) -> None:
    raise OutOfTime


class CpuBudget:
    """Seconds of CPU time from now on, for several blocks together; without an end where they are infinite."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._begun = time.process_time()

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Raise OutOfTime in the block when the budget is spent."""
        if math.isinf(self.seconds):
            yield
            return
        with ended_after(self.seconds - (time.process_time() - self._begun), cpu=True):
            yield
