"""The guard of a lab: starts its head, holds its disks, answers commands, and clears up when anything dies."""

from __future__ import annotations

import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

import msgspec

from striate.errors import LabError
from striate.lab.door import claim, from_root
from striate.lab.loop import Disk, attached, make_disk
from striate.lab.messages import Job, LabState, Order, Progress, line, tell
from striate.lab.throttle import IoControl, io_control, join_group, leave_group, lift, limit

_SPACES = ("--pid", "--mount", "--net", "--uts", "--ipc")
_CLEAR_SECONDS = 60.0
_REQUEST_SECONDS = 1.0


class Guard:
    """One lab from its first disk to its last; `run` returns when nothing of it is left."""

    def __init__(self, order: Order, control: IoControl, listener: socket.socket) -> None:
        self.plan = order.plan
        self.directory = Path(order.directory)
        self.control = control
        self.listener = listener
        self.disks: list[Disk] = []
        self.ready = self.kept = False
        self.head: subprocess.Popen[bytes] | None = None

    def run(self) -> None:
        """Build, serve until the lab ends or `up` leaves without keeping it, then clear up."""
        waiting: list[socket.socket] = []
        try:
            self._start()
            waiting = self._serve()
        finally:
            self._clear()
            for connection in waiting:
                connection.close()

    def _start(self) -> None:
        tell(Progress(step="making disks"))
        for _ in range(self.plan.servers * self.plan.disks):
            self.disks.append(make_disk(self.directory, self.plan.disk_bytes))
        command = [sys.executable, "-m", "striate.lab.head", self.plan.name]  # the name is for `ps`
        self.head = subprocess.Popen(
            ["unshare", *_SPACES, "--fork", "--kill-child", "--mount-proc", "--", *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,  # a line in a buffer would not wake the selector
            pass_fds=[disk.descriptor for disk in self.disks],
            start_new_session=True,
        )
        join_group(self.control, self.plan.name, self.head.pid)
        assert self.head.stdin is not None
        # Before the limits: a head that knows the loop devices lifts them when we are killed.
        self.head.stdin.write(line(Job(plan=self.plan, loops=self._numbers())))
        rates = (self.plan.disk_bytes_per_second, self.plan.disk_requests_per_second)
        for disk in self.disks:
            limit(self.control, self.plan.name, disk.number, *rates)

    def _serve(self) -> list[socket.socket]:
        """Relay and answer until the end; returns connections that wait for it."""
        assert self.head is not None
        assert self.head.stdout is not None
        with selectors.DefaultSelector() as selector:
            ended = os.pidfd_open(self.head.pid)
            for source in (ended, self.head.stdout, self.listener, sys.stdin.buffer):
                selector.register(source, selectors.EVENT_READ)
            try:
                while True:
                    for key, _ in selector.select():
                        if key.fileobj is self.listener:
                            if waiting := self._answer():
                                return waiting
                        elif key.fileobj is self.head.stdout:
                            self._relay(self.head.stdout, selector)
                        elif key.fileobj is sys.stdin.buffer:
                            if not self._kept():
                                return []
                            selector.unregister(sys.stdin.buffer)
                        else:
                            return []
            finally:
                os.close(ended)

    def _relay(self, source: IO[bytes], selector: selectors.BaseSelector) -> None:
        """Pass the head's progress on to `up`."""
        if not (text := source.readline()):
            selector.unregister(source)
            return
        progress = msgspec.json.decode(text, type=Progress)
        self.ready = self.ready or progress.ready
        tell(progress)

    def _kept(self) -> bool:
        """Whether `up` took the lab over before it left; a killed `up` closes its end without a word."""
        self.kept = sys.stdin.buffer.readline() == b"keep\n"
        return self.kept

    def _answer(self) -> list[socket.socket]:
        """Answer one command; a connection that asked for the end is returned, to be closed after it."""
        connection, _ = self.listener.accept()
        connection.settimeout(_REQUEST_SECONDS)
        try:
            request = connection.recv(64) if from_root(connection) else b""
            if request == b"down\n":
                return [connection]
            if request == b"state\n":
                connection.sendall(line(self._state()))
        except OSError:  # a caller that left, or said nothing
            pass
        connection.close()
        return []

    def _state(self) -> LabState:
        assert self.head is not None
        return LabState(plan=self.plan, loops=self._numbers(), head=_child(self.head.pid), ready=self.ready)

    def _numbers(self) -> list[int]:
        return [disk.number for disk in self.disks]

    def _clear(self) -> None:
        """Lift the limits while the loop devices are still ours, end all processes, then let go of the devices."""
        lift(self.control, self.plan.name, self._numbers())
        if self.head is not None:
            _end(self.head)
        lift(self.control, self.plan.name, self._numbers())  # a limit changed meanwhile
        for disk in self.disks:
            os.close(disk.descriptor)
        leave_group(self.control, self.plan.name)
        deadline = time.monotonic() + _CLEAR_SECONDS
        while any(map(attached, self._numbers())) and time.monotonic() < deadline:
            time.sleep(0.02)  # the kernel unmounts and detaches on its own time
        self.listener.close()


def _end(head: subprocess.Popen[bytes]) -> None:
    """Kill the first process of the lab's namespaces and wait: the kernel ends all others before it."""
    while head.poll() is None:
        first = _child(head.pid)
        os.kill(first or head.pid, signal.SIGKILL)
        try:
            head.wait(timeout=_CLEAR_SECONDS)
        except subprocess.TimeoutExpired:
            return


def _child(process: int) -> int:
    """The first child of a process, 0 when it has none."""
    try:
        return int((Path(f"/proc/{process}/task/{process}/children").read_text().split() or ["0"])[0])
    except FileNotFoundError:
        return 0


def main() -> None:
    """Read the order from standard input and guard the lab until its end."""
    try:
        order = msgspec.json.decode(sys.stdin.buffer.readline(), type=Order)
        control = io_control()
        if control is None:
            raise LabError("this machine has no cgroup controller for block devices")
        Guard(order, control, claim(order.plan.name)).run()
    except (LabError, OSError) as error:
        tell(Progress(error=str(error)))
        sys.exit(1)


if __name__ == "__main__":
    main()
