"""Writes of the edge sweep over servers, group factors, codecs and overlaps: `clustering.py FOLDER NODES [sync]`.

Prints one JSON line a case: seconds of the schedule and of the write, and of its stages on the slowest rank.
"""

import json
import shutil
import sys
import time
from pathlib import Path

import numpy as np
from mpi4py import MPI

import striate.runtime as runtime
from striate.apps.mesh import NODE, Mesh
from striate.apps.mesh.generate import touched

WORLD = MPI.COMM_WORLD
REPEATS = 4
SYNC = "sync" in sys.argv[3:]  # each write is durable before it returns


def timed(work):
    WORLD.Barrier()
    begin = time.perf_counter()
    result = work()
    WORLD.Barrier()
    return time.perf_counter() - begin, result


def slowest(report):
    """Seconds of each stage, on the rank where it took longest."""
    names = sorted(report.seconds)
    seconds = np.array([report.seconds[name] for name in names])
    WORLD.Allreduce(MPI.IN_PLACE, seconds, op=MPI.MAX)
    return dict(zip(names, seconds.tolist(), strict=True))


def say(**figures):
    if WORLD.rank == 0:
        print(json.dumps(figures), flush=True)


def remove(path):
    WORLD.Barrier()
    if WORLD.rank == 0:
        shutil.rmtree(path)
    WORLD.Barrier()


def smooth_records(indices):
    """Values that change little from node to node, as physical ones do."""
    records = np.zeros(len(indices), NODE)
    for column in range(4):
        records["v"][:, column] = np.round(np.sin(indices / 5000 + column), 6)
    records["x"] = records["v"][:, :2]
    return records


def measure_servers(folder, nodes, indices, records, servers, factor, codec):
    """The best of a few dumps with the schedule at hand."""
    best = None
    for _ in range(REPEATS):
        settings = {"servers": servers, "group_factor": factor, "codec": codec, "sync": SYNC}
        with runtime.create(WORLD, folder / "dump", (nodes,), NODE, **settings) as dataset:
            schedule_seconds, schedule = timed(lambda dataset=dataset: dataset.schedule(indices))
            write_seconds, report = timed(
                lambda dataset=dataset, plan=schedule: dataset.write_all(plan, records)
            )
        stages = slowest(report)
        stored = WORLD.allreduce(report.stored_bytes)
        if best is None or write_seconds < best["write"]:
            best = {"schedule": schedule_seconds, "write": write_seconds, "stages": stages, "stored": stored}
        remove(folder / "dump")
    say(case="servers", servers=servers, factor=factor, codec=codec, **best)


def measure_overlap(folder, nodes, share, cached):
    """Two loops over half the nodes each, of which `share` is touched by both."""
    half = nodes // 2
    second = int(half * (1 - share))
    loops = [np.arange(WORLD.rank, half, WORLD.size), second + np.arange(WORLD.rank, half, WORLD.size)]
    values = [smooth_records(indices) for indices in loops]
    best, saved = 1e9, 0
    for _ in range(REPEATS):
        with runtime.create(WORLD, folder / "loops", (nodes,), NODE, sync=SYNC) as dataset:
            cache = runtime.LoopCache(dataset)

            def run(cache=cache, dataset=dataset):
                if not cached:
                    dataset.write_all(loops[0], values[0])
                    return dataset.write_all(loops[1], values[1])
                report = cache.write_all(loops[0], values[0], again=loops[1])
                cache.write_all(loops[1], values[1])
                return report

            seconds, report = timed(run)
        best, saved = min(best, seconds), WORLD.allreduce(report.saved_bytes)
        remove(folder / "loops")
    say(case="overlap", share=share, cached=cached, seconds=best, saved=saved)


def main():
    folder, nodes = Path(sys.argv[1]), int(sys.argv[2])
    indices = touched(Mesh(nodes).part(WORLD.rank, WORLD.size))
    records = smooth_records(indices)
    for codec in (None, "blosc"):
        for servers in [count for count in (1, 2, 4, 8) if count <= WORLD.size]:
            for factor in [count for count in (1, 2, 4, 8) if count <= servers]:
                measure_servers(folder, nodes, indices, records, servers, factor, codec)
    for thirty_seconds in (1, 8, 16, 24, 31):
        for cached in (False, True):
            measure_overlap(folder, nodes, thirty_seconds / 32, cached)


main()
