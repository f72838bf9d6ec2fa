"""Kill random processes of a lab at random moments, and count what is left; 40 labs take about five minutes.

    python verification/lab_kills.py [COUNT [SEED]]

Each round draws a moment up to ten seconds after the start, and which of the lab's processes get SIGKILL at that
moment: `up` alone, the guard alone, the head alone, or any subset of all. Where guard and head die in the same instant,
limits may stay on unused loop devices until the next `striate lab` command, which is what the round then runs.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import leftovers
from labs import Lab
from striate.errors import LabError
from striate.lab.door import names, take_down


def attack(number: int, draw: random.Random) -> str:
    """One lab, killed; returns what was done. Raises AssertionError when something is left."""
    with tempfile.TemporaryDirectory(prefix="striate-kills-") as place:
        lab = Lab(f"kills-{os.getpid()}-{number}", Path(place), frozenset(leftovers.all_interfaces()))
        moment, kind = draw.uniform(0, 10), draw.choice(["up", "guard", "head", "any"])
        starting = lab.start("--hosts=2", "--servers=1", "--disk-size=64 MiB")
        time.sleep(moment)
        there = lab.processes()
        spaces = leftovers.namespaces(there)
        words = {"up": "lab up", "guard": "striate.lab.guard", "head": "striate.lab.head", "any": ""}[kind]
        victims = [one for one, command in there.items() if words in command]
        victims = (
            draw.sample(victims, draw.randint(1, len(victims))) if kind == "any" and victims else victims
        )
        for victim in victims:
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
        done = f"round {number}: {kind}, {len(victims)} of {len(there)} processes after {moment:.2f} s"
        starting.communicate(timeout=120)
        if lab.name in names():  # the lab outlived the kill, as it may when a rank or a server was hit
            with contextlib.suppress(LabError):  # it may be on its way out
                take_down(lab.name)
        try:
            lab.check_nothing_is_left(spaces, next_command=kind == "any")
        except AssertionError as error:
            raise AssertionError(f"{done}: {error}") from error
        return done


def main() -> None:
    count, seed = (
        int(word) for word in (*sys.argv[1:], *("40", str(time.time_ns() % 2**32))[len(sys.argv) - 1 :])
    )
    print(f"{count} labs, seed {seed}", flush=True)
    draw = random.Random(seed)
    for number in range(count):
        print(attack(number, draw), flush=True)
    print("nothing was left")


if __name__ == "__main__":
    main()
