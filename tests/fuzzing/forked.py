"""Runs command lines in this process, many per forked child: a crash, a hang or a bomb ends the child alone."""

from __future__ import annotations

import contextlib
import faulthandler
import io
import os
import pickle
import resource
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

MOST_SECONDS = 20
MOST_BYTES = 1 << 30  # resident
ADDRESS_SPACE = 6 << 30  # what no sound command asks for: the machine is shared
STATUSES = (0, 1, 2, 3)


@dataclass(frozen=True)
class Outcome:
    """What one command line did: its status, or a sentence about what was wrong."""

    status: int | None
    wrong: str = ""


def run_line(arguments: Sequence[str]) -> Outcome:
    """Run one command line here; everything it prints is kept and judged."""
    from striate.cli.main import run

    if arguments[0] == "python":
        return _read_nexus(arguments[-1])
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", errors="strict") for _ in range(2))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
            warnings.simplefilter("error")
            status = run(list(arguments))
    except BaseException:
        return Outcome(None, traceback.format_exc())
    return judged(status, _text(out), _text(err))


def _read_nexus(path: str) -> Outcome:
    from striate.apps.pmc3.nexus import NexusError, read_nexus

    try:
        read_nexus(path)
    except (NexusError, OSError):
        return Outcome(1)
    except BaseException:
        return Outcome(None, traceback.format_exc())
    return Outcome(0)


def judged(status: int, out: str, err: str) -> Outcome:
    """Whether status and output are as promised."""
    if status not in STATUSES:
        return Outcome(status, f"exit status {status}: {err[-300:]}")
    if status == 1 and (err.count("\n") > 1 or not err.startswith("striate: ")):
        return Outcome(status, f"expected one line on stderr: {err[-600:]!r}")
    raw = sorted({letter for letter in out + err if not letter.isprintable() and letter != "\n"})
    return Outcome(status, f"raw characters on the terminal: {raw}" if raw else "")


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode("utf-8")


def in_child(work: Callable[[Callable[[Any], None]], None]) -> tuple[list[Any], str]:
    """Fork, let `work` report objects, and return them with what went wrong with the child: a signal, a bomb."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _child(work, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        reported = []
        with contextlib.suppress(EOFError, pickle.UnpicklingError):
            while True:
                reported.append(pickle.load(pipe))
    _, status, used = os.wait4(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code:
        return reported, f"the child ended with {code} (1: more than {MOST_SECONDS} s)"
    large = used.ru_maxrss * 1024 > MOST_BYTES
    return reported, f"{used.ru_maxrss // 1024} MiB were used" if large else ""


def _child(work: Callable[[Callable[[Any], None]], None], writing: int) -> None:
    """Never returns."""
    status = 70
    try:
        with os.fdopen(writing, "wb", buffering=0) as pipe:
            null = os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(null, descriptor)
            resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, resource.RLIM_INFINITY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            work(lambda found: pipe.write(pickle.dumps(found)))
        status = 0
    finally:
        sys.stdout = sys.stderr = None  # type: ignore[assignment]
        os._exit(status)


@contextlib.contextmanager
def watched() -> Any:
    """End this process when the block takes longer than it may, even inside the core."""
    faulthandler.dump_traceback_later(MOST_SECONDS, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
