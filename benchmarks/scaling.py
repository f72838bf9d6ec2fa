"""Growth: CPU seconds and memory of each rung over ranks, bytes, files, servers and operations, and the slope.

    python benchmarks/scaling.py [--picture growth.svg]

A slope of 1 is growth with the input. Nothing may grow faster than its input without a reason in `REASONS`.
"""

import argparse
import multiprocessing
import resource
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from striate.cluster import Cluster
from striate.cluster.builders import star
from striate.errors import StriateError
from striate.ladder.predict import subject_of
from striate.svg import ACCENT, INK, MUTED, Canvas
from striate.units import KiB, MiB
from striate.workload import Spmd, Workload

RUNGS = ("resource", "macro-queue", "micro", "flow", "fine")
MOST_SLOPE = 1.25  # cold caches, and a logarithm of the queue's length
REASONS: dict[tuple[str, str], str] = {}


def machine(servers: int = 8) -> Cluster:
    node = {
        "count": 64,
        "sockets": 1,
        "cpus_per_socket": 64,
        "instructions_per_second": "2 G",
        "memory": "64 GB",
        "nic": {"bandwidth": "20 GB/s", "link": {"bandwidth": "8 GB/s", "latency": "100 ns"}},
        "socket": {"bandwidth": "20 GB/s", "local_bandwidth": "20 GB/s"},
        "uplink": {"bandwidth": "5 GB/s", "latency": "1 us"},
    }
    server = {
        "count": servers,
        "on": "nodes",
        "disk": {"kind": "simple", "rate": "1 GB/s", "access": "100 us"},
        "cache": {"policy": "aggregation-reorder"},
    }
    return star(name="growth", node=node, switch={"bandwidth": "500 GB/s"}, server=server)


def program(ranks: int = 256, size: int = 256 * KiB, passes: int = 8, files: int = 1) -> Workload:
    body = Spmd(ranks, name="growth")
    file = body.files("out{}", per_rank=True).first + np.arange(ranks) % files
    with body.repeat(passes) as step:
        body.sendrecv((body.rank + 1) % ranks, 16 * KiB, source=(body.rank - 1) % ranks)
        body.write(file, offset=(step * ranks + body.rank) * size, size=size)
    return body.workload()


CASES: dict[str, tuple[tuple[int, ...], Callable[[int], tuple[Workload, Cluster]]]] = {
    "ranks": ((128, 512, 2048), lambda count: (program(ranks=count), machine())),
    "bytes": (
        (64 * KiB, MiB, 16 * MiB),
        lambda count: (program(ranks=64, passes=4, size=count), machine()),
    ),
    "files": ((16, 64, 256), lambda count: (program(files=count), machine())),
    "operations": ((4, 16, 64), lambda count: (program(passes=count), machine())),
    "servers": ((4, 16, 64), lambda count: (program(size=4 * MiB, passes=2), machine(count))),
}


@dataclass(frozen=True)
class Cost:
    """Of one answer of a rung, everything included."""

    cpu_seconds: float
    more_bytes: int  # of memory, at its peak, than before


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def answer(rung: str, workload: Workload, cluster: Cluster, told: Connection) -> None:
    before, begun = resident_bytes(), time.process_time()
    try:
        subject_of(workload, cluster).ask(rung)
    except StriateError as error:
        told.send(str(error))
        return
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    told.send(Cost(time.process_time() - begun, max(peak - before, 1)))


def cost(rung: str, workload: Workload, cluster: Cluster) -> Cost | str:
    """In a process of its own, so that its memory can be told; a refusal as its words."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=answer, args=(rung, workload, cluster, theirs))
    process.start()
    theirs.close()
    found: Cost | str = ours.recv()
    process.join()
    return found


def slope(sizes: tuple[int, ...], spent: Sequence[float]) -> float:
    """Of a line through the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(spent), 1)[0])


def picture(found: dict[str, dict[str, list[float]]]) -> str:
    """A panel a dimension, both axes logarithmic; a line a rung."""
    canvas = Canvas(corner=4)
    colors = ("#7a8896", "#5b9bd5", "#2f6fab", ACCENT, INK)
    values = [value for rungs in found.values() for spent in rungs.values() for value in spent]
    low, high = np.log10(min(values)), np.log10(max(values))
    for panel, (dimension, rungs) in enumerate(found.items()):
        sizes = CASES[dimension][0]
        left = 50.0 + 250 * panel
        canvas.text(left + 100, 20, dimension, anchor="middle", size=13, color=INK)
        for number, (rung, spent) in enumerate(rungs.items()):
            across = [left + 200 * np.log(size / sizes[0]) / np.log(sizes[-1] / sizes[0]) for size in sizes]
            down = [230 - 190 * (np.log10(value) - low) / (high - low) for value in spent]
            for at in range(len(sizes) - 1):
                canvas.line(across[at], down[at], across[at + 1], down[at + 1], colors[number], 2)
            words = f"{rung}: slope {slope(sizes, spent):.2f}"
            canvas.text(left, 255 + 15 * number, words, size=11, anchor="start", color=colors[number])
        for size, at in zip((sizes[0], sizes[-1]), (left, left + 200), strict=True):
            canvas.text(at, 240, f"{size:,}", anchor="middle", size=10, color=MUTED)
    return canvas.svg(50 + 250 * len(found), 340, "CPU seconds of each rung")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--picture")
    chosen = parser.parse_args(arguments or [])
    short = 0
    found: dict[str, dict[str, list[float]]] = {}
    for rung in RUNGS:  # what is loaded at the first use is no part of the growth
        subject_of(program(4, passes=1), machine(1)).ask(rung)
    for dimension, (sizes, make) in CASES.items():
        found[dimension] = {}
        print(f"over {dimension}: {', '.join(f'{size:,}' for size in sizes)}")
        for rung in RUNGS:
            costs = []
            for size in sizes:
                one = cost(rung, *make(size))
                if isinstance(one, str):
                    print(f"  {rung:<12} does not take it: {one}")
                    break
                costs.append(one)
            if len(costs) < len(sizes):
                continue
            found[dimension][rung] = spent = [one.cpu_seconds for one in costs]
            memory = [one.more_bytes for one in costs]
            steep = slope(sizes, spent)
            reason = REASONS.get((rung, dimension), "")
            verdict = f"  falls short {reason}" if steep > MOST_SLOPE else ""
            short += steep > MOST_SLOPE and not reason
            shown = "  ".join(f"{value:8.3f}" for value in spent)
            print(
                f"  {rung:<12} {shown} s   slope {steep:5.2f} (at most {MOST_SLOPE})   "
                f"{memory[-1] / MiB:7.1f} MiB, slope {slope(sizes, memory):5.2f}{verdict}",
                flush=True,
            )
    if chosen.picture:
        Path(chosen.picture).write_text(picture(found))
    return short


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
