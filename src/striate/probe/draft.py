"""`Draft`: the numbers of a description while it is written, each with the range that measurements gave."""

from __future__ import annotations

from typing import Any

from striate.interval import Interval
from striate.units import format_picoseconds, format_rate


class Draft:
    """Tables of a description while it is written, and the ranges of its numbers."""

    def __init__(self) -> None:
        self.measured: list[dict[str, Any]] = []

    def rate(self, key: str, value: Interval, samples: int, how: str) -> str:
        """A rate in bytes per second for `key`."""
        return self._number(key, value, samples, how, lambda rate: format_rate(float(f"{rate:.4g}")))

    def size(self, key: str, value: Interval, samples: int, how: str) -> str:
        """A size for `key`, in whole MiB."""
        return self._number(key, value, samples, how, lambda size: f"{round(size / 1024**2)} MiB")

    def time(self, key: str, value: Interval, samples: int, how: str) -> str:
        """A time for `key`, to four digits."""
        return self._number(key, value, samples, how, _time)

    def count(self, key: str, value: Interval, samples: int, how: str) -> str:
        return self._number(key, value, samples, how, lambda count: f"{count:.4g}")

    def _number(self, key: str, value: Interval, samples: int, how: str, text: Any) -> str:
        low, middle, high = (text(end) for end in (value.low, value.estimate, value.high))
        self.measured.append({"key": key, "low": low, "high": high, "samples": samples, "how": how[:400]})
        return str(middle)


def _time(seconds: float) -> str:
    """A time to four digits, and at least a nanosecond's hundredth."""
    ticks = round(seconds * 1e12)
    digits = max(0, len(str(ticks)) - 4)
    return format_picoseconds(round(ticks, -digits))
