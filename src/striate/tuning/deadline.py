"""When a task of a tuning must end, wherever it is carried out."""

from __future__ import annotations

import time
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TaskDeadline:
    """By the clock, and, where clocks of hosts differ, by the seconds left when the task was sent."""

    clock: float
    seconds: float

    @classmethod
    def within(cls, seconds: float) -> TaskDeadline:
        return cls(time.time() + seconds, seconds)

    @property
    def left(self) -> float:
        """Seconds from now."""
        return min(self.clock - time.time(), self.seconds)
