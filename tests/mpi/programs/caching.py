"""Loops that share some of their records, through a cache and without: `caching.py FOLDER`."""

import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI

import striate.runtime as runtime

WORLD = MPI.COMM_WORLD
RECORDS = 3000
path = Path(sys.argv[1])
random = np.random.default_rng(WORLD.rank)


def same(claim, what):
    assert WORLD.allreduce(0 if claim else 1) == 0, what


loops = [np.unique(random.integers(0, RECORDS, 900)) for _ in range(5)]
model = np.zeros(RECORDS)
saved = 0
with runtime.create(WORLD, path / "cached", (RECORDS,), "f8", chunk="1 KiB") as dataset:
    cache = runtime.LoopCache(dataset)
    for number, indices in enumerate(loops):
        values = 1000.0 * number + 10 * WORLD.rank + np.arange(len(indices)) / 1000
        following = loops[number + 1] if number + 1 < len(loops) else None
        saved += cache.write_all(indices, values, again=following).saved_bytes
        for place, brought in WORLD.allgather((indices, values)):
            model[place] = brought
    everything = np.arange(RECORDS)
    same(np.array_equal(dataset.read_all(everything), model), "the dataset after all loops")
    same(np.array_equal(cache.read_all(loops[0]), model[loops[0]]), "read1")
    same(np.array_equal(cache.read_all(loops[1]), model[loops[1]]), "read2")
    again = len(np.intersect1d(loops[0], loops[1])) * 8
    same(dataset.report.saved_bytes == again, "what the second read saved")
    cache.write_all(loops[2], np.full(len(loops[2]), 7.0), again=loops[3])
    cache.flush()  # the next loop never comes: what was kept for it must not be lost
    for place in WORLD.allgather(loops[2]):
        model[place] = 7.0
    same(np.array_equal(dataset.read_all(everything), model), "the dataset after a loop that never came")
with runtime.create(WORLD, path / "moving", (RECORDS,), "f8") as dataset:
    places = random.integers(0, RECORDS, 500)
    schedule = dataset.schedule(places)
    same(dataset.updated(schedule, [], []) is schedule, "nothing changed")
    moved = places.copy()
    changed = random.permutation(500)[: 50 * WORLD.rank]  # on rank 0 nothing changes
    moved[changed] = random.integers(0, RECORDS, len(changed))
    later = dataset.updated(schedule, changed, moved[changed])
    dataset.write_all(later, np.full(500, 1.0 + WORLD.rank))
    model = np.zeros(RECORDS)
    for rank, place in enumerate(WORLD.allgather(moved)):
        model[place] = 1.0 + rank
    same(np.array_equal(dataset.read_all(slice(None)), model), "a write by the updated schedule")
    same(np.array_equal(dataset.read_all(later), model[moved]), "a read by the updated schedule")
total = WORLD.allreduce(saved)
assert total > 0
if WORLD.rank == 0:
    print(f"saved {total} bytes")
