"""Limits of disks by the kernel's block controller: cgroup version 1 (blkio) or 2 (io).

Version 1 charges written-back pages to the root group, so the limits stand there, one line per loop device. Version 2
charges them to the writer's group, so the limits stand in a group of the lab's own.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from striate.lab.loop import attached

_LOOP_MAJOR = 7
_GROUP = "striate-lab-"


@dataclass(frozen=True)
class IoControl:
    """Where the block controller is mounted, and its version."""

    mount: Path
    version: int

    def group(self, lab: str) -> Path:
        return self.mount if self.version == 1 else self.mount / (_GROUP + lab)


def io_control(mounts: str | None = None) -> IoControl | None:
    """The machine's block controller, if any; `mounts` is the text of /proc/mounts."""
    for line in (Path("/proc/mounts").read_text() if mounts is None else mounts).splitlines():
        _, place, kind, options, *_ = line.split()
        if kind == "cgroup" and "blkio" in options.split(","):
            return IoControl(Path(place), 1)
        if kind == "cgroup2" and "io" in _words(Path(place) / "cgroup.controllers"):
            return IoControl(Path(place), 2)
    return None


def join_group(control: IoControl, lab: str, process: int) -> None:
    """Put a process, with what it will start, where the limits hold; version 1 needs no group."""
    if control.version == 2:
        if "io" not in _words(control.mount / "cgroup.subtree_control"):
            (control.mount / "cgroup.subtree_control").write_text("+io")
        control.group(lab).mkdir(exist_ok=True)
        (control.group(lab) / "cgroup.procs").write_text(str(process))


def limit(
    control: IoControl, lab: str, number: int, bytes_per_second: float, requests_per_second: float
) -> None:
    """Limit reads and writes of /dev/loop`number`, each; 0 takes a limit away."""
    group = control.group(lab)
    for file, line in rules(control.version, number, bytes_per_second, requests_per_second):
        (group / file).write_text(line)


def rules(
    version: int, number: int, bytes_per_second: float, requests_per_second: float
) -> list[tuple[str, str]]:
    """(file, line) pairs that set one device's limits."""
    device, values = f"{_LOOP_MAJOR}:{number}", {"bps": bytes_per_second, "iops": requests_per_second}
    if version == 2:
        each = [
            f"{direction}{key}={round(value) or 'max'}" for direction in "rw" for key, value in values.items()
        ]
        return [("io.max", " ".join([device, *each]))]
    return [
        (f"blkio.throttle.{direction}_{key}_device", f"{device} {round(value)}")
        for direction in ("read", "write")
        for key, value in values.items()
    ]


def lift(control: IoControl, lab: str, numbers: list[int]) -> None:
    """Take all limits of these loop devices away; a group that is already gone has none."""
    with contextlib.suppress(FileNotFoundError):
        for number in numbers:
            limit(control, lab, number, 0, 0)


def leave_group(control: IoControl, lab: str) -> None:
    """Remove the lab's own group, once its processes are gone."""
    if control.version == 2:
        with contextlib.suppress(OSError):
            control.group(lab).rmdir()


def sweep() -> None:
    """Remove what labs leave when guard and head are killed at the same instant.

    A limit on a loop device without a file limits nothing and belongs to nobody; an empty group of ours neither.
    """
    control = io_control()
    if control is None or os.geteuid():
        return
    if control.version == 2:
        for group in control.mount.glob(_GROUP + "*"):
            with contextlib.suppress(OSError):  # a group in use refuses
                group.rmdir()
        return
    lift(control, "", [number for number in limited(control) if not attached(number)])


def limited(control: IoControl) -> list[int]:
    """Numbers of loop devices with a limit in the root group (version 1)."""
    lines = [
        line
        for file in control.mount.glob("blkio.throttle.*_device")
        for line in file.read_text().splitlines()
    ]
    devices = {line.split()[0] for line in lines if line.startswith(f"{_LOOP_MAJOR}:")}
    return sorted(int(device.split(":")[1]) for device in devices)


def _words(path: Path) -> list[str]:
    return path.read_text().split() if path.exists() else []
