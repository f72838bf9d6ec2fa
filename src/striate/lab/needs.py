"""What a lab needs from the machine, and which part is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
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
    control = io_control()
    if control is None or not os.access(control.mount, os.W_OK):
        found.append("a cgroup controller for block devices (blkio, or io) that it may write to")
    if not found and not _may_unshare():
        found.append("the right to make namespaces")
    return found


def _may_unshare() -> bool:
    """Whether a process may have namespaces of its own here; root in a container often may not."""
    command = ["unshare", "--mount", "--net", "--uts", "--ipc", "--pid", "--fork", "--mount-proc", "true"]
    return subprocess.run(command, capture_output=True, env=environment(), check=False).returncode == 0


def require() -> None:
    """Raise LabError with one line that names all that is missing."""
    if lacking := missing():
        raise LabError(f"a lab needs {', '.join(lacking)}")


def environment() -> dict[str, str]:
    """The caller's environment, with the system's programs on PATH."""
    return {**os.environ, "PATH": f"{SYSTEM_PATH}:{os.environ.get('PATH', '')}"}
