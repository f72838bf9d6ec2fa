"""Programs with files, with and without exact fast-forward: everything that a run says must be the same.

    python verification/fast_forward_files.py [--cases 10000] [--seed 1] [--ranks 8] [--state FILE [--seconds 600]]

Cases are random programs on random machines (`attack_corpus.py`) that touch files: all cache policies, disks, RAID,
burst buffers, forwarders and metadata servers among them. Times, bytes, seeks, hits, queue lengths and counts of events
are compared to the picosecond and the byte; the time that packets have waited, which is counted in nanoseconds, to one
per event. Prints the smallest case that differs; exit status 1 when there is one. With --state a run goes on where the
one before it with the same seed ended.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

from attack_cases import machine_of, workload_of
from attack_corpus import Case, draw
from attack_shrinking import shrunk

from striate.engine.packets import PacketRun, run_packets
from striate.errors import StriateError
from striate.rungs.cost import fine_seconds
from striate.rungs.program_input import input_of
from striate.workload.kinds import FILE_CALLS
from striate.workload.walk import lines

EACH = 500  # cases between two lines on how far it is
COMPARED = (
    *("rank_end", "end", "events", "messages", "node_busy"),
    *("station_busy", "station_bytes"),
    *("disk_operations", "disk_sequential", "disk_near_seeks", "disk_bytes_read", "disk_bytes_written"),
    *("cache_hit_bytes", "cache_miss_bytes", "burst_bytes_read", "burst_bytes_written"),
    *("server_busy", "longest_queue", "most_dirty_bytes"),
    *("metadata_busy", "metadata_longest_queue", "metadata_operations"),
)
SUMMED = ("queue_seconds", "metadata_waited")  # floating-point sums over time


def runs_of(case: Case, *, most_seconds: float = math.inf) -> tuple[PacketRun, PacketRun] | None:
    """Plain and fast; None without files, for what the engine does not take, and for what takes long to play."""
    try:
        cluster = machine_of(case)
        workload = workload_of(case, len(cluster.servers))
        if not any(True for one in workload.applications for _ in lines(one, kinds=FILE_CALLS)):
            return None
        if fine_seconds(workload, cluster) > most_seconds:
            return None
        given = input_of(workload, cluster)
        return run_packets(given, warp=False), run_packets(given)
    except StriateError:
        return None


def difference(plain: PacketRun, fast: PacketRun) -> str:
    """The first column that differs, or nothing."""
    for name in COMPARED:
        if not np.array_equal(getattr(plain, name), getattr(fast, name)):
            return name
    for name in SUMMED:
        if not np.allclose(getattr(plain, name), getattr(fast, name), rtol=1e-9, atol=1e-12):
            return name
    waited = np.abs(np.asarray(plain.station_waited) - np.asarray(fast.station_waited))
    return "station_waited" if (waited > 2e-9 * (plain.events + 1)).any() else ""


def differs(case: Case) -> bool:
    runs = runs_of(case)
    return runs is not None and bool(difference(*runs))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--state", type=Path, help="a file that keeps how far each seed has come")
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after so long")
    chosen = parser.parse_args()
    states = json.loads(chosen.state.read_text()) if chosen.state and chosen.state.exists() else {}
    sums = Counter(states.get(str(chosen.seed), {}))
    begun = time.monotonic()
    while sums["compared"] < chosen.cases and time.monotonic() - begun < chosen.seconds:
        case = draw(chosen.seed * 1_000_000 + sums["drawn"], most_ranks=chosen.ranks)
        sums["drawn"] += 1
        runs = runs_of(case)
        if runs is None:
            continue
        if found := difference(*runs):
            print(f"{found} differs: {shrunk(case, differs)}")
            return 1
        sums.update(compared=1, events=runs[1].events, skipped=runs[1].skipped)
        if sums["compared"] % EACH == 0:
            say(sums)
            if chosen.state:
                chosen.state.write_text(json.dumps(states | {str(chosen.seed): sums}))
    say(sums)
    return 0


def say(sums: Counter[str]) -> None:
    print(
        f"{sums['compared']:,} programs with files equal; {sums['skipped']:,} of {sums['events']:,} events skipped",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
