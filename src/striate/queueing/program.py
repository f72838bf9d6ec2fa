"""Programs of several phases: each has its own parameters and kind, and their times add up (M > 1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from striate.errors import QueueingError
from striate.queueing.curves import Floats, Integers
from striate.queueing.model import Components, Model
from striate.queueing.work import Points


@dataclass(frozen=True)
class Program:
    """Phases one after another on the same processors and disks."""

    phases: tuple[Model, ...]

    def __post_init__(self) -> None:
        if not self.phases:
            raise QueueingError("expected a program of at least one phase, got none")

    @property
    def one_processor_seconds(self) -> float:
        return sum(phase.one_processor_seconds for phase in self.phases)

    def time(self, processors: Any, disks: Any) -> Any:
        """The sum of the phases' times (paper 000, eq. 2 summed over m)."""
        return sum(phase.time(processors, disks) for phase in self.phases)

    def speedup(self, processors: Any, disks: Any) -> Any:
        return self.one_processor_seconds / self.time(processors, disks)

    def components(self, processors: Any, disks: Any) -> Components:
        parts = [phase.components(processors, disks) for phase in self.phases]
        return Components(
            sum(part.cpu for part in parts),
            sum(part.communication for part in parts),
            sum(part.io for part in parts),
        )

    def bottleneck(self, processors: Any, disks: Any) -> Any:
        """The bottleneck of the phase that takes longest."""
        names = np.array([phase.bottleneck(processors, disks) for phase in self.phases])
        longest = np.argmax([phase.time(processors, disks) for phase in self.phases], axis=0)
        chosen = np.take_along_axis(names, np.expand_dims(longest, 0), axis=0)[0]
        return str(chosen) if np.ndim(chosen) == 0 else chosen

    def point_times(self, points: Points) -> Floats:
        return np.asarray(np.sum([phase.point_times(points) for phase in self.phases], axis=0))

    def point_bottlenecks(self, points: Points) -> Any:
        found = np.array([phase.point_bottlenecks(points) for phase in self.phases])
        longest = np.argmax([phase.point_times(points) for phase in self.phases], axis=0)
        return np.take_along_axis(found, longest[None, :], axis=0)[0]

    def defined(self, processors: Integers, disks: Integers) -> Any:
        return np.logical_and.reduce([phase.defined(processors, disks) for phase in self.phases])

    def refusal(self, processors: int, disks: int) -> str | None:
        """Why a phase is not defined there, or None."""
        refusals = (phase.refusal(processors, disks) for phase in self.phases)
        return next((refusal for refusal in refusals if refusal), None)


Solvable = Model | Program
