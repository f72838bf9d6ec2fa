"""The applications' own work, timed on as many processes at once as a run has ranks, without messages:

    mpiexec -n 4 python -m striate.validate.kernels FOLDER SECONDS OUTPUT APP PARAMETERS

CPU time, for it hardly depends on who else uses the machine. Processes run at once because they slow each other down:
they share caches, memory and, where they outnumber CPUs, these. MPI only lets them begin together.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from striate.probe.deadline import Deadline
from striate.probe.ready_memory import keep_memory, ready_memory
from striate.validate.programs import READY_BYTES, made_matrix

Kernels = Mapping[str, Callable[[], float]]  # each does its work once and says what CPU seconds it took
_LEAST, _MOST = 4, 100


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
    return {"sweep": _timed(strip.sweep)}


def _checkpoint(part: Part) -> Kernels:
    from striate.apps.checkpoint.solve import advance, made_state

    state = made_state(part.rank, part.parameters["state_bytes"])
    return {"step": _timed(lambda: advance(state, part.parameters["passes"]))}


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

    def exchanged() -> float:
        stages = stage_seconds(all_nodes, schedule, sweep.values)
        return stages["load"] / part.ranks + stages["exchange"]

    def kept() -> float:
        stages = stage_seconds(mine, placed, records)
        return stages["compress"] + stages["wait"]

    return {
        "step": _timed(sweep.step),
        "schedule": _timed(lambda: all_nodes.schedule(sweep.indices)),
        "exchange": exchanged,
        "seal": kept,
        "commit": lambda: stage_seconds(all_nodes, schedule, sweep.values)["commit"],
        **_window(whole),
    }


def _window(size: int) -> Kernels:
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

    return {"generation": _timed(one)}


_MAKE: dict[str, Callable[[Part], Kernels]] = {
    "jacobi": _jacobi,
    "checkpoint": _checkpoint,
    "mesh": _mesh,
    "pmc3": _pmc3,
}


def samples(comm: Any, act: Callable[[], float], seconds: float) -> list[list[float]]:
    """CPU seconds of one kernel: for every process, one value a time; all work until the time is over."""
    comm.Barrier()
    act()  # memory is touched, files exist
    deadline, found = Deadline(seconds), list[float]()
    while len(found) < _LEAST or (len(found) < _MOST and not deadline.over):
        found.append(act())
    return list(comm.allgather(found))


def main(arguments: list[str]) -> int:
    folder, seconds, output, app, parameters = arguments
    from mpi4py import MPI

    keep_memory()
    comm = MPI.COMM_WORLD
    own = Path(folder) / f"{comm.rank}"
    own.mkdir()
    kernels = _MAKE[app](Part(comm.rank, comm.size, json.loads(parameters), own))
    ready_memory(own / "ready", READY_BYTES // comm.size)
    table = {name: samples(comm, act, float(seconds) / len(kernels)) for name, act in kernels.items()}
    if comm.rank == 0:
        Path(output).write_text(json.dumps(table))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
