"""Whatever is killed, and whenever, nothing of a lab is left."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
from collections.abc import Callable

import pytest

import leftovers
from labs import Lab

SMALL = ("--hosts=2", "--servers=1", "--disk-size=64 MiB")
Victims = Callable[[dict[int, str]], list[int]]


def _with(*words: str) -> Victims:
    """Processes whose command line has one of these words."""
    return lambda found: [
        number for number, command in found.items() if any(word in command for word in words)
    ]


# who is killed, and in which span of seconds after the start the moment is drawn
KILLS: dict[str, tuple[Victims, float, float]] = {
    "up at once": (_with("striate lab up"), 0.0, 0.6),
    "up while it builds": (_with("striate lab up"), 0.6, 2.5),
    "the guard": (_with("striate.lab.guard"), 0.3, 4.0),
    "the head": (_with("striate.lab.head"), 0.3, 4.0),
    "all at once": (list, 0.3, 4.0),
}


@pytest.mark.parametrize("kill", KILLS)
def test_nothing_is_left_when_killed(small_lab: Lab, kill: str):
    victims, soonest, latest = KILLS[kill]
    moment = random.uniform(soonest, latest)
    starting = small_lab.start(*SMALL)
    time.sleep(moment)
    there = small_lab.processes()
    spaces = leftovers.namespaces(there)
    chosen = victims(there)
    for number in chosen:
        _kill(number)
    starting.wait(timeout=60)
    if not chosen:  # it was up before the moment came: there was nothing to interrupt
        small_lab.run("down")
    starting.communicate()

    try:
        small_lab.check_nothing_is_left(spaces, next_command=kill == "all at once")
    except AssertionError as error:
        raise AssertionError(f"{kill} killed after {moment:.3f} s: {error}") from error


def _kill(number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(number, signal.SIGKILL)
