"""Starts the processes of the ranks, and ends them."""

from __future__ import annotations

import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from typing import IO, Any

from striate.errors import WorkloadError
from striate.simulate.rank_process import ProgramSpec
from striate.simulate.wire import Channel, RankSettings

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")  # a rank has one CPU
PATIENCE = 10.0  # seconds for processes to end when their programs have


@contextmanager
def started(
    spec: ProgramSpec, settings: RankSettings, output: IO[Any] | int | None = None
) -> Iterator[list[Channel]]:
    """Connections to the ranks, which wait to begin; their processes end with the block.

    What the program prints goes to `output`, or to our standard output.
    """
    _allow_descriptors(2 * settings.ranks + 64)
    ours, theirs = zip(*(socket.socketpair() for _ in range(settings.ranks)), strict=True)
    control, its_control = socket.socketpair()
    numbers = [one.fileno() for one in (*theirs, its_control)]
    environment = dict.fromkeys(ONE_THREAD, "1") | dict(os.environ)
    host = subprocess.Popen(
        [sys.executable, "-m", "striate.simulate.host", str(its_control.fileno())],
        pass_fds=numbers,
        stdout=output,
        env=environment,
        start_new_session=True,  # ended as a group, and not by the terminal
    )
    try:
        for one in (*theirs, its_control):
            one.close()
        channel: Channel = Connection(control.detach())
        try:
            channel.send((settings, spec, numbers[:-1]))
        except OSError:
            raise WorkloadError("the processes of the simulated ranks could not be started") from None
        channel.close()
        yield [Connection(one.detach()) for one in ours]
        with suppress(subprocess.TimeoutExpired):
            host.wait(timeout=PATIENCE)
    finally:
        _end(host)


def _end(host: subprocess.Popen[Any]) -> None:
    """Kill what is left of the ranks."""
    if host.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(host.pid, signal.SIGKILL)
        host.wait()


def _allow_descriptors(wanted: int) -> None:
    """As many connections as ranks; refuses more than the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft >= wanted or soft == resource.RLIM_INFINITY:
        return
    if hard != resource.RLIM_INFINITY and hard < wanted:
        raise WorkloadError(f"the simulated ranks need {wanted} open files, but the system allows {hard}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
