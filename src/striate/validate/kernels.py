"""The applications' own work, timed on as many processes at once as a run has ranks, without messages:

    mpiexec -n 4 python -m striate.validate.kernels FOLDER SECONDS OUTPUT APP PARAMETERS

CPU time, for it hardly depends on who else uses the machine. Processes run at once because they slow each other down:
they share caches, memory and, where they outnumber CPUs, these. MPI only lets them begin together. Kernels follow one
another as in the program, so that each finds in the caches what the one before it leaves there.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from striate.probe.deadline import Deadline
from striate.probe.ready_memory import keep_memory, ready_memory
from striate.validate.programs import READY_BYTES, made_matrix

Kernel = Callable[[], float]  # does its work once and says what CPU seconds it took
_LEAST, _MOST = 2, 100  # laps


@dataclass(frozen=True, slots=True)
class Kernels:
    """What a program does again and again - each kernel so many times in a lap - and what it does only once."""

    lap: Mapping[str, tuple[Kernel, int]]
    once: Mapping[str, Kernel] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Part:
    """One process's part of a case: which of how many it is, the case's parameters, and where files may lie."""

    rank: int
    ranks: int
    parameters: Mapping[str, Any]
    folder: Path


def _timed(act: Callable[[], object]) -> Callable[[], float]:
    def once() -> float:
        before = time.process_time()
        act()
        return time.process_time() - before

    return once


def _jacobi(part: Part) -> Kernels:
    from striate.apps.jacobi import Strip

    strip = Strip(part.parameters["rows"], part.parameters["columns"], part.rank, part.ranks)
    write = _written(part, strip.field, flush=False)
    return Kernels({"sweep": (_timed(strip.sweep), part.parameters["every"]), "write": (write, 1)})


def _checkpoint(part: Part) -> Kernels:
    from striate.apps.checkpoint.solve import advance, made_state

    state = made_state(part.rank, part.parameters["state_bytes"])
    step = _timed(lambda: advance(state, part.parameters["passes"]))
    write = _written(part, state, flush=True)
    return Kernels({"step": (step, part.parameters["every"]), "write": (write, 1)})


def _written(part: Part, content: Any, *, flush: bool) -> Kernel:
    """The content into a file of this process's own."""
    file = (part.folder / "written").open("wb", buffering=0)

    def write() -> None:
        file.seek(0)
        file.write(content.data)
        if flush:
            os.fsync(file.fileno())

    return _timed(write)


def _mesh(part: Part) -> Kernels:
    import striate.runtime as runtime
    from striate.apps.mesh import NODE, Mesh, Sweep

    nodes = part.parameters["nodes"]
    sweep = Sweep(Mesh(nodes), part.rank, part.ranks)
    whole = nodes * NODE.itemsize
    all_nodes = runtime.create(None, part.folder / "all", (nodes,), NODE, buffer=4 * whole)
    schedule = all_nodes.schedule(sweep.indices)
    own = -(-nodes // part.ranks)
    mine = runtime.create(None, part.folder / "own", (own,), NODE, buffer=4 * whole)
    placed = mine.schedule(np.arange(own))
    records = np.zeros(own, NODE)

    def stage_seconds(dataset: Any, where: Any, values: Any) -> dict[str, float]:
        """CPU seconds of every stage of a write: the write's, shared out by what each took."""
        before = time.process_time()
        seconds = dict(dataset.write_all(where, values).seconds)
        spent = time.process_time() - before
        del seconds["read"]  # a part of "load"
        return {name: spent * took / sum(seconds.values()) for name, took in seconds.items()}

    last: dict[str, float] = {}

    def exchanged() -> float:
        last.update(stage_seconds(all_nodes, schedule, sweep.values))
        return last["load"] / part.ranks + last["exchange"]

    def kept() -> float:
        stages = stage_seconds(mine, placed, records)
        return stages["compress"] + stages["wait"]

    return Kernels(
        {
            "step": (_timed(sweep.step), part.parameters["every"]),
            "exchange": (exchanged, 1),
            "seal": (kept, 1),
            "commit": (lambda: last["commit"], 1),
        },
        {"schedule": _timed(lambda: all_nodes.schedule(sweep.indices)), **_window(whole)},
    )


def _window(size: int) -> Mapping[str, Kernel]:
    """Memory that ranks share: one asks the system for it, all map it."""
    from striate.runtime import node

    def reserved() -> float:
        before = time.process_time()
        path = node._reserve(size)
        spent = time.process_time() - before
        Path(path.decode()).unlink()
        return spent

    def mapped() -> float:
        path = node._reserve(size).decode()
        before = time.process_time()
        memory = node._map(path, size)
        spent = time.process_time() - before
        Path(path).unlink()
        del memory
        return spent

    return {"reserve": reserved, "map": mapped}


class _Apart:
    """One of several processes that do not speak to each other: all it hears of is its own."""

    def __init__(self, part: Part) -> None:
        self.rank, self.size = part.rank, part.ranks

    def allgather(self, value: Any) -> list[Any]:
        return [value]


def _pmc3(part: Part) -> Kernels:
    """A generation, its samples written by the system's calls."""
    from striate.apps.pmc3.lines import describe
    from striate.apps.pmc3.sampler import Sampler, Settings
    from striate.apps.pmc3.stores import PlainStore
    from striate.apps.pmc3.writers import MappedWriter, headers

    given = part.parameters
    settings, matrix, comm = Settings(given["runs"], given["chains"], 10_000, 1), made_matrix(), _Apart(part)
    sampler = Sampler(matrix, settings, comm)
    described = describe(settings.model, matrix.names, settings.runs, settings.generations, 1)
    writer = MappedWriter(
        PlainStore(part.folder / "samples"), described, headers(matrix.names, settings), comm, 1
    )
    writer.start_all(0)
    numbers = iter(range(10_000))

    def one() -> None:
        sampler.advance()
        number = next(numbers)
        writer.put_all(number, sampler.cold_lines(number))

    return Kernels({"generation": (_timed(one), 1)})


_MAKE: dict[str, Callable[[Part], Kernels]] = {
    "jacobi": _jacobi,
    "checkpoint": _checkpoint,
    "mesh": _mesh,
    "pmc3": _pmc3,
}


def samples(comm: Any, lap: Mapping[str, tuple[Kernel, int]], seconds: float) -> dict[str, list[list[float]]]:
    """CPU seconds of each kernel: for every process, one value a time, the first time first; all work until the end."""
    comm.Barrier()
    deadline, found, laps = Deadline(seconds), {name: list[float]() for name in lap}, 0
    while laps < _LEAST or (laps < _MOST and not deadline.over):
        laps += 1
        for name, (act, times) in lap.items():
            found[name] += [act() for _ in range(times)]
    return {name: list(comm.allgather(values)) for name, values in found.items()}


def main(arguments: list[str]) -> int:
    folder, seconds, output, app, parameters = arguments
    from mpi4py import MPI

    keep_memory()
    comm = MPI.COMM_WORLD
    own = Path(folder) / f"{comm.rank}"
    own.mkdir()
    kernels = _MAKE[app](Part(comm.rank, comm.size, json.loads(parameters), own))
    ready_memory(own / "ready", READY_BYTES // comm.size)
    share = float(seconds) / (1 + len(kernels.once))
    table = samples(comm, kernels.lap, share)
    for name, act in kernels.once.items():
        table |= samples(comm, {name: (act, 1)}, share / 4)
    if comm.rank == 0:
        Path(output).write_text(json.dumps(table))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
