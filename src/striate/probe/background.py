"""How much of this host's CPUs other programs take right now, in processes like ours.

Whatever the system's rules of sharing are, they show when as many processes as there are CPUs compute for a moment: if
each gets a share s of a CPU, there are CPUs (1 / s - 1) others. Every process has a session of its own, as launchers of
MPI give it to every rank, for some systems share CPUs between sessions first.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from striate.errors import ProbeError

_WINDOW_SECONDS = 0.05
_SPIN = """
import json, sys, time
def window():
    wall, cpu = time.perf_counter(), time.process_time()
    while time.perf_counter() < wall + float(sys.argv[2]):
        pass
    return time.perf_counter() - wall, time.process_time() - cpu
window()
print(json.dumps([window() for _ in range(int(sys.argv[1]))]))
"""


def background_samples(seconds: float) -> list[float]:
    """Others beside our processes, a value for each fifth of the time; 0 on a quiet machine."""
    cpus = len(os.sched_getaffinity(0))
    windows = max(5, round(seconds / _WINDOW_SECONDS))
    command = [sys.executable, "-S", "-E", "-c", _SPIN, str(windows), str(_WINDOW_SECONDS)]
    children = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
        for _ in range(cpus)
    ]
    try:
        answers = [json.loads(child.communicate()[0]) for child in children]
    except ValueError:
        raise ProbeError("the processes that measure the background load ended without a result") from None
    finally:
        for child in children:
            child.kill()
            child.wait()
    return others(answers, cpus)


def busy_cpus(seconds: float) -> float:
    """How many of this host's CPUs compute, on average, while this process sleeps; 0 where the system does not tell."""
    before = _ticks()
    time.sleep(seconds)
    passed = [after - then for after, then in zip(_ticks(), before, strict=True)]
    idle = sum(passed[3:5])  # idle, and waiting for a disk
    return (os.cpu_count() or 1) * (sum(passed) - idle) / max(sum(passed), 1)


class StolenTime:
    """The share of this machine's CPU time that a hypervisor has given to others since this was made; 0 if unknown."""

    def __init__(self) -> None:
        self._begun = _ticks()

    @property
    def share(self) -> float:
        passed = [after - then for after, then in zip(_ticks(), self._begun, strict=True)]
        return passed[7] / max(sum(passed), 1)


def _ticks() -> list[int]:
    """Ticks of all CPUs since the start, by what they did; see proc_stat(5)."""
    try:
        return [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    except OSError:
        return [0] * 8


def others(answers: list[list[tuple[float, float]]], cpus: int) -> list[float]:
    """From (wall, CPU) seconds of every window of every process to five values."""
    found = []
    windows = len(answers[0])
    for part in range(5):
        chosen = [
            window for answer in answers for window in answer[part * windows // 5 : (part + 1) * windows // 5]
        ]
        wall, cpu = (sum(column) for column in zip(*chosen, strict=True))
        found.append(max(0.0, cpus * (wall / max(cpu, 1e-9) - 1)))
    return found
