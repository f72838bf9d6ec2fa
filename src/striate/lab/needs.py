"""What a lab needs from the machine, and which part is missing."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from striate.errors import LabError
from striate.lab.throttle import io_control

_COMMANDS = {
    "ip": "iproute2",
    "tc": "iproute2",
    "mkfs.ext4": "e2fsprogs",
    "mount.glusterfs": "glusterfs-client",
    "gluster": "glusterfs-server",
    "glusterd": "glusterfs-server",
    "unshare": "util-linux",
    "nsenter": "util-linux",
    "taskset": "util-linux",
}
SYSTEM_PATH = "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"
_DEVICES = ("/dev/loop-control", "/dev/fuse")


def missing() -> list[str]:
    """Everything that keeps a lab from starting here, in words; empty where one may start."""
    found = [] if os.geteuid() == 0 else ["root"]
    packages = {
        package for command, package in _COMMANDS.items() if shutil.which(command, path=SYSTEM_PATH) is None
    }
    found += [f"Debian's {package}" for package in sorted(packages)]
    found += [device for device in _DEVICES if not Path(device).exists()]
    if io_control() is None:
        found.append("a cgroup controller for block devices (blkio, or io)")
    return found


def require() -> None:
    """Raise LabError with one line that names all that is missing."""
    if lacking := missing():
        raise LabError(f"a lab needs {', '.join(lacking)}")


def environment() -> dict[str, str]:
    """The caller's environment, with the system's programs on PATH."""
    return {**os.environ, "PATH": f"{SYSTEM_PATH}:{os.environ.get('PATH', '')}"}
