"""How much of this host's CPUs other programs want right now, in processes like ours.

Linux shares CPUs between processes or, with autogroups, between sessions first: then each busy session of others weighs
as much as all ranks of a program together.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

_PROC = Path("/proc")
_STEP_SECONDS = 0.02


def background_samples(seconds: float, *, ranks: int) -> list[int]:
    """Looks again and again while this process sleeps: the processes beside which a program of `ranks` ranks runs."""
    look = _sessions if _shares_by_session() else _processes
    weight = ranks if _shares_by_session() else 1
    end, found = time.perf_counter() + seconds, [weight * look()]
    while time.perf_counter() < end:
        time.sleep(_STEP_SECONDS)
        found.append(weight * look())
    return found


def _shares_by_session() -> bool:
    try:
        return int((_PROC / "sys/kernel/sched_autogroup_enabled").read_text()) == 1
    except (OSError, ValueError):
        return False


def _processes() -> int:
    """Threads that run or wait for a CPU, this one left out; 0 where the system does not say."""
    try:
        running = int((_PROC / "loadavg").read_text().split()[3].partition("/")[0])
    except (OSError, ValueError, IndexError):
        return 0
    return max(0, running - 1)


def _sessions() -> int:
    """Sessions of others that have a process on a CPU or waiting for one."""
    own, found = _session(os.getpid()), set[str]()
    for entry in os.scandir(_PROC):
        if entry.name.isdigit() and _wants_cpu(entry.path):
            found.add(_session(int(entry.name)))
    return len(found - {own, ""})


def _session(process: int) -> str:
    """The autogroup of a process; empty when it has none, or has ended."""
    try:
        return (_PROC / str(process) / "autogroup").read_text().split()[0]
    except (OSError, IndexError):
        return ""


def _wants_cpu(path: str) -> bool:
    try:
        with open(f"{path}/stat", "rb") as file:  # noqa: PTH123 - hundreds of them, quickly
            return file.read(400).rpartition(b")")[2].split()[0] == b"R"
    except (OSError, IndexError):
        return False
