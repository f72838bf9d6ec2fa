"""Low and high ends of the coarse rungs: the error sources of paper 004, section 5, each by its name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from striate.interval import Interval


@dataclass(frozen=True, slots=True)
class Inputs:
    """What section 5 needs to know of the machine, in seconds a block."""

    random_seek: float  # T_rand_seek: a random read beyond a sequential one; 0 when all I/O is sequential
    io_difference: float  # T_io_diff: spread of a block's I/O time between processors
    io_cpu: float  # T_io_cpu: CPU time in an I/O call
    communication: float  # T_comm, free of contention
    overlap: bool  # I/O goes on while a processor communicates
    disks_per_processor: int


@dataclass(frozen=True, slots=True)
class Errors:
    """Seconds by which a coarse rung may be off, by source."""

    balance: float  # below: rungs that take disks in turn (5.2)
    fan_out: float  # below: rungs that process a graph at once (5.2)
    event_delay: float  # above, as all that follow
    random_io: float
    io_variation: float
    overlap: float

    @property
    def above(self) -> float:
        return self.event_delay + self.random_io + self.io_variation + self.overlap


def errors_of(result: dict[str, Any], inputs: Inputs) -> Errors:
    """Every error source of section 5.2, from the work that a rung booked."""
    communication = result["communication_work"] / 1e12
    work = result["processor_work"] / 1e12
    reads = result["disk_reads"]
    disks_in_use = int((reads > 0).sum())
    per_processor = reads.reshape(-1, inputs.disks_per_processor).sum(axis=1)
    fan_out = float(result["most_fan_out"])
    return Errors(
        balance=float(communication.max() - communication.min()),
        # E_FOl when I/O is overlapped with communication, else E_FOh
        fan_out=(fan_out + (0 if inputs.overlap else disks_in_use)) * inputs.communication
        if fan_out
        else 0.0,
        event_delay=float(work.max() - work.min()),
        random_io=float(inputs.random_seek * reads.max()),
        io_variation=float(inputs.io_difference * reads.max()),
        overlap=float(inputs.io_cpu * per_processor.max()),
    )


def resource_bounds(result: dict[str, Any], inputs: Inputs) -> Interval:
    """Section 5.1: the largest clock below; above, everything that might wait for something else does."""
    reads = result["disk_reads"]
    disk = result["disk_work"] / 1e12 + (inputs.random_seek + inputs.io_difference) * reads
    own = disk.reshape(-1, inputs.disks_per_processor)
    calls = reads.reshape(own.shape).sum(axis=1)
    processor = result["processor_work"] / 1e12 + inputs.io_cpu * calls
    low = result["ticks"] / 1e12
    high = processor.sum() + disk.max() if result["sends"] else (processor + own.max(axis=1)).max()
    return Interval(low, low, max(low, float(high)))


def dependency_bounds(result: dict[str, Any], inputs: Inputs, *, rung: str) -> Interval:
    """Sections 5.2 to 5.4: what the rung may have delayed below, what it left out above."""
    errors = errors_of(result, inputs)
    estimate = result["ticks"] / 1e12
    below = {"macro-rr": errors.balance + errors.fan_out, "macro-queue": errors.fan_out, "micro": 0.0}[rung]
    return Interval(max(estimate - below, 0.0), estimate, estimate + errors.above)


def proved_floor(result: dict[str, Any]) -> float:
    """No order of events beats the busiest resource: a low end that holds always, where the paper's may lie below."""
    return float(max(np.max(result["disk_work"]), np.max(result["processor_work"])) / 1e12)
