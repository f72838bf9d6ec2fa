"""Ranks and files: MPI-IO alone and together, the runtime of this package, and how ranks differ."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from striate.cluster.cluster import THREAD_IDLE_SECONDS
from striate.probe.deadline import affordable
from striate.probe.samples import Floats, Line, sturdy_line

_Access = Callable[[int, int], None]  # at so many bytes, of such a size
SIZES = (4096, 65536, 1024**2, 4 * 1024**2)
_PART = 16 * 1024**2  # of a file, for each rank; one to four of them
_MOST_BYTES = 16 * _PART  # of all ranks, where one part of each is less
_IN_A_ROW = 256 * 1024  # bytes of small calls that make a round
RUN = "byte run of a collective access, CPU time"
THREAD = "thread of non-blocking access: start"
EXCHANGE = "exchange of a collective write,"
FLUSH = "flush, own files of"
FLUSH_SIZES = (4096, 1024**2, 4 * 1024**2)  # of a rank
_FEW_FLUSHES = 4  # in a row
_EXCHANGED, _EXCHANGED_RUN = 1024**2, 16 * 1024  # bytes of a rank's collective write, and of each of its runs
_FEW_RUNS, _MANY_RUNS, _RUN_BYTES = 16, 4096, 8  # the same bytes in fewer runs, and of a rank in many runs
OWN_WRITE, OWN_READ = "MPI-IO write, own files", "MPI-IO read, own files"


class _Area:
    """A rank's bytes of an open file and of its memory, both larger than caches of CPUs where files are fast."""

    def __init__(self, file: Any, begin: int, source: Any) -> None:
        self.file, self.begin, self.source = file, begin, source

    def write(self, at: int, size: int) -> None:
        self.file.Write_at(self.begin + at, self.source[at : at + size])

    def write_all(self, at: int, size: int) -> None:
        self.file.Write_at_all(self.begin + at, self.source[at : at + size])

    def read(self, at: int, size: int) -> None:
        self.file.Read_at(self.begin + at, self.source[at : at + size])

    def fill(self) -> None:
        """Every page of it into the cache."""
        for at in range(0, len(self.source), SIZES[-1]):
            self.write(at, SIZES[-1])

    def empty(self) -> None:
        self.file.Set_size(0)


def access_lines(comm: Any, path: Path, seconds: float) -> dict[str, Line] | None:
    """Seconds of independent and collective accesses to one file by the bytes of all ranks; None but on rank 0."""
    from mpi4py import MPI

    file = MPI.File.Open(comm, str(path), MPI.MODE_CREATE | MPI.MODE_RDWR)
    try:
        source = np.ones(_area_bytes(comm, file, seconds / 8), np.uint8)
        area = _Area(file, comm.rank * len(source), source)
        writes = {"MPI-IO write": area.write, "MPI-IO collective write": area.write_all}
        return _lines(comm, area, writes, {"MPI-IO read": area.read}, seconds)
    finally:
        file.Close()


def own_file_lines(comm: Any, path: Path, seconds: float) -> dict[str, Line] | None:
    """The same for independent accesses of every rank to a file of its own."""
    from mpi4py import MPI

    name = path.with_name(f"{path.name}.{comm.rank}")
    file = MPI.File.Open(MPI.COMM_SELF, str(name), MPI.MODE_CREATE | MPI.MODE_RDWR)
    try:
        area = _Area(file, 0, np.ones(_area_bytes(comm, file, seconds / 8), np.uint8))
        return _lines(comm, area, {OWN_WRITE: area.write}, {OWN_READ: area.read}, seconds)
    finally:
        file.Close()
        name.unlink()


def _lines(
    comm: Any, area: _Area, writes: Mapping[str, _Access], reads: Mapping[str, _Access], seconds: float
) -> dict[str, Line] | None:
    """Writes of new data, then reads out of the page cache."""
    columns: dict[str, list[Floats]] = {}
    share = seconds / (len(writes) + len(reads)) / len(SIZES)
    length = len(area.source)
    for name, access in writes.items():
        columns[name] = [_rounds(comm, access, size, length, share, again=area.empty) for size in SIZES]
    area.fill()
    comm.Barrier()
    for name, access in reads.items():
        columns[name] = [_rounds(comm, access, size, length, share, again=lambda: None) for size in SIZES]
    if comm.rank:
        return None
    sizes = [size * comm.size for size in SIZES]
    return {name: sturdy_line(name, sizes, rounds) for name, rounds in columns.items()}


def _area_bytes(comm: Any, file: Any, seconds: float) -> int:
    """Bytes of a rank's area: as many parts as the file system takes in that time."""
    first = _Area(file, comm.rank * _PART, np.ones(_PART, np.uint8))
    times = list[float]()
    for _ in range(2):  # once into memory that somebody has to give
        comm.Barrier()
        before = time.perf_counter()
        first.fill()
        times.append(comm.allreduce(time.perf_counter() - before) / comm.size)
    parts = min(int(seconds / times[-1]), 4, _MOST_BYTES // _PART // int(comm.size))
    return _PART * max(1, parts)


def small_write_samples(comm: Any, path: Path, seconds: float) -> Floats:
    """Seconds of a collective write of 4 KiB per rank, one value per round."""
    from mpi4py import MPI

    from striate.probe.messages import call_samples

    file = MPI.File.Open(comm, str(path), MPI.MODE_CREATE | MPI.MODE_RDWR)
    area = _Area(file, comm.rank * 4096, np.ones(4096, np.uint8))
    try:
        return call_samples(comm, partial(area.write_all, 0, 4096), seconds)
    finally:
        file.Close()


def run_samples(comm: Any, path: Path, seconds: float) -> Floats:
    """Seconds of a byte run each time that a rank handles it, in accesses that one rank carries out for all.

    A rank lists its own runs and the aggregator merges those of all ranks, so that a run more on every rank is handled
    1 + ranks times, one after the other. What the bytes cost is known from the same bytes in few runs.
    """
    few, many = (_woven_samples(comm, path, count, seconds / 2) for count in (_FEW_RUNS, _MANY_RUNS))
    handled = (_MANY_RUNS - _FEW_RUNS) * (1 + comm.size)
    return np.asarray(np.maximum(many - np.median(few), 0.0) / (2 * handled), np.float64)


def _woven_samples(comm: Any, path: Path, count: int, seconds: float) -> Floats:
    """Seconds of a collective write and a read of so many runs per rank, in turn with those of the others."""
    from mpi4py import MPI

    from striate.probe.messages import call_samples

    block = np.ones(_MANY_RUNS * _RUN_BYTES, np.uint8)
    size = len(block) // count
    hints = MPI.Info.Create({"romio_cb_write": "enable", "romio_cb_read": "enable", "cb_nodes": "1"})
    woven = MPI.BYTE.Create_vector(count, size, size * comm.size).Commit()
    file = MPI.File.Open(comm, str(path), MPI.MODE_CREATE | MPI.MODE_RDWR, hints)
    try:
        file.Set_view(comm.rank * size, MPI.BYTE, woven)

        def once() -> None:
            file.Write_at_all(0, block)
            file.Read_at_all(0, block)

        return call_samples(comm, once, seconds)
    finally:
        file.Close()
        woven.Free()
        hints.Free()


def exchange_samples(comm: Any, path: Path, seconds: float) -> Floats:
    """Bytes per second at which one aggregator collects what it then writes: those of the other ranks and its own.

    Collective writes of interleaved runs, less writes of as many bytes by one rank alone.
    """
    from mpi4py import MPI

    block = np.ones(_EXCHANGED, np.uint8)
    whole = np.ones(_EXCHANGED * comm.size if comm.rank == 0 else 0, np.uint8)
    hints = MPI.Info.Create({"romio_cb_write": "enable", "cb_nodes": "1"})
    count = _EXCHANGED // _EXCHANGED_RUN
    woven = MPI.BYTE.Create_vector(count, _EXCHANGED_RUN, _EXCHANGED_RUN * comm.size).Commit()
    alone = MPI.File.Open(comm, f"{path}.alone", MPI.MODE_CREATE | MPI.MODE_RDWR)
    together = MPI.File.Open(comm, str(path), MPI.MODE_CREATE | MPI.MODE_RDWR, hints)
    together.Set_view(comm.rank * _EXCHANGED_RUN, MPI.BYTE, woven)

    def once(write: Callable[[], object]) -> float:
        comm.Barrier()
        before = time.perf_counter()
        write()
        return float(comm.allreduce(time.perf_counter() - before, op=MPI.MAX))

    def both() -> float:
        collective = once(lambda: together.Write_at_all(0, block))
        return max(collective - once(lambda: alone.Write_at(0, whole)), 1e-9)

    try:
        both()  # the first time, memory is new
        before = time.perf_counter()
        both()
        rounds = comm.bcast(affordable(time.perf_counter() - before, seconds, least=5, most=100))
        return np.array([_EXCHANGED * comm.size / both() for _ in range(rounds)])
    finally:
        together.Close()
        alone.Close()
        woven.Free()
        hints.Free()


def thread_samples(comm: Any, path: Path, seconds: float) -> Floats:
    """Seconds that a rank's first non-blocking write takes longer than those after it, on the slowest rank.

    The MPI library starts a thread for it, which ends after a second without work: the next write is a first one again.
    """
    from mpi4py import MPI

    block = np.ones(4096, np.uint8)
    file = MPI.File.Open(MPI.COMM_SELF, f"{path}.{comm.rank}", MPI.MODE_CREATE | MPI.MODE_RDWR)

    def once() -> float:
        comm.Barrier()
        before = time.perf_counter()
        file.Iwrite_at(0, block).Wait()
        return float(comm.allreduce(time.perf_counter() - before, op=MPI.MAX))

    found = []
    for number in range(comm.bcast(affordable(THREAD_IDLE_SECONDS, seconds, least=1, most=5))):
        if number:
            time.sleep(1.1 * THREAD_IDLE_SECONDS)
        found.append(max(once() - min(once() for _ in range(5)), 0.0))
    file.Close()
    return np.array(found)


@contextmanager
def flushed_file(comm: Any, path: Path) -> Iterator[Callable[[], None]]:
    """A call by which every rank writes 2 MiB into one file and waits until all is on the device."""
    from mpi4py import MPI

    file = MPI.File.Open(comm, str(path), MPI.MODE_CREATE | MPI.MODE_RDWR)
    block = np.ones(2 * 1024**2, np.uint8)
    places = count()

    def flush() -> None:
        file.Write_at_all((next(places) % 8 * comm.size + comm.rank) * len(block), block)
        file.Sync()

    try:
        yield flush
    finally:
        file.Close()


def flush_line(comm: Any, path: Path, seconds: float) -> Line | None:
    """Seconds of a flush while every rank flushes as many bytes, by the bytes of all; None but on rank 0.

    Every rank writes to the end of a file of its own, a new one for every few flushes, as programs do.
    """
    rounds = [_flushes(comm, path, size, seconds / len(FLUSH_SIZES)) for size in FLUSH_SIZES]
    if comm.rank:
        return None
    return sturdy_line(f"{FLUSH} {comm.size} ranks", [size * comm.size for size in FLUSH_SIZES], rounds)


def _flushes(comm: Any, path: Path, size: int, seconds: float) -> Floats:
    from mpi4py import MPI

    block = np.ones(size, np.uint8).tobytes()
    name = path.with_name(f"{path.name}.{comm.rank}")

    def once() -> float:
        spent = 0.0
        with name.open("xb", buffering=0) as file:
            for _ in range(_FEW_FLUSHES):
                file.write(block)
                comm.Barrier()
                before = time.perf_counter()
                os.fsync(file.fileno())
                spent += time.perf_counter() - before
        name.unlink()
        return float(comm.allreduce(spent, op=MPI.MAX)) / _FEW_FLUSHES

    first = once()
    return np.array([once() for _ in range(comm.bcast(affordable(_FEW_FLUSHES * first, seconds, most=50)))])


def difference_samples(comm: Any, path: Path, seconds: float) -> Floats:
    """T_io_diff of paper 004: the slowest rank's time of an equal write less the fastest one's, a value a round."""
    from mpi4py import MPI

    file = MPI.File.Open(MPI.COMM_SELF, f"{path}.{comm.rank}", MPI.MODE_CREATE | MPI.MODE_RDWR)
    block = np.ones(65536, np.uint8)
    found = []
    for lap in range(comm.bcast(affordable(2e-3, seconds, most=50))):
        comm.Barrier()
        before = time.perf_counter()
        file.Write_at(lap * len(block), block)
        times = comm.allgather(time.perf_counter() - before)
        found.append(max(times) - min(times))
    file.Close()
    return np.array(found)


def open_samples(comm: Any, path: Path, seconds: float) -> Floats:
    """Seconds of a collective open and close of an existing file, a value a round."""
    from mpi4py import MPI

    from striate.probe.messages import call_samples

    return call_samples(comm, lambda: MPI.File.Open(comm, str(path), MPI.MODE_RDWR).Close(), seconds)


def runtime_samples(comm: Any, path: Path, seconds: float) -> Floats:
    """Seconds of a small dataset of the runtime: made, written once, closed; a value a round."""
    import striate.runtime as runtime
    from striate.probe.messages import call_samples

    records = np.full(1024, comm.rank, np.float64)
    mine = np.arange(comm.rank, 1024 * comm.size, comm.size)
    number = iter(range(10**6))

    def once() -> None:
        target = path.with_name(f"{path.name}-{next(number)}")
        with runtime.create(comm, target, (1024 * comm.size,), np.dtype(np.float64)) as dataset:
            dataset.write_all(mine, records)

    return call_samples(comm, once, seconds)


def _rounds(
    comm: Any, access: _Access, size: int, length: int, seconds: float, *, again: Callable[[], object]
) -> Floats:
    """Seconds of a call from a barrier until the slowest rank is done, a value a round; `again` before each repetition.

    Small ones are called several times in a row, as programs do: what leaving a barrier costs is not theirs.
    """
    from mpi4py import MPI

    calls = min(max(1, _IN_A_ROW // size), length // size)
    steps = length // (calls * size)

    def once(lap: int) -> float:
        if lap % steps == 0:
            again()
        begin = lap % steps * calls * size
        comm.Barrier()
        before = time.perf_counter()
        for number in range(calls):
            access(begin + number * size, size)
        return float(comm.allreduce(time.perf_counter() - before, op=MPI.MAX)) / calls

    first = float(np.median([once(lap) for lap in range(3)]))
    return np.array(
        [once(lap) for lap in range(comm.bcast(affordable(2 * calls * first, seconds, most=100)))]
    )
