"""The situation: the trace, what the program asked for, and the machines a change is tried on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.advice.facts import LEAST_SHARE, Sample
from striate.advice.trials.machines import seconds_on
from striate.arrow import as_numpy
from striate.cluster.cluster import Cluster
from striate.interval import Interval
from striate.trace.analysis.tables import front, per_rank
from striate.trace.trace import Trace
from striate.workload.kinds import ACCESSES, Kind
from striate.workload.operations import Operation, wait
from striate.workload.transforms.rewrite import rewritten
from striate.workload.workload import Workload


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """The program after a change, and before it where that is not the traced program's I/O as it is.

    `hints` are settings that the trial chose by simulation; they belong to the change.
    """

    after: Workload
    before: Workload | None = None
    hints: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Situation:
    """What trials look at; `cluster` is the machine that was named."""

    trace: Trace
    whole: Workload  # what the program asked for
    workload: Workload  # its I/O alone: gaps hide waiting that a log does not show
    machines: tuple[Cluster, ...]  # a quick, a middling and a slow one
    cluster: Cluster
    samples: Mapping[str, Sample] = field(default_factory=dict)  # by file

    @cached_property
    def accesses(self) -> Trace:
        """The accesses that the program itself asked for."""
        return self.trace.where(front(self.trace))

    @cached_property
    def io_seconds(self) -> NDArray[np.float64]:
        """Seconds of every rank in I/O."""
        return io_seconds(self.trace)

    @property
    def run_seconds(self) -> float:
        return self.trace.seconds

    def durations(self, rows: Trace) -> NDArray[np.float64]:
        """Seconds of every row."""
        return np.asarray((rows.column("end") - rows.column("start")) / 1e9)

    def file_name(self, number: int) -> str:
        return str(self.trace.header.files[number].name) if number >= 0 else "unknown"

    def times(self, workload: Workload) -> tuple[float, ...]:
        """Seconds predicted on each machine, by the fine rung where it can be afforded."""
        workload.check()
        return tuple(seconds_on(workload, machine) for machine in self.machines)

    @cached_property
    def times_now(self) -> tuple[float, ...]:
        return self.times(self.workload)

    def is_worth(self, seconds: float) -> bool:
        """False for operations that take, all ranks together, too small a share of the run to be told from nothing."""
        return seconds >= LEAST_SHARE * self.run_seconds

    def gain(self, variant: Variant) -> Interval:
        """Seconds that the change saves: the least and the most over the machines, the middling one's between.

        No change to its I/O can save more than the slowest rank spent in it.
        """
        now = self.times_now if variant.before is None else self.times(variant.before)
        most = float(self.io_seconds.max(initial=0.0))
        saved = [min(was - will, most) for was, will in zip(now, self.times(variant.after), strict=True)]
        return Interval(min(saved), sorted(saved)[len(saved) // 2], max(saved))


def column(trace: Trace, name: str) -> Any:
    """A column of 64-bit numbers, safe to subtract."""
    return trace.column(name).astype(np.int64)


def io_seconds(trace: Trace) -> NDArray[np.float64]:
    """Seconds of every rank in I/O of any kind, overlaps counted once."""
    return as_numpy(per_rank(trace).column("io_seconds"))


def io_alone(workload: Workload) -> Workload:
    """The workload's files alone: no time between operations, and no messages."""
    return rewritten(workload, lambda rank, steps: _of_files(steps))


def _of_files(steps: Iterator[Operation]) -> Iterator[Operation]:
    for step in steps:
        if Kind.OPEN <= step.kind <= Kind.WRITE_ALL:
            yield step
        elif step.kind is Kind.WAIT:
            accesses = [one for one in step.awaited if one.kind in ACCESSES]
            if accesses:
                yield wait(*accesses)
        elif step.kind is Kind.WAITANY:
            accesses = [one for one in step.awaited if one.kind in ACCESSES]
            if accesses:
                yield replace(step, awaited=tuple(accesses))
        elif step.kind is Kind.WAITALL:
            yield step
