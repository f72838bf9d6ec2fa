"""What applications need to time their kernels and to count their collective calls."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.apps.app import Kernel, KernelProcess
from striate.trace.kinds import COLLECTIVES
from striate.trace.trace import Trace


def timed(act: Callable[[], object]) -> Kernel:
    """A kernel that does `act`."""

    def once() -> float:
        before = time.process_time()
        act()
        return time.process_time() - before

    return once


def first_then(seconds: float, act: Callable[[], object]) -> Kernel:
    """A kernel whose first time is over, and took so long."""
    before, again = [seconds], timed(act)
    return lambda: before.pop() if before else again()


def written(process: KernelProcess, content: Any, *, flush: bool) -> Kernel:
    """A kernel that writes the content into a file of the process's own."""
    file = (process.folder / "written").open("wb", buffering=0)

    def write() -> None:
        file.seek(0)
        file.write(content.data)
        if flush:
            os.fsync(file.fileno())

    return timed(write)


def region_rows(trace: Trace, name: str) -> NDArray[np.bool_]:
    """Which rows mark the region `name`."""
    number = trace.header.regions.index(name)
    return np.asarray(trace.of_kind("region") & (trace.column("region") == number))


def collectives_in(trace: Trace, name: str) -> float:
    """How many collective calls rank 0 makes in a region, on average over the times it is entered."""
    first = trace.select(ranks=[0])
    regions = region_rows(first, name)
    calls = first.column("start")[first.of_kind(*COLLECTIVES) & first.at_level("mpi")]
    begins, ends = first.column("start")[regions], first.column("end")[regions]
    inside = sum(
        int(((calls >= begin) & (calls <= end)).sum()) for begin, end in zip(begins, ends, strict=True)
    )
    return inside / max(1, len(begins))
