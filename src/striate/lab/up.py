"""`up`: start a guard, follow its progress, and keep the lab once it is ready."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec

from striate.errors import LabError
from striate.lab.messages import Order, Progress, line
from striate.lab.needs import environment, require
from striate.lab.plan import Plan
from striate.lab.throttle import sweep


def up(plan: Plan, directory: Path, tell: Callable[[str], None]) -> None:
    """Build a lab and return when it is ready; raises LabError, with nothing left over, when it cannot be."""
    require()
    sweep()
    guard = subprocess.Popen(
        # the name is for `ps`
        [sys.executable, "-m", "striate.lab.guard", plan.name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(),
        cwd="/",
        start_new_session=True,
    )
    assert guard.stdin is not None
    assert guard.stdout is not None
    guard.stdin.write(line(Order(plan=plan, directory=str(directory.resolve()))))
    guard.stdin.flush()
    for text in guard.stdout:
        progress = msgspec.json.decode(text, type=Progress)
        if progress.ready:
            guard.stdin.write(b"keep\n")
            guard.stdin.flush()
            return
        if progress.error:
            guard.wait()
            raise LabError(progress.error)
        tell(progress.step)
    raise LabError("the practice cluster (lab) ended while it was being built")
