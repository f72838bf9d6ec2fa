"""The program's steps, timed on several ranks at once: `mpiexec -n 2 python -m striate.apps.mesh.timing TASK OUTPUT`.

Ranks work at once because they slow each other down: they share memory, caches and the file system.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

import striate.runtime as runtime
from striate.apps.mesh.generate import NODE, Mesh
from striate.apps.mesh.sweep import Sweep
from striate.probe.ready_memory import keep_memory, ready_memory

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
    rounds: int
    window_bytes: int  # of a rank, in a round


@dataclass(frozen=True, slots=True)
class Timings:
    """What all ranks together took; `dumps` by codec and bytes of a chunk, `rounds` by bytes of the buffer."""

    ranks: int
    setup: float
    sweep: float
    schedule: float
    touched: int  # nodes of the last rank
    window: float  # memory that the ranks share, MAPPED_BYTES of each
    dumps: dict[str, dict[int, Dump]]
    rounds: dict[int, Dump]
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

    def dumped(codec: str, chunk: int, buffer: int = whole) -> tuple[Dump, float]:
        return _dumps(comm, sweep, folder, codec=codec, chunk=chunk, buffer=buffer)

    dumps: dict[str, dict[int, Dump]] = {}
    shares = {}
    for codec in ("none", *task.codecs):
        for chunk in (SMALL_CHUNK, LARGE_CHUNK):
            dumps.setdefault(codec, {})[chunk], shares[codec] = dumped(codec, chunk)
    dumps["none"][MIDDLE_CHUNK] = dumped("none", MIDDLE_CHUNK)[0]
    return Timings(
        ranks=ranks,
        setup=setup,
        sweep=swept,
        schedule=_schedule(comm, sweep, folder),
        touched=len(sweep.indices) if comm is None else int(comm.bcast(len(sweep.indices), ranks - 1)),
        window=_least(comm, lambda: _map_shared(comm)),
        dumps=dumps,
        rounds={buffer: dumped("none", MIDDLE_CHUNK, buffer)[0] for buffer in BUFFERS},
        stored_shares=shares,
    )


def _dumps(
    comm: Any, sweep: Sweep, folder: Path, *, codec: str, chunk: int, buffer: int
) -> tuple[Dump, float]:
    """The least seconds of dumps after the first, which has nothing to load; and the share of bytes that is stored."""
    settings: dict[str, Any] = {"codec": None if codec == "none" else codec, "chunk": chunk, "buffer": buffer}
    shape = (sweep.mesh.nodes,)
    laps: list[dict[str, float]] = []
    with runtime.create(comm, folder / "dump", shape, NODE, **settings) as dataset:
        schedule = dataset.schedule(sweep.indices)
        while len(laps) < 2 or (len(laps) <= REPEATS and sum(lap["all"] for lap in laps) < ENOUGH_SECONDS):
            _meet(comm)
            begin = time.perf_counter()
            report = dataset.write_all(schedule, sweep.values)
            laps.append(_of_all(comm, {**report.seconds, "all": time.perf_counter() - begin}))
    stored = sum(_gathered(comm, report.stored_bytes))
    best = {name: min(lap[name] for lap in laps[1:]) for name in laps[0]}
    own = -(-sweep.mesh.nodes * NODE.itemsize // sweep.ranks)
    dump = Dump(
        **{name: best[name] for name in ("load", "exchange", "compress", "write", "all")},
        rounds=report.rounds,
        window_bytes=-(-own // report.rounds),
    )
    return dump, stored / (sweep.mesh.nodes * NODE.itemsize)


def _of_all(comm: Any, seconds: dict[str, float]) -> dict[str, float]:
    rows = _gathered(comm, seconds)
    found = {name: sum(row[name] for row in rows) / len(rows) for name in seconds}
    return found | {"exchange": rows[-1]["exchange"], "all": max(row["all"] for row in rows)}


def _schedule(comm: Any, sweep: Sweep, folder: Path) -> float:
    with runtime.create(comm, folder / "dump", (sweep.mesh.nodes,), NODE) as dataset:
        return _least(comm, lambda: dataset.schedule(sweep.indices))


def _map_shared(comm: Any) -> None:
    from striate.runtime.group import group_of

    ranks = 1 if comm is None else comm.size
    memory = group_of(comm).node(share=True).allocate(ranks * MAPPED_BYTES)
    if memory is not None and ranks == 1:
        memory[::4096] = 1  # promised, not there yet


def _least(comm: Any, work: Callable[[], object]) -> float:
    """Seconds of the slowest rank, the least of several times."""
    found = []
    for _ in range(REPEATS):
        _meet(comm)
        begin = time.perf_counter()
        work()
        found.append(_slowest(comm, time.perf_counter() - begin))
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
