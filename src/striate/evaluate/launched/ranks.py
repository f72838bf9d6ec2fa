"""What a validation does on every rank: `mpiexec -n 4 python -m striate.evaluate.launched.ranks PLAN OUTPUT`.

Every run begins with new files and ends with them removed and written back; a program that reads finds its file
written, flushed and, where this process may drop them, out of the caches. Kernels of applications are timed first, on
all ranks at once, without messages.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from striate.apps.app import KernelProcess
from striate.apps.kernels.perform import Performer
from striate.apps.kernels.registry import chosen
from striate.apps.registry import find
from striate.evaluate.launched.programs import LaunchedProgram
from striate.evaluate.validate.kernels import samples
from striate.probe.background import busy_cpus
from striate.workload.operations import Operation

NOBODY = -1  # stands for no program
_LOOK_SECONDS = 0.1  # at what else the hosts do, before every run
_DROP = Path("/proc/sys/vm/drop_caches")
_SIZE_IS_KEPT = 1.1  # seconds for which clients of GlusterFS believe a size, and end reads there


class RankPlan(msgspec.Struct, frozen=True):
    """What to run, and in which order: indices of programs. Without an order, kernels of applications are timed."""

    folder: str
    programs: list[LaunchedProgram]
    order: list[int] = []
    kernel_seconds: float = 1.0


class RankRun(msgspec.Struct, frozen=True):
    """One run: seconds from a barrier to the last rank's end, and the longest that a rank was in each kind of call."""

    program: int
    seconds: float
    parts: dict[str, float] = {}
    cold: bool = True  # whether caches could be dropped before a read
    background: float = 0.0  # CPUs of the busiest host that computed just before, while all ranks slept


class RankCosts(msgspec.Struct, frozen=True):
    """CPU seconds of an application's kernels: of every kernel and rank, each time."""

    program: int
    ranks: int
    kernels: dict[str, list[list[float]]] = {}


def run_plan(comm: Any, plan: RankPlan) -> Iterator[RankRun]:
    """Every run of the plan, on all ranks."""
    for number, index in enumerate(plan.order):
        with _folder(comm, Path(plan.folder) / f"run-{number}") as folder:
            program = plan.programs[index]
            run = _kernel_run if program.is_kernel else _app_run
            busiest = max(comm.allgather(busy_cpus(_LOOK_SECONDS)))
            yield msgspec.structs.replace(run(comm, program, index, folder), background=busiest)


def time_kernels(comm: Any, plan: RankPlan) -> Iterator[RankCosts]:
    """How many ranks there are, then the kernels of every application of the plan, on all ranks at once."""
    yield RankCosts(NOBODY, comm.size)
    for index, program in enumerate(plan.programs):
        if program.is_kernel:
            continue
        with _folder(comm, Path(plan.folder) / f"kernels-{index}") as folder:
            mine = folder / str(comm.rank)
            mine.mkdir()
            process = KernelProcess(comm.rank, comm.size, program.parameters, mine)
            kernels = find(program.name).kernels(process)
            found = samples(comm.Barrier, kernels.lap, plan.kernel_seconds)
            for name, act in kernels.once.items():
                found |= samples(comm.Barrier, {name: (act, 1)}, plan.kernel_seconds / 4)
            every = comm.allgather(found)
            yield RankCosts(index, comm.size, {name: [one[name] for one in every] for name in found})


@contextlib.contextmanager
def _folder(comm: Any, path: Path) -> Iterator[Path]:
    if comm.rank == 0:
        path.mkdir()
    comm.Barrier()
    yield path
    comm.Barrier()
    if comm.rank == 0:
        shutil.rmtree(path)
        os.sync()
    comm.Barrier()


def _app_run(comm: Any, program: LaunchedProgram, index: int, folder: Path) -> RankRun:
    run = find(program.name).prepare(comm, folder, dict(program.parameters))
    return RankRun(index, _timed(comm, run)[0])


def _kernel_run(comm: Any, program: LaunchedProgram, index: int, folder: Path) -> RankRun:
    cold = True
    if program.parameters.get("mode") == "read":
        written = program.parameters | {"mode": "write", "sync": 1, "shift": 0}
        Performer(comm, folder, _operations(comm, program.name, written), {}).run()
        if len(set(comm.allgather(socket.gethostname()))) > 1:
            time.sleep(_SIZE_IS_KEPT)
        comm.Barrier()
        cold = all(comm.allgather(drop_caches()))
    rank = Performer(comm, folder, _operations(comm, program.name, program.parameters), program.hints)
    seconds, parts = _timed(comm, rank.run)
    longest = {kind: max(each.get(kind, 0.0) for each in parts) for each in parts for kind in each}
    return RankRun(index, seconds, longest, cold)


def _timed(comm: Any, run: Callable[[], Any]) -> tuple[float, list[Any]]:
    """Seconds from a barrier to the last rank's end, and what `run` gave on every rank."""
    comm.Barrier()
    begun = time.perf_counter()
    given = run()
    spent = time.perf_counter() - begun
    return max(comm.allgather(spent)), comm.allgather(given)


def _operations(comm: Any, kernel: str, options: Mapping[str, Any]) -> Iterator[Operation]:
    make, values = chosen(kernel, options)
    return make(comm.rank, comm.size, **values)


def drop_caches() -> bool:
    """Whether this host's page cache could be emptied; it takes root."""
    os.sync()
    with contextlib.suppress(OSError):
        _DROP.write_text("3\n")
        return True
    return False


def main(arguments: list[str]) -> int:
    from mpi4py import MPI

    plan_path, output = arguments
    comm = MPI.COMM_WORLD
    plan = msgspec.json.decode(Path(plan_path).read_bytes(), type=RankPlan)
    with Path(output if comm.rank == 0 else os.devnull).open("ab") as found:
        for one in run_plan(comm, plan) if plan.order else time_kernels(comm, plan):
            found.write(msgspec.json.encode(one) + b"\n")
            found.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
