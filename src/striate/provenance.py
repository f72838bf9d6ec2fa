"""Where a number came from: versions, hashes of the inputs, the seed, and what it cost to make."""

from __future__ import annotations

import hashlib
import platform
import resource
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path

_LIBRARIES = ("striate", "numpy", "pyarrow")


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU and wall seconds spent, and the peak resident memory of the process so far in bytes."""

    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    peak_memory_bytes: int = 0

    def __add__(self, other: Cost) -> Cost:
        """Both one after the other."""
        most = max(self.peak_memory_bytes, other.peak_memory_bytes)
        return Cost(self.cpu_seconds + other.cpu_seconds, self.wall_seconds + other.wall_seconds, most)

    def without(self, part: Cost) -> Cost:
        """The rest when a part of it is counted elsewhere."""
        cpu, wall = self.cpu_seconds - part.cpu_seconds, self.wall_seconds - part.wall_seconds
        return Cost(max(cpu, 0.0), max(wall, 0.0), self.peak_memory_bytes)


@dataclass(frozen=True, slots=True)
class Provenance:
    """Enough to make the same number again."""

    versions: Mapping[str, str]
    inputs: Mapping[str, str] = field(default_factory=dict)  # name -> "sha256:..."
    seed: int | None = None

    @classmethod
    def of(cls, inputs: Mapping[str, str] | None = None, *, seed: int | None = None) -> Provenance:
        """The provenance of a result made now, by this process, from `inputs`."""
        return cls(versions(), dict(inputs or {}), seed)


def versions() -> dict[str, str]:
    """Versions of Python and of the libraries that numbers pass through."""
    return dict(_versions())


@cache
def _versions() -> dict[str, str]:
    """Looked up once: it takes milliseconds, and no process changes its libraries."""
    found = {"python": platform.python_version()}
    for library in _LIBRARIES:
        found[library] = import_module(library).__version__
    return found


def hash_file(path: Path) -> str:
    """`sha256:` and the hexadecimal digest of a file's bytes."""
    with path.open("rb") as file:
        return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()


def hash_bytes(content: bytes) -> str:
    """`sha256:` and the hexadecimal digest of `content`."""
    return "sha256:" + hashlib.sha256(content).hexdigest()


class Meter:
    """Measures the cost of a block; read `cost` after the block has ended."""

    cost = Cost()


@contextmanager
def metered() -> Iterator[Meter]:
    """Measure CPU time, wall time and memory of the block: `with metered() as meter: ...; meter.cost`."""
    meter = Meter()
    cpu, wall = time.process_time(), time.perf_counter()
    try:
        yield meter
    finally:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024  # Linux reports KiB
        meter.cost = Cost(time.process_time() - cpu, time.perf_counter() - wall, peak)
