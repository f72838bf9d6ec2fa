"""How many other processes want a CPU of this host right now."""

from __future__ import annotations

import time
from pathlib import Path

_LOADS = Path("/proc/loadavg")
_STEP_SECONDS = 0.01


def runnable_now() -> int:
    """Threads that run or wait for a CPU, this one left out; 0 where the system does not say."""
    try:
        running = int(_LOADS.read_text().split()[3].partition("/")[0])
    except (OSError, ValueError, IndexError):
        return 0
    return max(0, running - 1)


def background_samples(seconds: float) -> list[int]:
    """Looks again and again while this process sleeps."""
    end, found = time.perf_counter() + seconds, [runnable_now()]
    while time.perf_counter() < end:
        time.sleep(_STEP_SECONDS)
        found.append(runnable_now())
    return found
