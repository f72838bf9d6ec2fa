"""What a full timeline costs: CPU time of the same run without and with everything written down, side by side."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

from striate.apps import jacobi
from striate.cluster.load import load_cluster
from striate.collectives.book import book_of
from striate.engine.input import engine_input
from striate.engine.packets import PacketRun, run_packets
from striate.engine.timeline import timeline_of
from striate.workload import Workload
from striate.workload import operations as op

MOST = 1.30  # times the CPU time of the run without a timeline
ROOM = 4 << 30


def ping_pong(rank: int, ranks: int) -> Iterator[op.Operation]:
    """Messages as short as they can be: the least work beside which to write anything down."""
    for _ in range(20_000):
        yield op.send(1, 100) if rank == 0 else op.recv(0, 100)
        yield op.recv(1, 100) if rank == 0 else op.send(0, 100)


def exchange(rank: int, ranks: int) -> Iterator[op.Operation]:
    for _ in range(3):
        yield op.alltoall("1 MiB")


CASES = {
    "jacobi with checkpoints, 8 ranks": lambda: jacobi.workload(8, steps=20, every=5),
    "jacobi with checkpoints, 64 ranks": lambda: jacobi.workload(64, steps=100, every=25),
    "ping-pong of 100 B": lambda: Workload.from_program(ping_pong, 2),
    "alltoall of 1 MiB, 64 ranks": lambda: Workload.from_program(exchange, 64),
}


def measure(label: str, load: Workload, *, tries: int = 15) -> bool:
    """Alternate both kinds of run, so that noise meets both; compare the best of each."""
    cluster = load_cluster("westmere")
    (application,) = load.applications
    placement = cluster.place(application.ranks)
    played = engine_input(application, cluster, placement, book_of(application, None, placement.node))
    best = {0: float("inf"), ROOM: float("inf")}
    run: PacketRun | None = None
    for _ in range(tries):
        for room in best:
            start = time.thread_time()
            run = run_packets(played, timeline_bytes=room)
            best[room] = min(best[room], time.thread_time() - start)
    assert run is not None
    assert run.recorded is not None
    start = time.thread_time()
    trace = timeline_of(run.recorded, played)
    made = time.thread_time() - start
    ratio = best[ROOM] / best[0]
    print(
        f"{label:36s} {best[0] * 1e3:8.1f} ms, with timeline {best[ROOM] * 1e3:8.1f} ms: x {ratio:.2f} "
        f"(at most {MOST}){'' if ratio <= MOST else ' falls short'}; {len(trace):,} rows, "
        f"a trace in {made * 1e3:.0f} ms",
        flush=True,
    )
    return ratio <= MOST


def main() -> int:
    return [measure(label, make()) for label, make in CASES.items()].count(False)


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
