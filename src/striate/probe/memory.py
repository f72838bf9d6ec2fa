"""One process alone: the rate of its CPU, of copies in memory, and how often the CPU is taken away."""

from __future__ import annotations

import time

import numpy as np

from striate.probe.deadline import repeated
from striate.probe.microbenchmarks.poly1 import operations_per_second
from striate.probe.samples import Measurement, measured

_COPY_BYTES = 64 * 1024**2  # beyond most caches


def measure_memory(seconds: float) -> list[Measurement]:
    """CPU rate and memory copies, for about `seconds`."""
    rates = repeated(lambda: operations_per_second(0.02), seconds / 2, most=50)
    copies = repeated(_copy_rate, seconds / 2, most=50)
    return [
        measured("cpu rate", "1/s", rates, "polynomials evaluated from cache (POLY1)"),
        measured("memory copy", "B/s", copies, "NumPy copies of 64 MiB"),
    ]


def _copy_rate() -> float:
    source, target = np.ones(_COPY_BYTES, np.uint8), np.ones(_COPY_BYTES, np.uint8)
    before = time.perf_counter()
    np.copyto(target, source)
    return _COPY_BYTES / (time.perf_counter() - before)
