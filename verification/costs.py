"""The costs that `predict` prints against the CPU time around the call, on 20 programs: `python verification/costs.py`.

The first line's cost is held against the time around the climb, and each rung's line, from which its speed-up is
made, against the time around a call right after it that asks this rung alone. Every figure is the median of nine such
pairs. Exit status 1 when one is off by more than 20 %.
"""

from __future__ import annotations

import gc
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import striate
from striate.apps import kernels
from striate.apps.registry import find
from striate.importers.kinds import from_command_line
from striate.ladder.forecast import Forecast
from striate.workload import Spmd, Workload
from striate.workload import operations as op

MOST = 0.20
CALLS = 9
KIB, MIB = 2**10, 2**20


def loop(ranks: int, steps: int, size: int) -> Workload:
    """Compute, exchange with the neighbours, write."""
    body = Spmd(ranks, name="loop")
    with body.repeat(steps) as step:
        body.compute(1e-3)
        body.sendrecv((body.rank + 1) % ranks, size, source=(body.rank - 1) % ranks)
        body.write("data", offset=(step * ranks + body.rank) * size, size=size)
    body.barrier()
    return body.workload()


def uneven(rank: int, ranks: int) -> Iterator[Any]:
    for step in range(200):
        yield op.compute(1e-6 * (1 + step * step % 97))
        yield op.write("data", offset=(step * ranks + rank) * 128 * KIB, size=64 * KIB + 512 * (step % 31))
    yield op.barrier()


def read_back(ranks: int) -> Workload:
    body = Spmd(ranks, name="read back")
    body.write("data", offset=body.rank * 8 * MIB, size=8 * MIB)
    body.allreduce(8)
    body.read("data", offset=body.rank * 8 * MIB, size=8 * MIB)
    return body.workload()


PROGRAMS: dict[str, tuple[Callable[[], Any], str]] = {
    "checkpoint": (lambda: find("checkpoint").workload(), "westmere"),
    "jacobi": (lambda: find("jacobi").workload(), "westmere"),
    "mesh": (lambda: find("mesh").workload(), "lustre-64"),
    "titan": (lambda: find("titan").workload(), "sp2"),
    "vmscope": (lambda: find("vmscope").workload(), "westmere"),
    "ping-pong": (lambda: kernels.workload("pingpong", ranks=2, repeat=1000), "laptop"),
    "alltoall of 64": (lambda: kernels.workload("alltoall", ranks=64, size="64 KiB"), "westmere"),
    "allreduce of 256": (lambda: kernels.workload("allreduce", ranks=256, size="1 MiB"), "lustre-64"),
    "incast": (lambda: kernels.workload("incast", ranks=64), "pvs-cluster"),
    "loop of 4": (lambda: loop(4, 1000, 64 * KIB), "laptop"),
    "loop of 16": (lambda: loop(16, 300, 1 * MIB), "westmere"),
    "loop of 64": (lambda: loop(64, 40, 4 * MIB), "lustre-64"),
    "short loop": (lambda: loop(2, 2, 4 * KIB), "sp2"),
    "uneven of 8": (lambda: Workload.from_program(uneven, 8), "pvs-cluster"),
    "uneven of 32": (lambda: Workload.from_program(uneven, 32), "westmere"),
    "read back of 16": (lambda: read_back(16), "lustre-64"),
    "read back of 256": (lambda: read_back(256), "lustre-64"),
    "IOR": (lambda: from_command_line("mpiexec -n 32 ior -a MPIIO -w -r -t 1m -b 32m", None), "westmere"),
    "IOR, a file each": (
        lambda: from_command_line("mpiexec -n 64 ior -F -w -t 1m -b 16m", None),
        "pvs-cluster",
    ),
    "IOR, collective": (
        lambda: from_command_line("mpiexec -n 40 ior -a MPIIO -c -w -t 1m -b 8m", None),
        "westmere",
    ),
}


def around(make: Callable[[], Any], machine: str, **options: Any) -> tuple[float, Forecast]:
    """CPU seconds around one call, on a workload that nobody has looked at before."""
    workload, cluster = make(), striate.load_cluster(machine)
    gc.collect()  # what earlier calls left is not part of this one's cost
    begun = time.process_time()
    forecast = striate.predict(workload, cluster, **options)
    return time.process_time() - begun, forecast


def compared(make: Callable[[], Any], machine: str) -> dict[str, float]:
    """What is told over what is seen: of the whole climb, and of each rung that it has asked."""
    found: dict[str, list[float]] = {}
    for _ in range(CALLS):
        seen, forecast = around(make, machine, within="20%")
        found.setdefault("climb", []).append(forecast.cost.cpu_seconds / seen)
        for answer in forecast.answers:  # alone, right after the climb: the machine is as fast as it was
            exact = {"exact": True} if answer.rung == "fine" else {}
            alone, _ = around(make, machine, rung=answer.rung, **exact)
            found.setdefault(answer.rung, []).append(answer.cost.cpu_seconds / alone)
    return {rung: statistics.median(ratios) for rung, ratios in found.items()}


def main(wanted: list[str]) -> int:
    off = 0
    for name, (make, machine) in PROGRAMS.items():
        if wanted and not any(word in name for word in wanted):
            continue
        found = compared(make, machine)
        bad = [ratio for ratio in found.values() if not 1 - MOST <= ratio <= 1 + MOST]
        off += bool(bad)
        told = ", ".join(f"{key} {ratio:.2f}" for key, ratio in found.items())
        print(f"{name:18} on {machine:12} told over seen: {told}{'  OFF' if bad else ''}", flush=True)
    print(f"{off} programs with a cost that is off by more than {MOST:.0%}")
    return 1 if off else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
