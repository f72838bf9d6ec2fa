"""`validate`: calibrate, then forecast and run every case, again and again, and compare."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from striate.apps.app import Case
from striate.apps.registry import find
from striate.apps.run import REGION
from striate.apps.timing import region_rows
from striate.cluster.cluster import Cluster
from striate.errors import ProbeError
from striate.evaluate.validate.calibrate import Calibration
from striate.evaluate.validate.forecast import forecast_case, with_background
from striate.evaluate.validate.outcome import CaseOutcome, CaseRun, Validation
from striate.interval import Interval
from striate.probe.background import StolenTime, background_samples
from striate.probe.deadline import Deadline
from striate.probe.launch import local_launcher
from striate.probe.samples import spread
from striate.record.launch import record
from striate.trace.trace import Trace

CALIBRATION_SECONDS = 0.9  # of the kernels of a program, before every run of it
_LOOK_SECONDS = 0.3  # at the background, before every run
PATIENCE_SECONDS, _ONCE_SECONDS = 120.0, 10.0  # in all and before one run, while others are seen
_QUIET = 0.1  # processes of others that are not waited for
_STOLEN = 0.02  # of the CPU time, that others on the host may take from a run
_TRIES = 3  # to have a run that nobody took more from
_LOOKS = 5  # that a forecast goes by: a single one is too short to know a busy machine
_TRACED_BYTES = 256 * 1024**2


@dataclass(frozen=True, slots=True)
class ValidationPlan:
    """What to validate: the probed machine, the cases, how often each is run, and where files may lie."""

    cluster: Cluster
    cases: Sequence[Case]
    repeats: int
    directory: Path
    patience_seconds: float = PATIENCE_SECONDS  # that runs are put off in all, while others are seen


def validate(plan: ValidationPlan, tell: Callable[[str], object] = lambda words: None) -> Validation:
    """Run the matrix; `tell` hears what is being done. Raises ProbeError when a program fails."""
    folder = Path(tempfile.mkdtemp(prefix=".striate-validate-", dir=plan.directory))
    try:
        tell("counting collective calls")
        apps = dict.fromkeys(case.app for case in plan.cases)
        collectives = {app: find(app).collectives(lambda case: run_case(case, folder)) for app in apps}
        runs = _runs(plan, collectives, folder, tell)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Validation.of(plan.cluster, [CaseOutcome(case, tuple(runs[case.name])) for case in plan.cases])


def _runs(
    plan: ValidationPlan, collectives: Mapping[str, int], folder: Path, tell: Callable[[str], object]
) -> dict[str, list[CaseRun]]:
    """All runs by the name of their case: look at the machine and at the kernels, forecast, and only then run.

    Repeats lie far apart, so that they see the machine at different times.
    """
    found: dict[str, list[CaseRun]] = {case.name: [] for case in plan.cases}
    looks: deque[list[float]] = deque(maxlen=_LOOKS)
    calibration = Calibration(folder, CALIBRATION_SECONDS)
    patience = Patience(plan.patience_seconds)
    for turn in range(plan.repeats):
        for case in plan.cases:
            tell(f"{case.name}, run {turn + 1} of {plan.repeats}")
            calibration.look(case)
            looks.append(patience.look())
            seen = background([sample for look in looks for sample in look])
            machine = with_background(plan.cluster, seen, len(looks))
            forecast = forecast_case(case, machine, calibration.costs, collectives[case.app])
            measured = _undisturbed_seconds(case, folder, tell)
            run = CaseRun(forecast.seconds, measured, seen, forecast.spreads, forecast.kind)
            found[case.name].append(run)
    return found


def _undisturbed_seconds(case: Case, folder: Path, tell: Callable[[str], object]) -> float:
    """Of a run that had the CPUs to itself; where a hypervisor took them away each time, of the least disturbed one."""
    found = []
    for _ in range(_TRIES):
        stolen = StolenTime()
        seconds = run_seconds(run_case(case, folder))
        found.append((stolen.share, seconds))
        if found[-1][0] <= _STOLEN:
            break
        tell(f"{case.name}: others had {found[-1][0]:.0%} of the host's CPU time")
    return min(found)[1]


class Patience:
    """Puts runs off while others compute here, but not for longer than so many seconds in all."""

    def __init__(self, seconds: float) -> None:
        self._left = seconds

    def look(self) -> list[float]:
        """The background when it is quiet, or when the patience for this run is over."""
        seen, once = background_samples(_LOOK_SECONDS), Deadline(min(self._left, _ONCE_SECONDS))
        begun = time.perf_counter()
        while median(seen) > _QUIET and not once.over:
            time.sleep(_LOOK_SECONDS)
            seen = background_samples(_LOOK_SECONDS)
        self._left = max(0.0, self._left - (time.perf_counter() - begun))
        return seen


def background(samples: Sequence[float]) -> Interval:
    """The median of what was seen; the ends are what was seen, or half and one and a half times where closer."""
    seen = spread(samples)
    return Interval(min(seen.low, seen.estimate / 2), seen.estimate, max(seen.high, seen.estimate * 1.5))


def run_case(case: Case, folder: Path) -> Trace:
    """The trace of a real run; its files are removed."""
    scratch = Path(tempfile.mkdtemp(prefix="run-", dir=folder))
    try:
        program = [sys.executable, "-m", "striate.apps", case.app, str(scratch)]
        command = [*local_launcher(case.ranks), *program, json.dumps(case.parameters)]
        recording = record(command, scratch=scratch, levels=("mpi-io", "mpi"), max_bytes=_TRACED_BYTES)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    if recording.exit_status:
        raise ProbeError(f"{case.name} ended with status {recording.exit_status}")
    return recording.trace


def run_seconds(trace: Trace) -> float:
    """From the first rank's beginning of the timed region to the last one's end."""
    rows = region_rows(trace, REGION)
    return (int(trace.column("end")[rows].max()) - int(trace.column("start")[rows].min())) / 1e9
