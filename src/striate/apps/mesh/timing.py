"""The program's steps, timed on several ranks at once: `mpiexec -n 2 python -m striate.apps.mesh.timing TASK OUTPUT`.

Ranks work at once because they slow each other down: they share memory, caches and the file system.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

import striate.runtime as runtime
from striate.apps.mesh.generate import NODE, Mesh
from striate.apps.mesh.sweep import Sweep
from striate.probe.ready_memory import keep_memory, ready_memory

PAIRS = 8  # dumps in one round and in several, one after the other
REPEATS = 4  # the least counts: what is slower was disturbed
ENOUGH_SECONDS = 0.5  # of dumps in one way: slow ones are done less often
MAPPED_BYTES = 16 * 2**20
SMALL_CHUNK, MIDDLE_CHUNK, LARGE_CHUNK = 64 * 2**10, 256 * 2**10, 4 * 2**20
BUFFERS = (4 * 2**20, 16 * 2**20)  # so small that a dump takes several rounds


@dataclass(frozen=True, slots=True)
class Task:
    """What to time, and where files may lie."""

    nodes: int
    pattern: str
    codecs: tuple[str, ...]  # beside none
    folder: str


@dataclass(frozen=True, slots=True)
class Dump:
    """Seconds of a dump: of its stages on a rank on average, of the exchange on the last rank, and of all of it."""

    load: float
    exchange: float
    compress: float
    write: float
    all: float


@dataclass(frozen=True, slots=True)
class Timings:
    """What all ranks together took; `dumps` by codec and bytes of a chunk."""

    ranks: int
    setup: float
    sweep: float
    schedule: float
    touched: int  # nodes of the last rank
    window: float  # memory that the ranks share, MAPPED_BYTES of each
    dumps: dict[str, dict[int, Dump]]
    rounds: list[
        tuple[int, float]
    ]  # bytes of a rank's window, and how much longer a dump takes than in one round
    stored_shares: dict[str, float]


def time_steps(comm: Any, task: Task) -> Timings:
    """Do them on every rank of `comm`, an mpi4py communicator or None for one process; the same answer on all."""
    rank, ranks = (0, 1) if comm is None else (comm.rank, comm.size)
    mesh = Mesh(task.nodes, task.pattern)
    folder = Path(task.folder)
    ready_memory(folder / f"ready-{rank}", 8 * mesh.nodes * NODE.itemsize // ranks)
    _meet(comm)
    begin = time.perf_counter()
    sweep = Sweep(mesh, rank, ranks)
    setup = _slowest(comm, time.perf_counter() - begin)
    swept = _least(comm, sweep.step)  # before the dumps: what was never computed compresses too well
    whole = 4 * mesh.nodes * NODE.itemsize

    dumps: dict[str, dict[int, Dump]] = {}
    shares = {}
    for codec in ("none", *task.codecs):
        for chunk in (SMALL_CHUNK, LARGE_CHUNK):
            found = _dumps(comm, sweep, folder / "dump", codec=codec, chunk=chunk, buffer=whole)
            dumps.setdefault(codec, {})[chunk], shares[codec] = found
    rounds = _rounds(comm, sweep, folder, (whole, *BUFFERS))
    return Timings(
        ranks=ranks,
        setup=setup,
        sweep=swept,
        schedule=_schedule(comm, sweep, folder),
        touched=len(sweep.indices) if comm is None else int(comm.bcast(len(sweep.indices), ranks - 1)),
        window=_least(comm, lambda: _map_shared(comm)),
        dumps=dumps,
        rounds=rounds,
        stored_shares=shares,
    )


def _dumps(comm: Any, sweep: Sweep, path: Path, *, codec: str, chunk: int, buffer: int) -> tuple[Dump, float]:
    """The least seconds of dumps after the first, which has nothing to load; and the share of bytes that is stored."""
    settings: dict[str, Any] = {"codec": None if codec == "none" else codec, "chunk": chunk, "buffer": buffer}
    shape = (sweep.mesh.nodes,)
    laps: list[dict[str, float]] = []
    with runtime.create(comm, path, shape, NODE, **settings) as dataset:
        schedule = dataset.schedule(sweep.indices)
        while len(laps) < 2 or (len(laps) <= REPEATS and sum(lap["all"] for lap in laps) < ENOUGH_SECONDS):
            _meet(comm)
            begin = time.perf_counter()
            report = dataset.write_all(schedule, sweep.values)
            laps.append(_of_all(comm, {**report.seconds, "all": time.perf_counter() - begin}))
    stored = sum(_gathered(comm, report.stored_bytes))
    best = {name: min(lap[name] for lap in laps[1:]) for name in laps[0]}
    dump = Dump(**{name: best[name] for name in ("load", "exchange", "compress", "write", "all")})
    return dump, stored / (sweep.mesh.nodes * NODE.itemsize)


def _rounds(comm: Any, sweep: Sweep, folder: Path, buffers: Sequence[int]) -> list[tuple[int, float]]:
    """Dumps with every buffer in turn, again and again: what those in several rounds take longer than the first.

    The median of differences between neighbours in time: who disturbs one disturbs the other.
    """
    own = -(-sweep.mesh.nodes * NODE.itemsize // sweep.ranks)
    with ExitStack() as stack:
        written = []
        for buffer in buffers:
            made = runtime.create(
                comm, folder / f"dump-{buffer}", (sweep.mesh.nodes,), NODE, chunk=MIDDLE_CHUNK, buffer=buffer
            )
            dataset = stack.enter_context(made)
            written.append(partial(dataset.write_all, dataset.schedule(sweep.indices), sweep.values))
        laps = [[_timed_write(comm, write) for write in written] for _ in range(1 + PAIRS)][1:]
    found = []
    for number in range(1, len(buffers)):
        rounds = laps[0][number][1]
        if rounds > 1:
            more = statistics.median(lap[number][0] - lap[0][0] for lap in laps)
            found.append((-(-own // rounds), more))
    return found


def _timed_write(comm: Any, write: Callable[[], runtime.Report]) -> tuple[float, int]:
    """Seconds of the slowest rank, and rounds."""
    _meet(comm)
    begin = time.perf_counter()
    report = write()
    return _slowest(comm, time.perf_counter() - begin), report.rounds


def _of_all(comm: Any, seconds: dict[str, float]) -> dict[str, float]:
    rows = _gathered(comm, seconds)
    found = {name: sum(row[name] for row in rows) / len(rows) for name in seconds}
    return found | {"exchange": rows[-1]["exchange"], "all": max(row["all"] for row in rows)}


def _schedule(comm: Any, sweep: Sweep, folder: Path) -> float:
    with runtime.create(comm, folder / "dump", (sweep.mesh.nodes,), NODE) as dataset:
        return _least(comm, lambda: dataset.schedule(sweep.indices))


def _map_shared(comm: Any) -> Any:
    from striate.runtime.move.communicator.group import group_of

    ranks = 1 if comm is None else comm.size
    memory = group_of(comm).node(share=True).allocate(ranks * MAPPED_BYTES)
    if memory is not None and ranks == 1:
        memory[::4096] = 1  # promised, not there yet
    return memory


def _least(comm: Any, work: Callable[[], object]) -> float:
    """Seconds of the slowest rank, the least of several times."""
    found = []
    for _ in range(REPEATS):
        _meet(comm)
        begin = time.perf_counter()
        made = work()
        found.append(_slowest(comm, time.perf_counter() - begin))
        del made  # what it costs to give it back does not count
    return min(found)


def _slowest(comm: Any, seconds: float) -> float:
    return float(max(_gathered(comm, seconds)))


def _gathered(comm: Any, value: Any) -> list[Any]:
    return [value] if comm is None else list(comm.allgather(value))


def _meet(comm: Any) -> None:
    if comm is not None:
        comm.Barrier()


def main(arguments: Sequence[str]) -> int:
    task, output = arguments
    from mpi4py import MPI

    keep_memory()
    found = time_steps(MPI.COMM_WORLD, msgspec.json.decode(task, type=Task))
    if MPI.COMM_WORLD.rank == 0:
        Path(output).write_bytes(msgspec.json.encode(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
