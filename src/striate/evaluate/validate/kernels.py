"""The applications' own work, timed on as many processes at once as a run has ranks, without messages:

    python -m striate.evaluate.validate.kernels FOLDER SECONDS OUTPUT APP PARAMETERS PROCESSES STARTS

CPU time, for it hardly depends on who else uses the machine. Processes run at once because they slow each other down:
they share caches, memory and, where they outnumber CPUs, these. They are started several times over, for how fast a
process is depends on where its memory happens to lie. Kernels follow one another as in the program, so that each finds
in the caches what the one before it leaves there.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from striate.evaluate.validate.programs import READY_BYTES, made_matrix
from striate.probe.deadline import Deadline
from striate.probe.ready_memory import keep_memory, ready_memory

Kernel = Callable[[], float]  # does its work once and says what CPU seconds it took
Meet = Callable[[], object]  # waits for all processes
_LEAST, _MOST = 2, 100  # laps
_PATIENCE_SECONDS = 120.0  # for the slowest process to get ready


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


def _first(seconds: float, act: Callable[[], object]) -> Kernel:
    """A kernel whose first time is over, and took so long."""
    before, again = [seconds], _timed(act)
    return lambda: before.pop() if before else again()


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
    first_schedule = _timed(lambda: all_nodes.schedule(sweep.indices))()
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
        {"schedule": _first(first_schedule, lambda: all_nodes.schedule(sweep.indices)), **_window(whole)},
    )


def _window(size: int) -> Mapping[str, Kernel]:
    """Memory that ranks share: one asks the system for it, all map it."""
    from striate.runtime.move import node

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


def samples(meet: Meet, lap: Mapping[str, tuple[Kernel, int]], seconds: float) -> dict[str, list[float]]:
    """CPU seconds of each kernel, one value a time, the first time first; all processes work until the end."""
    meet()
    deadline, found, laps = Deadline(seconds), {name: list[float]() for name in lap}, 0
    while laps < _LEAST or (laps < _MOST and not deadline.over):
        laps += 1
        for name, (act, times) in lap.items():
            found[name] += [act() for _ in range(times)]
    return found


def _work(app: str, part: Part, seconds: float, barrier: Any, answer: Any) -> None:
    """One process: its values of all kernels go to `answer`."""
    os.setsid()  # some systems share CPUs between sessions, and launchers of MPI give each rank one
    keep_memory()
    part.folder.mkdir()
    kernels = _MAKE[app](part)
    ready_memory(part.folder / "ready", READY_BYTES // part.ranks)
    share = seconds / (1 + len(kernels.once) / 4)
    found = samples(barrier.wait, kernels.lap, share)
    for name, act in kernels.once.items():
        found |= samples(barrier.wait, {name: (act, 1)}, share / 4)
    answer.send(found)


def started(app: str, parts: Sequence[Part], seconds: float) -> dict[str, list[list[float]]]:
    """All parts once, each in a process of its own: for every kernel and process, CPU seconds every time."""
    context = multiprocessing.get_context("fork")  # what is imported here need not be imported there
    barrier = context.Barrier(len(parts), timeout=_PATIENCE_SECONDS)
    pipes = [context.Pipe(duplex=False) for _ in parts]
    children = [
        context.Process(target=_work, args=(app, part, seconds, barrier, mine), daemon=True)
        for part, (_, mine) in zip(parts, pipes, strict=True)
    ]
    for child in children:
        child.start()
    for _, mine in pipes:
        mine.close()
    try:
        answers = [theirs.recv() for theirs, _ in pipes]
    except EOFError:
        raise SystemExit(f"a process with a kernel of {app} ended early") from None
    for child in children:
        child.join()
    return {name: [answer[name] for answer in answers] for name in answers[0]}


def main(arguments: list[str]) -> int:
    folder, seconds, output, app, parameters, processes, starts = arguments
    given, count, times = json.loads(parameters), int(processes), int(starts)
    found = []
    for start in range(times):
        above = Path(folder) / f"start-{start}"
        above.mkdir()
        parts = [Part(rank, count, given, above / f"{rank}") for rank in range(count)]
        found.append(started(app, parts, float(seconds) / times))
        shutil.rmtree(above)
    Path(output).write_text(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
