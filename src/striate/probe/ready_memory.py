"""Memory that costs most when it is touched first: asked for before a measurement, so that nobody pays for it within.

A virtual machine may return free memory to its host after a moment, and the next write to it is ten times as slow;
and a process that returns memory and asks again meets a fault at every page.
"""

from __future__ import annotations

import ctypes
from pathlib import Path

_BLOCK = 4 * 1024**2
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_MAX = -1, -2, -4  # of <malloc.h>


def keep_memory() -> None:
    """What this process frees it keeps, and uses again; nothing where the C library cannot be told so."""
    try:
        tell = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return
    for name, value in ((_MMAP_MAX, 0), (_TRIM_THRESHOLD, 2**31 - 1), (_TOP_PAD, 64 * 1024**2)):
        tell(name, value)


def ready_memory(path: Path, size: int) -> None:
    """Write a file of `size` bytes into the page cache and remove it: its memory is free again, and ready."""
    block = memoryview(bytearray(_BLOCK))
    try:
        with path.open("xb", buffering=0) as file:
            for _ in range(size // _BLOCK):
                file.write(block)
    finally:
        path.unlink(missing_ok=True)
