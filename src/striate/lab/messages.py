"""What the processes of a lab send each other: one JSON document per line."""

from __future__ import annotations

import os
import sys

import msgspec

from striate.lab.plan import Plan


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """From `up` to the guard: what to build, and where disk images may lie."""

    plan: Plan
    directory: str


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """From the guard to the head: what to build, on which loop devices."""

    plan: Plan
    loops: list[int]


class Progress(msgspec.Struct, frozen=True, omit_defaults=True):
    """From head and guard to `up`: a step begins, the lab is ready, or why it is not."""

    step: str = ""
    error: str = ""
    ready: bool = False


class LabState(msgspec.Struct, frozen=True, kw_only=True):
    """From the guard to any command: the lab as built, and the head's process number."""

    plan: Plan
    loops: list[int]
    head: int
    ready: bool


def line(message: msgspec.Struct) -> bytes:
    return msgspec.json.encode(message) + b"\n"


def tell(progress: Progress) -> None:
    """A line to `up`, which may have left."""
    try:
        sys.stdout.buffer.write(line(progress))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
