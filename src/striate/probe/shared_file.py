"""Ranks and one file: MPI-IO alone and together, the runtime of this package, and how ranks differ."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from striate.probe.deadline import affordable
from striate.probe.samples import Floats, Line, sturdy_line

SIZES = (4096, 65536, 1024**2, 4 * 1024**2)
_WINDOW = 16 * 1024**2  # of a rank in the file


def access_lines(comm: Any, path: Path, seconds: float) -> dict[str, Line] | None:
    """Seconds of independent and collective accesses by the bytes of all ranks; on rank 0, None elsewhere."""
    from mpi4py import MPI

    file = MPI.File.Open(comm, str(path), MPI.MODE_CREATE | MPI.MODE_RDWR)
    columns: dict[str, list[Floats]] = {}
    try:
        share = seconds / (3 * len(SIZES))
        for size in SIZES:
            block = np.ones(size, np.uint8)
            empty = partial(file.Set_size, 0)
            for name, call in (
                ("MPI-IO write", partial(_write_at, file, block)),
                ("MPI-IO collective write", partial(_write_at_all, file, block)),
            ):
                columns.setdefault(name, []).append(_rounds(comm, call, size, share, again=empty))
            _fill(comm, file)
            read = _rounds(comm, partial(_read_at, file, block), size, share, again=lambda: None)
            columns.setdefault("MPI-IO read", []).append(read)
    finally:
        file.Close()
    if comm.rank:
        return None
    sizes = [size * comm.size for size in SIZES]
    return {name: sturdy_line(name, sizes, rounds) for name, rounds in columns.items()}


def small_write_samples(comm: Any, path: Path, seconds: float) -> Floats:
    """Seconds of a collective write of 4 KiB per rank, one value per round."""
    from mpi4py import MPI

    from striate.probe.messages import call_samples

    file = MPI.File.Open(comm, str(path), MPI.MODE_CREATE | MPI.MODE_RDWR)
    write = partial(_write_at_all, file, np.ones(4096, np.uint8), comm.rank * 4096)
    try:
        return call_samples(comm, write, seconds)
    finally:
        file.Close()


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


def _write_at(file: Any, block: Any, at: int) -> None:
    file.Write_at(at, block)


def _write_at_all(file: Any, block: Any, at: int) -> None:
    file.Write_at_all(at, block)


def _read_at(file: Any, block: Any, at: int) -> None:
    file.Read_at(at, block)


def _fill(comm: Any, file: Any) -> None:
    """Every page of the file in the cache."""
    block = np.ones(1024**2, np.uint8)
    for at in range(0, _WINDOW, len(block)):
        file.Write_at(comm.rank * _WINDOW + at, block)
    comm.Barrier()


def _rounds(
    comm: Any, call: Callable[[int], object], size: int, seconds: float, *, again: Callable[[], object]
) -> Floats:
    """Seconds from a barrier until the slowest rank is done, a value a round; `again` before each repetition."""
    from mpi4py import MPI

    steps = _WINDOW // size

    def once(lap: int) -> float:
        if lap % steps == 0:
            again()
        comm.Barrier()
        before = time.perf_counter()
        call(comm.rank * _WINDOW + lap % steps * size)
        return float(comm.allreduce(time.perf_counter() - before, op=MPI.MAX))

    first = float(np.median([once(lap) for lap in range(3)]))
    return np.array([once(lap) for lap in range(comm.bcast(affordable(2 * first, seconds, most=100)))])
