"""Runs a program on the runtime again, with and without tuned settings, in turn: measured against predicted gain."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w

from striate.apps.registry import find
from striate.errors import TuningError
from striate.interval import Interval
from striate.tuning.apply import RUNTIME
from striate.tuning.tuned import Tuned

SCHEMA = "striate.rerun/1"


@dataclass(frozen=True, slots=True)
class Rerun:
    """Seconds of every run, without and with the settings, and what was predicted."""

    before: tuple[float, ...]
    after: tuple[float, ...]
    predicted_before: Interval | None
    predicted_after: Interval

    @property
    def measured_gain(self) -> Interval:
        """Share of the time that is saved: by the medians, and by the quartiles against each other."""
        was, now = (_quartiles(times) for times in (self.before, self.after))
        gains = sorted((1 - now[2] / was[0], 1 - now[1] / was[1], 1 - now[0] / was[2]))
        return Interval(*gains)

    @property
    def predicted_gain(self) -> float | None:
        if self.predicted_before is None:
            return None
        return 1 - self.predicted_after.estimate / self.predicted_before.estimate

    def to_dict(self) -> dict[str, Any]:
        import msgspec

        plain: dict[str, Any] = msgspec.to_builtins(self)
        gain: dict[str, float] = msgspec.to_builtins(self.measured_gain)
        return {"schema": SCHEMA} | plain | {"measured_gain": gain, "predicted_gain": self.predicted_gain}

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), indent=2) + "\n"


def _quartiles(times: tuple[float, ...]) -> tuple[float, float, float]:
    if len(times) == 1:
        return times[0], times[0], times[0]
    low, middle, high = statistics.quantiles(times, n=4, method="inclusive")
    return low, middle, high


def rerun(
    tuned: Tuned,
    settings: Path,
    *,
    repeats: int,
    folder: Path,
    now: Path | None = None,
    progress: Callable[[], None] = lambda: None,
) -> Rerun:
    """Run the app `repeats` times with `now` and with `settings`, in turn, beneath `folder`.

    `now` None stands for the parameters that the search began with.
    """
    times: tuple[list[float], list[float]] = ([], [])
    before = int(tuned.parameters.get("ranks", 2))
    ranks = (before, int(tuned.settings.get("ranks", before)))
    with tempfile.TemporaryDirectory(dir=folder, prefix=".striate-rerun-") as scratch:
        if now is None:
            now = Path(scratch) / "now.toml"
            now.write_text(
                tomli_w.dumps({key: tuned.parameters[key] for key in RUNTIME if key in tuned.parameters})
            )
        for _ in range(repeats):
            for number, file in enumerate((now, settings)):
                times[number].append(_run(command(tuned, file, Path(scratch) / "dump", ranks=ranks[number])))
                progress()
    return Rerun(tuple(times[0]), tuple(times[1]), tuned.now, tuned.predicted)


def command(tuned: Tuned, settings: Path, dump: Path, *, ranks: int) -> list[str]:
    """The command line of one run."""
    beside = Path(sys.executable).with_name("mpiexec")
    launcher = str(beside) if beside.exists() else shutil.which("mpiexec")
    if launcher is None:
        raise TuningError(
            "no mpiexec was found on this machine; install one with: pip install 'striate[mpi]'"
        )
    words = find(tuned.program).rerun_words(dump, tuned.parameters, settings)
    return [launcher, "-n", str(ranks), sys.executable, *words]


def _run(words: list[str]) -> float:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or "no words").splitlines()[-1]
        raise TuningError(f"the program ended with status {done.returncode}: {last:.200}")
    return float(json.loads(done.stdout.splitlines()[-1])["seconds"])
