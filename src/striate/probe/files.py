"""One process and the file system: cached and direct reads and writes by block size, flushes, seeks, metadata.

Files have 192 MiB at most, less where the file system is slow. They lie in a directory of their own, which the
caller removes.
"""

from __future__ import annotations

import mmap
import os
import random
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from striate.interval import Interval
from striate.probe.deadline import Deadline, repeated, timed
from striate.probe.fresh_memory import measure_fresh_memory
from striate.probe.page_cache.copies import (
    REUSED_READ,
    REUSED_WRITE,
    CachedFile,
    cached_buffer,
    reused_copies,
)
from striate.probe.samples import Floats, Line, Measurement, TimeCurve, measured, spread, sturdy_line
from striate.units import format_size

LARGEST_FILE_BYTES = 64 * 1024**2
SMALLEST_FILE_BYTES = 8 * 1024**2
_BLOCKS = (4096, 65536, 1024**2, 4 * 1024**2)
_METADATA_FILES = 64
_FEW = 4  # flushes of a sample


class FileFindings:
    """Measurements, lines by name, and remarks, as they come in."""

    def __init__(self) -> None:
        self.measurements: list[Measurement] = []
        self.lines: dict[str, Line] = {}
        self.notes: list[str] = []

    @property
    def curves(self) -> list[TimeCurve]:
        return [line.curve for line in self.lines.values()]

    def add_line(self, name: str, sizes: tuple[int, ...], rounds: list[Floats], how: str) -> None:
        """Keep a line and its two numbers."""
        line = sturdy_line(name, sizes, rounds)
        self.lines[name] = line
        self.measurements.append(Measurement(f"{name}: latency", "s", line.startup, line.samples, how))
        self.measurements.append(Measurement(f"{name}: rate", "B/s", line.rate, line.samples, how))


def measure_files(directory: Path, seconds: float) -> FileFindings:
    """Every test in turn, each with an equal share of the time; memory that a host has taken back gets two."""
    found = FileFindings()
    share = seconds / 7
    path = directory / "cached"
    largest = largest_file(_flushed_rate(directory / "tried"), share)
    _measure_cached(found, path, share, largest)
    usual = found.lines["cached write"].rate.estimate
    found.measurements += measure_fresh_memory(directory / "first", 8 * largest, usual, 2 * share)
    _measure_flush(found, directory / "flushed", share, largest)
    _measure_direct(found, path, share, largest)
    _measure_metadata(found, directory, share)
    return found


def largest_file(bytes_per_second: float, seconds: float) -> int:
    """Bytes of the largest file: what is flushed in `seconds`, in whole parts of 8 MiB, between 8 and 64 MiB."""
    parts = int(bytes_per_second * seconds) // SMALLEST_FILE_BYTES
    return min(max(parts, 1) * SMALLEST_FILE_BYTES, LARGEST_FILE_BYTES)


def _flushed_rate(path: Path) -> float:
    """A first guess: one block written and flushed."""
    with path.open("wb", buffering=0) as file:
        before = time.perf_counter()
        file.write(os.urandom(_BLOCKS[-1]))
        os.fsync(file)
        took = time.perf_counter() - before
    path.unlink()
    return _BLOCKS[-1] / took


def _measure_cached(found: FileFindings, path: Path, seconds: float, largest: int) -> None:
    """Writes of new data into the page cache and reads out of it, and the CPU time they take."""
    # As large as the file: no part of it stays in a cache of the CPU.
    memory = memoryview(bytearray(largest))
    with path.open("w+b", buffering=0) as opened:
        file = CachedFile(opened.fileno(), largest)
        writes, reads, busy = [], [], list[float]()
        for size in _BLOCKS:
            writes.append(file.writes(memory, size, seconds / 8, busy))
            file.fill()
            reads.append(file.reads(memory, size, seconds / 8))
        buffer = cached_buffer(file, memory, seconds / 8)
        most = int(buffer.value.estimate)
        sizes, reused_writes, reused_reads = reused_copies(file, memory, most, seconds / 4)
    found.add_line(
        "cached write", _BLOCKS, writes, "new data in blocks of 4 KiB to 4 MiB into the page cache"
    )
    found.add_line("cached read", _BLOCKS, reads, "blocks of 4 KiB to 4 MiB out of the page cache")
    found.measurements.append(measured("I/O call, CPU time", "s", busy[: len(writes[0])], "writes of 4 KiB"))
    blocks = f"blocks of {format_size(sizes[0])} to {format_size(sizes[-1])}, each the same memory again"
    found.add_line(REUSED_WRITE, sizes, reused_writes, f"new data in {blocks}")
    found.add_line(REUSED_READ, sizes, reused_reads, blocks)
    found.measurements.append(buffer)


def _measure_flush(found: FileFindings, path: Path, seconds: float, largest: int) -> None:
    """fsync after so many bytes at a file's end: a latency, and the rate at which the device takes data.

    Means of a few: some flushes take much longer than most, and a program that flushes often meets them all.
    """
    rounds = []
    sizes = (4096, 65536, largest // 64, largest // 16, largest // 4)
    for size in sizes:
        block = os.urandom(size)
        with path.open("wb", buffering=0) as file:

            def flush(file: Any = file, content: bytes = block) -> float:
                spent = 0.0
                if file.tell() + _FEW * len(content) > 2 * largest:
                    file.seek(0)
                    file.truncate()
                for _ in range(_FEW):
                    file.write(content)
                    before = time.perf_counter()
                    os.fsync(file.fileno())
                    spent += time.perf_counter() - before
                return spent / _FEW

            rounds.append(np.array(repeated(flush, seconds / len(sizes), least=4, most=20)))
        path.unlink()
    how = f"fsync after {format_size(sizes[0])} to {format_size(sizes[-1])} at the end of a file"
    found.add_line("flush", sizes, rounds, how)


def _measure_direct(found: FileFindings, path: Path, seconds: float, largest: int) -> None:
    """Sequential and random accesses that pass the page cache by; what they differ by is the seek."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_DIRECT)
    except OSError:
        found.notes.append("the file system has no direct I/O: the device was measured only through fsync")
        return
    try:
        os.fsync(descriptor)
        for verb in ("read", "write"):
            columns: dict[str, list[Floats]] = {}
            for size in _BLOCKS:
                block = mmap.mmap(-1, size)  # page-aligned, as direct I/O wants it
                act = partial(_read if verb == "read" else _write, descriptor, block)
                in_order = list(range(0, largest - size + 1, size))
                for order in ("sequential", "random"):
                    places = (
                        in_order
                        if order == "sequential"
                        else random.Random(size).sample(in_order, len(in_order))
                    )
                    columns.setdefault(order, []).append(timed(act, places, seconds / 16, []))
                block.close()
            for order, rounds in columns.items():
                found.add_line(
                    f"direct {verb}, {order}", _BLOCKS, rounds, "blocks of 4 KiB to 4 MiB, O_DIRECT"
                )
            if verb == "read":
                found.measurements.append(_seek(columns))
    except OSError as error:
        found.notes.append(f"direct I/O was refused: {error.strerror}")
    finally:
        os.close(descriptor)


def _seek(columns: dict[str, list[Floats]]) -> Measurement:
    """T_rand_seek of paper 004, section 5.1: a random block's time less a sequential one's."""
    sequential, shuffled = (spread(columns[order][0]) for order in ("sequential", "random"))
    differences = sorted(
        max(0.0, end)
        for end in (
            shuffled.low - sequential.high,
            shuffled.estimate - sequential.estimate,
            shuffled.high - sequential.low,
        )
    )
    count = len(columns["random"][0])
    return Measurement(
        "random seek", "s", Interval(*differences), count, "direct reads of 4 KiB, random less sequential"
    )


def _measure_metadata(found: FileFindings, directory: Path, seconds: float) -> None:
    """Files made, looked at, opened and deleted per second."""
    rates: dict[str, list[float]] = {"create": [], "stat": [], "open and close": [], "delete": []}
    deadline = Deadline(seconds)
    paths = [directory / f"empty-{number}" for number in range(_METADATA_FILES)]
    steps: dict[str, Callable[[Path], object]] = {
        "create": lambda path: path.open("xb").close(),
        "stat": lambda path: path.stat(),
        "open and close": lambda path: path.open("rb").close(),
        "delete": lambda path: path.unlink(),
    }
    while len(rates["create"]) < 3 or (len(rates["create"]) < 50 and not deadline.over):
        for name, step in steps.items():
            before = time.perf_counter()
            for path in paths:
                step(path)
            rates[name].append(_METADATA_FILES / (time.perf_counter() - before))
    for name, column in rates.items():
        found.measurements.append(
            measured(f"metadata, {name}", "1/s", column, f"{_METADATA_FILES} files at a time")
        )


def _read(descriptor: int, block: Any, at: int) -> object:
    return os.preadv(descriptor, [block], at)


def _write(descriptor: int, block: Any, at: int) -> object:
    return os.pwritev(descriptor, [block], at)
