"""Independent runs in threads: how much sooner two threads end the same runs than one, and what a run costs in each.

The interpreter's lock is given up during a run. Two processes do the same beside them: where they gain nothing either,
others use the machine, and the threads are not judged.
"""

from __future__ import annotations

import sys
import time
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from functools import cache

from engine import MIB, binomial_broadcast, machine, simulate

RUNS, ROUNDS, LEAST = 8, 3, 1.7
RANKS = 256


@cache
def case() -> tuple:
    return machine(RANKS), RANKS, binomial_broadcast(RANKS, 100 * MIB)


def one_run(_: int) -> float:
    """CPU seconds."""
    cluster, ranks, schedule = case()
    start = time.thread_time()
    simulate(cluster, ranks, schedule, warp=False)
    return time.thread_time() - start


def quickest(label: str, pool: Executor) -> float:
    """Wall seconds of all runs, the best of some rounds after one to warm up."""
    rounds = []
    with pool:
        for _ in range(ROUNDS + 1):
            start = time.perf_counter()
            spent = list(pool.map(one_run, range(RUNS)))
            rounds.append((time.perf_counter() - start, sum(spent) / RUNS))
    wall, cpu = min(rounds[1:])
    print(f"{RUNS} runs in {label:12s} {wall:.3f} s of wall time, {cpu:.3f} s of CPU a run", flush=True)
    return wall


def main() -> int:
    processes = quickest("2 processes:", ProcessPoolExecutor(2))
    alone = quickest("1 thread:", ThreadPoolExecutor(1))
    ratio = alone / quickest("2 threads:", ThreadPoolExecutor(2))
    judged = alone / processes >= LEAST
    met = ratio >= LEAST or not judged
    why = "" if judged else f"; not judged: 2 processes are {alone / processes:.2f} times as fast"
    print(f"2 threads are {ratio:.2f} times as fast (at least {LEAST}){why}{'' if met else ' MISSED'}")
    return int(not met)


if __name__ == "__main__":
    sys.exit(main())
