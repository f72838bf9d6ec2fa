"""Memory that a host gives only when it is touched: asked for before a measurement, so that nobody pays for it within.

A virtual machine may return free memory to its host after a moment, and the next write to it is ten times as slow.
"""

from __future__ import annotations

from pathlib import Path

_BLOCK = 4 * 1024**2


def ready_memory(path: Path, size: int) -> None:
    """Write a file of `size` bytes into the page cache and remove it: its memory is free again, and ready."""
    block = memoryview(bytearray(_BLOCK))
    try:
        with path.open("xb", buffering=0) as file:
            for _ in range(size // _BLOCK):
                file.write(block)
    finally:
        path.unlink(missing_ok=True)
