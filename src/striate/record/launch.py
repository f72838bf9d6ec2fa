"""Runs a program with the tracer loaded into it, and merges what its processes leave behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from striate.errors import Terminated, TraceError
from striate.record.merge import merge
from striate.trace.trace import Trace

_INTERRUPTS = 3  # so many waits for a command that was interrupted; after the third interrupt it is killed
LEVEL_BITS = {"mpi-io": 1, "mpi": 2, "posix": 4}


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """The exit status of the command, and its trace."""

    exit_status: int
    trace: Trace


def tracer_path() -> Path:
    """The shared object that a traced program loads first."""
    from striate import _core

    path = Path(_core.__file__).parent / "libstriate_trace.so"
    if not path.is_file():
        raise TraceError("the tracer was not installed with striate", at=str(path))
    return path


def traced_environment(
    folder: Path, *, levels: Sequence[str], max_bytes: int, sample_seconds: float = 0.0
) -> dict[str, str]:
    """What to add to a program's environment for it to leave its events in `folder`; 0 s: hosts are not sampled."""
    bits = sum(LEVEL_BITS[level] for level in levels)
    others = [entry for entry in os.environ.get("LD_PRELOAD", "").split(":") if entry]
    return {
        "LD_PRELOAD": ":".join([str(tracer_path()), *others]),
        "STRIATE_TRACE_DIR": str(folder),
        "STRIATE_TRACE_LEVEL": str(bits),
        "STRIATE_TRACE_BYTES": str(max_bytes),
        "STRIATE_TRACE_SAMPLE": str(round(sample_seconds * 1e9)),
        "STRIATE_TRACE_PROCESSES": "1",
        "STRIATE_TRACE_OUTPUT": _output(),
    }


def _output() -> str:
    """What the command gets as input and output, which is not its own I/O: device and inode of each."""
    found = []
    for descriptor in (0, 1, 2):
        try:
            status = os.fstat(descriptor)
        except OSError:  # closed
            continue
        found.append(f"{status.st_dev}:{status.st_ino}")
    return f" {' '.join(found)} "


def record(
    command: Sequence[str],
    *,
    scratch: Path,
    levels: Sequence[str],
    max_bytes: int,
    sample_seconds: float = 0.0,
) -> RecordedRun:
    """Run `command`; its processes write beneath `scratch`, which all of their hosts must see.

    Raises TraceError when the command cannot be run, or no process of it called MPI_Init or opened a file.
    """
    folder = Path(tempfile.mkdtemp(prefix=".striate-parts-", dir=scratch))
    try:
        environment = os.environ | traced_environment(
            folder, levels=levels, max_bytes=max_bytes, sample_seconds=sample_seconds
        )
        try:
            status = _status(command, environment)
        except OSError as error:
            raise TraceError(f"cannot run {command[0]!r}: {error.strerror or error}") from None
        try:
            return RecordedRun(status, merge(folder, levels=levels))
        except TraceError as error:
            raise TraceError(f"{error.message} (the command ended with status {status})") from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _signals_of_the_program() -> Iterator[None]:
    """While the program runs, an interruption is its own business: `striate.command` is not woken to end us."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    woken = signal.set_wakeup_fd(-1)
    try:
        yield
    finally:
        signal.set_wakeup_fd(woken)


def _status(command: Sequence[str], environment: dict[str, str]) -> int:
    """The exit status of the command. Ctrl-C reaches it too: what it recorded until then is waited for."""
    with _signals_of_the_program(), subprocess.Popen(list(command), env=environment) as process:
        for _ in range(_INTERRUPTS):
            try:
                return process.wait()
            except KeyboardInterrupt as stopped:
                if isinstance(stopped, Terminated):
                    process.terminate()
                continue
        process.kill()
        return process.wait()
