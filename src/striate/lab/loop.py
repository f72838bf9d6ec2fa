"""Disks that vanish by themselves: a loop device over a nameless file, detached by the kernel at its last close."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from striate.errors import LabError

# linux/loop.h
_LOOP_CTL_GET_FREE = 0x4C82
_LOOP_CONFIGURE = 0x4C0A
_LO_FLAGS_AUTOCLEAR = 4
_CONFIG_BYTES = 304  # struct loop_config: fd, block_size, struct loop_info64, reserved
_FLAGS_AT = 8 + 52  # lo_flags within it
_TRIES = 64


@dataclass(frozen=True)
class Disk:
    """An attached loop device; it lives as long as some process has it open or mounted."""

    descriptor: int
    number: int

    @property
    def path(self) -> str:
        return f"/dev/loop{self.number}"


def make_disk(directory: Path, size_bytes: int) -> Disk:
    """A new empty ext4 file system on a loop device; its image has no name, so no name can be left behind."""
    with tempfile.TemporaryFile(dir=directory) as image:
        image.truncate(size_bytes)
        image_path = f"/proc/{os.getpid()}/fd/{image.fileno()}"
        options = "lazy_itable_init=1,lazy_journal_init=1,nodiscard"
        made = subprocess.run(
            ["mkfs.ext4", "-q", "-F", "-E", options, image_path], capture_output=True, text=True, check=False
        )
        if made.returncode:
            raise LabError(f"mkfs.ext4 failed: {made.stderr.strip()}", at=str(directory))
        return _attach(image.fileno())


def _attach(image: int) -> Disk:
    """Configure the first free loop device; another process may take it first, then the next one is tried."""
    with Path("/dev/loop-control").open("rb", buffering=0) as control:
        for _ in range(_TRIES):
            number = fcntl.ioctl(control, _LOOP_CTL_GET_FREE)
            descriptor = os.open(f"/dev/loop{number}", os.O_RDWR | os.O_CLOEXEC)
            try:
                fcntl.ioctl(descriptor, _LOOP_CONFIGURE, _config(image))
            except OSError as error:
                os.close(descriptor)
                if error.errno != errno.EBUSY:
                    raise
            else:
                return Disk(descriptor, number)
    raise LabError(f"no loop device was free in {_TRIES} attempts", at="/dev/loop-control")


def _config(image: int) -> bytearray:
    config = bytearray(_CONFIG_BYTES)
    config[0:4] = image.to_bytes(4, "little")
    config[_FLAGS_AT : _FLAGS_AT + 4] = _LO_FLAGS_AUTOCLEAR.to_bytes(4, "little")
    return config


def attached(number: int) -> bool:
    """Whether a loop device has a file behind it."""
    return Path(f"/sys/block/loop{number}/loop/backing_file").exists()
