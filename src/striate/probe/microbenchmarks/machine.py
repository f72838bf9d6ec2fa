"""What the micro-benchmarks find out about a machine, and the program parameters that follow from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import nnls

from striate.errors import QueueingError
from striate.queueing.curves import Floats
from striate.queueing.parameters import SpmdParameters


@dataclass(frozen=True, slots=True)
class Machine:
    """One processor's rate, and the network's: alone (t0, r_inf) and when all send at once (r_sat)."""

    processors: int
    operations_per_second: float  # floating point, one processor
    startup_seconds: float
    bytes_per_second: float
    saturation_bytes_per_second: float

    @property
    def largest_contention(self) -> float:
        """An upper bound on w, r_inf / r_sat: the network serves 1 / (w S_R) at most (paper 000, 5.1.1)."""
        return min(1.0, self.bytes_per_second / self.saturation_bytes_per_second)

    def spmd(
        self, *, parallel_operations: float, serial_operations: float, burst_bytes: float, **others: Any
    ) -> SpmdParameters:
        """A program of that much work per burst on this machine; `others` are parameters of `SpmdParameters`."""
        given = {
            "parallel_seconds": parallel_operations / self.operations_per_second,
            "serial_seconds": serial_operations / self.operations_per_second,
            "message_startup_seconds": self.startup_seconds,
            "transfer_seconds": burst_bytes / self.bytes_per_second,
            "contention": self.largest_contention,
        }
        return SpmdParameters(**given | others)


def line_through(sizes: Floats, seconds: Floats) -> tuple[float, float]:
    """Start-up and bytes per second of the line seconds = t0 + size / rate, least in relative squares.

    Relative, because otherwise the longest message alone would set the start-up. Refuses times that do not
    grow with size.
    """
    columns = np.stack([np.ones(sizes.size), sizes], axis=1) / seconds[:, None]
    (startup, per_byte), _ = nnls(columns, np.ones(sizes.size))
    if per_byte <= 0:
        raise QueueingError(
            "expected longer messages to take longer, measured times that do not grow with the size"
        )
    return float(startup), float(1 / per_byte)
