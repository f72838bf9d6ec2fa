"""What the applications' own work costs, from their kernels alone; no run of the matrix is looked at."""

from __future__ import annotations

import json
import math
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import NormalDist, fmean

import numpy as np
from numpy.typing import NDArray

from striate.apps.app import Case
from striate.apps.registry import find
from striate.interval import Interval
from striate.ladder.distribution import TENTH
from striate.probe.launch import run_ranks

STARTS = 3  # of the processes of a look: how fast they are depends on where their memory lies
_ENDS = {"fast": "low", "middle": "estimate", "slow": "high"}
_MEDIAN_SQUARE = NormalDist().inv_cdf(0.75) ** 2  # of a normal distribution of variance 1
Floats = NDArray[np.float64]
Look = list[Floats]  # times of a kernel, an array for each start of its processes
Key = tuple[str, str, int]  # application and kernel, the application's size, how many processes at once


@dataclass(frozen=True, slots=True)
class KernelCosts:
    """CPU seconds of each kernel once, and how much longer its first time takes, in cold caches and new memory."""

    table: Mapping[Key, Interval]
    firsts: Mapping[Key, float] = field(default_factory=dict)

    def seconds(self, kernel: str, case: Case, end: str, *, processes: int | None = None) -> float:
        """CPU seconds on each of the case's ranks, or of so many; `end` is "fast", "middle" or "slow".

        The mean over all times that a run of the case does it, the first among them.
        """
        key = (f"{case.app} {kernel}", work_of(case), case.ranks if processes is None else processes)
        repeats = find(case.app).repeats
        times = case.parameters.get(repeats[kernel], 1) if kernel in repeats else math.inf
        return float(getattr(self.table[key], _ENDS[end])) + self.firsts.get(key, 0.0) / times


class Calibration:
    """All that is known of kernels so far; every look adds to it, so that it follows the machine."""

    def __init__(self, folder: Path, seconds: float) -> None:
        self._folder, self._seconds = folder, seconds
        self._known: dict[Key, list[Look]] = {}
        self._firsts: dict[Key, list[float]] = {}

    def look(self, case: Case) -> None:
        """Time the kernels of a case once more, with as many processes at once as it has ranks."""
        alone = find(case.app).alone
        for processes in {case.ranks, 1} if alone else {case.ranks}:
            work = work_of(case)
            if processes != case.ranks and (f"{case.app} {alone}", work, processes) in self._known:
                continue
            starts = _measured(self._folder, processes, case.app, work, self._seconds)
            for kernel in starts[0]:
                key = (f"{case.app} {kernel}", work, processes)
                times = [together(start[kernel]) for start in starts]
                self._known.setdefault(key, []).append([time[1:] for time in times])
                firsts = [max(0.0, float(time[0] - time[1:].mean())) for time in times]
                self._firsts.setdefault(key, []).extend(firsts)

    @property
    def costs(self) -> KernelCosts:
        variation = variation_of(self._known.values())
        table = {key: cost_of(looks, variation) for key, looks in self._known.items()}
        return KernelCosts(table, {key: fmean(firsts) for key, firsts in self._firsts.items()})


def work_of(case: Case) -> str:
    """The parameters that say how much work a kernel does, as text."""
    return json.dumps({name: case.parameters[name] for name in find(case.app).work})


def _measured(
    folder: Path, processes: int, app: str, work: str, seconds: float
) -> list[dict[str, list[list[float]]]]:
    """For each start of the processes, each kernel and each process, CPU seconds every time."""
    scratch = Path(tempfile.mkdtemp(prefix="kernels-", dir=folder))
    output = scratch / "seconds.json"
    arguments = [str(scratch), str(seconds), str(output), app, work, str(processes), str(STARTS)]
    try:
        run_ranks([], "striate.evaluate.validate.kernels", arguments, seconds=seconds)
        found: list[dict[str, list[list[float]]]] = json.loads(output.read_text())
        return found
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def together(columns: Sequence[Sequence[float]]) -> Floats:
    """Seconds of a step of all processes: of the slowest where all have a CPU, else of all on average."""
    rounds = min(len(column) for column in columns)
    times = np.array([column[:rounds] for column in columns])
    alone = len(columns) <= len(os.sched_getaffinity(0))
    return np.asarray(times.max(axis=0) if alone else times.mean(axis=0), np.float64)


def cost_of(looks: Sequence[Look], variation: float) -> Interval:
    """The mean, for a program does its work many times over, and the 80 % range of the mean of another start.

    `variation` is the standard deviation of the means of starts, as a share; the mean of the looks has one, too.
    """
    middle = float(np.concatenate([start for look in looks for start in look]).mean())
    apart = TENTH * variation * math.sqrt(1 + 1 / len(looks))
    return Interval(middle * max(0.5, 1 - apart), middle, middle * (1 + apart))


def variation_of(kernels: Iterable[Sequence[Look]]) -> float:
    """By which share the mean times of starts differ from their kernel's: a standard deviation over all kernels.

    By the median of squares, so that one kernel whose process was disturbed does not widen all others.
    """
    squares = []
    for looks in kernels:
        means = np.array([start.mean() for look in looks for start in look])
        if len(means) > 1 and means.mean() > 0:
            unbiased = len(means) / (len(means) - 1)
            squares.append(unbiased * (means / means.mean() - 1) ** 2)
    return math.sqrt(float(np.median(np.concatenate(squares))) / _MEDIAN_SQUARE) if squares else 0.0
