"""What a lab could leave behind: processes, namespaces, mounts, loop devices, limits, interfaces, names, files."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from striate.lab.door import names
from striate.lab.loop import attached
from striate.lab.throttle import io_control, limited

_PATIENCE_SECONDS = 30.0


def processes(name: str) -> dict[int, str]:
    """Processes of a lab with their command lines: those that name it, and all that descend from them."""
    commands, parents = {}, {}
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ended while we looked
            commands[int(place.name)] = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            parents[int(place.name)] = int((place / "stat").read_text().rpartition(")")[2].split()[1])
    found = {number for number, command in commands.items() if name in command and number in parents}
    while more := {number for number, parent in parents.items() if parent in found} - found:
        found |= more
    return {number: commands[number] for number in found}


def namespaces(of: Iterable[int] | None = None) -> set[str]:
    """Namespaces of these processes, or of all."""
    found = set()
    for process in Path("/proc").glob("[0-9]*") if of is None else [Path(f"/proc/{one}") for one in of]:
        for space in ("mnt", "net", "pid", "uts", "ipc"):
            try:
                found.add(str((process / "ns" / space).readlink()))
            except OSError:
                continue
    return found


def loop_devices(directory: Path) -> list[str]:
    """Loop devices over files in `directory`, deleted ones included."""
    files = {place.parents[1].name: place for place in Path("/sys/block").glob("loop*/loop/backing_file")}
    found = []
    for device, place in files.items():
        try:
            if place.read_text().startswith(str(directory)):
                found.append(device)
        except OSError:  # detached while we looked
            continue
    return found


def all_interfaces() -> set[str]:
    return {place.name for place in Path("/sys/class/net").iterdir()}


def left(name: str, directory: Path, spaces: set[str], interfaces: set[str]) -> list[str]:
    """Everything that is still there of a lab, in words."""
    control = io_control()
    stale = [number for number in limited(control) if not attached(number)] if control else []
    mounts = [line for line in Path("/proc/mounts").read_text().splitlines() if "/run/pfs" in line]
    return [
        *(f"process {number}: {command}" for number, command in processes(name).items()),
        *(f"namespace {space}" for space in spaces & namespaces()),
        *(f"mount {line}" for line in mounts),
        *(f"loop device {device}" for device in loop_devices(directory)),
        *(f"limit on unused loop{number}" for number in stale),
        *(f"interface {one}" for one in all_interfaces() - interfaces),
        *(f"name {one}" for one in names() if one == name),
        *(f"file {path}" for path in directory.iterdir()),
    ]


def wait_for(count: Callable[[], list[str]]) -> None:
    """Raise AssertionError with what `count` still finds after half a minute; the kernel takes its own time."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while found := count():
        assert time.monotonic() < deadline, found
        time.sleep(0.1)
