"""The name of a lab: an abstract socket that its guard holds, so that no file can outlive the lab.

The kernel frees the name with the guard, gives it to one guard only, and lists it in /proc/net/unix.
"""

from __future__ import annotations

import os
import socket
import struct
import time
from pathlib import Path

import msgspec

from striate.errors import LabError
from striate.lab.messages import LabState

_PREFIX = "striate-lab/"
_ANSWER_SECONDS = 10.0
_DOWN_SECONDS = 90.0


def claim(name: str) -> socket.socket:
    """Listen under a lab's name; raises LabError when another lab has it."""
    listener = socket.socket(socket.AF_UNIX)
    try:
        listener.bind("\0" + _PREFIX + name)
    except OSError as error:
        listener.close()
        raise LabError(
            f"a practice cluster (lab) named {name!r} exists already; take it down or give another --name"
        ) from error
    listener.listen()
    return listener


def names() -> list[str]:
    """The labs of this machine."""
    lines = Path("/proc/net/unix").read_text().splitlines()
    marks = (text.rsplit(" ", 1)[-1] for text in lines)
    return sorted({mark.removeprefix("@" + _PREFIX) for mark in marks if mark.startswith("@" + _PREFIX)})


def from_root(connection: socket.socket) -> bool:
    """Whether root, or whoever runs the guard, stands at the other end."""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return struct.unpack("3i", credentials)[1] in (0, os.geteuid())


def state(name: str) -> LabState:
    """What the guard of a lab says about it; raises LabError when there is no such lab or it is not ready."""
    answer = _ask(name, b"state\n", _ANSWER_SECONDS)
    if not answer:
        raise LabError(
            f"the practice cluster (lab) {name!r} does not answer: it is ending, or you are not root"
        )
    try:
        found = msgspec.json.decode(answer, type=LabState)
    except msgspec.ValidationError as error:
        raise LabError(
            f"the practice cluster (lab) {name!r} was built by another version of striate: take it down"
        ) from error
    if not found.ready:
        raise LabError(f"the practice cluster (lab) {name!r} is still being built")
    return found


def take_down(name: str) -> None:
    """Ask the guard to end the lab; returns when nothing of it is left."""
    _ask(name, b"down\n", _DOWN_SECONDS)
    deadline = time.monotonic() + _DOWN_SECONDS
    while name in names():
        if os.geteuid() or time.monotonic() > deadline:
            raise LabError(f"the practice cluster (lab) {name!r} did not end; only root may take it down")
        time.sleep(0.05)


def _ask(name: str, request: bytes, seconds: float) -> bytes:
    """Everything the guard answers until it closes the connection."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(seconds)
        try:
            connection.connect("\0" + _PREFIX + name)
        except OSError as error:
            there = ", ".join(names()) or "none"
            raise LabError(
                f"there is no practice cluster (lab) named {name!r} (labs on this machine: {there})"
            ) from error
        answer = b""
        try:
            connection.sendall(request)
            while part := connection.recv(65536):
                answer += part
        except TimeoutError as error:
            raise LabError(
                f"the practice cluster (lab) {name!r} did not answer within {seconds:g} s"
            ) from error
        except ConnectionError:  # the guard ended meanwhile
            pass
        return answer
