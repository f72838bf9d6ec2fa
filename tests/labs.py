"""Labs that tests start by the command line, and count what is left of."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from dataclasses import dataclass
from pathlib import Path

import pytest

import leftovers
from striate.lab.needs import missing


@dataclass
class Lab:
    """A lab started by the command line, and how to ask whether anything of it is left."""

    name: str
    directory: Path
    interfaces: frozenset[str]

    def command(self, *words: str) -> list[str]:
        verb, *rest = words
        named = [] if verb == "status" else ["--name", self.name]
        return [sys.executable, "-m", "striate", "lab", verb, *named, *rest]

    def start(self, *options: str) -> subprocess.Popen[str]:
        """`up` as a process of its own."""
        return subprocess.Popen(
            self.command("up", "--directory", str(self.directory), *options),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str, status: int = 0) -> str:
        """What a command prints; on a wrong exit status, the test fails with its complaint."""
        done = subprocess.run(self.command(*words), capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout if status == 0 else done.stderr

    def processes(self) -> dict[int, str]:
        return leftovers.processes(self.name)

    def check_nothing_is_left(self, spaces: set[str], *, next_command: bool = False) -> None:
        """Fails with what is left; `next_command`: after another `striate lab` command, which may clear limits."""
        mine = spaces - leftovers.namespaces([os.getpid()])
        if next_command:
            leftovers.wait_for(lambda: leftovers.loop_devices(self.directory))
            self.run("down", status=1)
        leftovers.wait_for(lambda: leftovers.left(self.name, self.directory, mine, set(self.interfaces)))


def new_lab(directory: Path) -> Lab:
    if lacking := missing():
        pytest.skip(f"a lab needs {', '.join(lacking)}")
    return Lab(f"test-{uuid.uuid4().hex[:8]}", directory, frozenset(leftovers.all_interfaces()))
