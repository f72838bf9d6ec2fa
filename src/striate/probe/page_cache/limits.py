"""How much written data the page cache of this system keeps, as the system is set."""

from __future__ import annotations

from pathlib import Path

from striate.cluster.description.software import dirty_bytes, most_dirty_bytes

SETTINGS = Path("/proc/sys/vm")


def page_cache_limits(memory_bytes: int, settings: Path = SETTINGS) -> tuple[int, int]:
    """Bytes of written data at which the system begins to write back, and at which writers wait.

    By `vm.dirty_background_bytes` and `vm.dirty_bytes`, or the ratios where these are 0; Linux's defaults where the
    system does not say.
    """
    usual = {"dirty_background": dirty_bytes(memory_bytes), "dirty": most_dirty_bytes(memory_bytes)}
    begins, most = (
        _setting(settings / f"{name}_bytes")
        or memory_bytes * _setting(settings / f"{name}_ratio") // 100
        or default
        for name, default in usual.items()
    )
    return (begins if begins < most else most // 2), most  # as the kernel takes them


def _setting(path: Path) -> int:
    """A setting's number; 0 where there is none."""
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return 0
