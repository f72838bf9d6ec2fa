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
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from striate.apps.app import Kernel, KernelProcess
from striate.apps.registry import find
from striate.apps.run import READY_BYTES
from striate.probe.deadline import Deadline
from striate.probe.ready_memory import keep_memory, ready_memory

Meet = Callable[[], object]  # waits for all processes
_LEAST, _MOST = 2, 100  # laps
_PATIENCE_SECONDS = 120.0  # for the slowest process to get ready


def samples(meet: Meet, lap: Mapping[str, tuple[Kernel, int]], seconds: float) -> dict[str, list[float]]:
    """CPU seconds of each kernel, one value per execution, the first one first; all processes work until the end."""
    meet()
    deadline, found, laps = Deadline(seconds), {name: list[float]() for name in lap}, 0
    while laps < _LEAST or (laps < _MOST and not deadline.over):
        laps += 1
        for name, (act, times) in lap.items():
            found[name] += [act() for _ in range(times)]
    return found


def _work(app: str, process: KernelProcess, seconds: float, barrier: Any, answer: Any) -> None:
    """One process: its values of all kernels go to `answer`."""
    os.setsid()  # some systems share CPUs between sessions, and launchers of MPI give each rank one
    keep_memory()
    process.folder.mkdir()
    kernels = find(app).kernels(process)
    ready_memory(process.folder / "ready", READY_BYTES // process.ranks)
    share = seconds / (1 + len(kernels.once) / 4)
    found = samples(barrier.wait, kernels.lap, share)
    for name, act in kernels.once.items():
        found |= samples(barrier.wait, {name: (act, 1)}, share / 4)
    answer.send(found)


def started(app: str, processes: Sequence[KernelProcess], seconds: float) -> dict[str, list[list[float]]]:
    """All processes once: for every kernel and process, CPU seconds every time."""
    context = multiprocessing.get_context("fork")  # what is imported here need not be imported there
    barrier = context.Barrier(len(processes), timeout=_PATIENCE_SECONDS)
    pipes = [context.Pipe(duplex=False) for _ in processes]
    children = [
        context.Process(target=_work, args=(app, process, seconds, barrier, mine), daemon=True)
        for process, (_, mine) in zip(processes, pipes, strict=True)
    ]
    for child in children:
        child.start()
    for _, mine in pipes:
        mine.close()
    try:
        answers = [theirs.recv() for theirs, _ in pipes]
    except EOFError:
        raise SystemExit(f"a process that timed a kernel of the application {app} ended early") from None
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
        each = [KernelProcess(rank, count, given, above / f"{rank}") for rank in range(count)]
        found.append(started(app, each, float(seconds) / times))
        shutil.rmtree(above)
    Path(output).write_text(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
