"""Lower and upper bounds of the coarse rungs: the error sources of paper 004, section 5, each by its name."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate._core import FlowRun
from striate.interval import Interval


@dataclass(frozen=True, slots=True)
class Inputs:
    """What section 5 needs to know of the machine, in seconds per block; and what the contention test found, in all."""

    random_seek: float  # T_rand_seek: a random read beyond a sequential one; 0 when all I/O is sequential
    io_difference: float  # T_io_diff: spread of a block's I/O time between processors
    io_cpu: float  # T_io_cpu: CPU time in an I/O call
    communication: float  # T_comm, free of contention
    overlap: bool  # I/O goes on while a processor communicates
    disks_per_processor: int = 1
    contention: float = 0.0  # the whole effect that test 1 measured
    turns: float = (
        0.0  # what all messages of a processor lose at most by taking turns with others, packet by packet
    )
    start: float = 0.0  # what happens once in a group: the first positioning, the barrier
    stop: float = 0.0  # what servers without a cache do not receive while their disks work


@dataclass(frozen=True, slots=True)
class Booked:
    """What a run gave to processors and disks: seconds, and how often."""

    processor: NDArray[np.float64]
    communication: NDArray[np.float64]
    disk_jobs: NDArray[np.int64]
    calls: NDArray[np.int64]  # of each processor to its disks
    fan_out: int
    groups: int = 1  # how often everyone waits for everyone


@dataclass(frozen=True, slots=True)
class Errors:
    """Seconds by which a coarse rung may be off, by source."""

    balance: float  # below: rungs that take disks in turn (5.2)
    fan_out: float  # below: rungs that process a graph at once (5.2)
    event_delay: float  # above, as all that follow
    random_io: float
    io_variation: float
    overlap: float
    contention: float  # this and the rest beyond the paper: what the tests measured and found small enough
    turns: float
    start: float
    stop: float

    @property
    def unseen(self) -> float:
        """What no coarse rung looks at."""
        io = self.random_io + self.io_variation + self.overlap
        return io + self.contention + self.turns + self.start + self.stop

    @property
    def above(self) -> float:
        return self.event_delay + self.unseen


def booked_of(result: FlowRun, inputs: Inputs, *, groups: int = 1) -> Booked:
    """The work of a stream, as its rungs book it."""
    reads = result.disk_reads
    return Booked(
        processor=result.processor_work / 1e12,
        communication=result.communication_work / 1e12,
        disk_jobs=reads,
        calls=reads.reshape(-1, inputs.disks_per_processor).sum(axis=1),
        fan_out=int(result.most_fan_out),
        groups=groups,
    )


def errors_of(booked: Booked, inputs: Inputs) -> Errors:
    """Every error source of section 5.2, from the work that was booked."""
    disks_in_use = int((booked.disk_jobs > 0).sum())
    most_jobs = float(booked.disk_jobs.max(initial=0))
    # E_FOl when I/O is overlapped with communication, else E_FOh
    lost = booked.fan_out + (0 if inputs.overlap or not booked.fan_out else disks_in_use)
    return Errors(
        balance=float(np.ptp(booked.communication)),
        fan_out=lost * inputs.communication,
        event_delay=float(np.ptp(booked.processor)),
        random_io=inputs.random_seek * most_jobs,
        io_variation=inputs.io_difference * most_jobs,
        overlap=inputs.io_cpu * float(booked.calls.max(initial=0)),
        contention=inputs.contention,
        turns=inputs.turns,
        start=inputs.start * booked.groups,
        stop=inputs.stop,
    )


def resource_bounds(result: FlowRun, inputs: Inputs) -> Interval:
    """Section 5.1: the largest clock below; above, everything that might wait for something else does."""
    reads = result.disk_reads
    disk = result.disk_work / 1e12 + (inputs.random_seek + inputs.io_difference) * reads
    own = disk.reshape(-1, inputs.disks_per_processor)
    calls = reads.reshape(own.shape).sum(axis=1)
    processor = result.processor_work / 1e12 + inputs.io_cpu * calls
    low = result.ticks / 1e12
    high = processor.sum() + disk.max() if result.sends else (processor + own.max(axis=1)).max()
    shared = float(result.station_work.sum()) / 1e12
    beyond = shared + inputs.contention + inputs.turns + inputs.start
    return Interval(low, low, max(low, float(high)) + beyond)


def dependency_bounds(seconds: float, errors: Errors, *, rung: str, whole_messages: bool = False) -> Interval:
    """Sections 5.2 to 5.4: what the rung may have delayed below, what it left out above.

    A micro rung that handles whole messages has the fan-out error of the macro rungs.
    """
    below = {
        "macro-rr": errors.balance + errors.fan_out,
        "macro-queue": errors.fan_out,
        "micro": errors.fan_out if whole_messages else 0.0,
    }[rung]
    return Interval(max(seconds - below, 0.0), seconds, seconds + errors.above)
