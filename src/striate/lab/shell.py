"""Running one program of the system and saying in one line why it failed."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

from striate.errors import LabError

_SECONDS = 60.0


def call(command: Sequence[str], *, text: str = "") -> str:
    """What `command` prints; raises LabError with the last line of its complaint."""
    try:
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise LabError(
            f"the command {command[0]} did not end within {_SECONDS:g} s", at=" ".join(command)[:200]
        ) from error
    if done.returncode:
        words = (done.stderr.strip() or done.stdout.strip() or f"status {done.returncode}").splitlines()[-1]
        raise LabError(f"{command[0]} failed: {words}", at=" ".join(command)[:200])
    return done.stdout
