"""What several ranks, handles and caches must not lose: `handles.py FOLDER`."""

import sys
import tracemalloc
from pathlib import Path

import numpy as np
from mpi4py import MPI

import striate.runtime as runtime
from striate.errors import DatasetError

WORLD = MPI.COMM_WORLD
path = Path(sys.argv[1])


def same(claim, what):
    assert WORLD.allreduce(0 if claim else 1) == 0, what


def refused(act, words):
    try:
        act()
    except DatasetError as error:
        same(words in str(error), f"{error} should say {words}")
        return
    same(False, f"it should refuse: {words}")


with runtime.create(WORLD, path / "sums", (10,), "f8") as dataset:
    where = np.array([4, 4])
    summing = dataset.schedule(where, combine="sum")
    for arguments in ((summing, np.ones(2)), (where, np.ones(2))):
        dataset.write_all(*arguments, combine="sum")
        same(dataset.read_all([4]) == 2 * WORLD.size, "sums with and without a schedule")
    refused(
        lambda: dataset.write_all(dataset.schedule(where), np.ones(2), combine="sum"),
        "with which the schedule",
    )

together = WORLD.allreduce(WORLD.Split_type(MPI.COMM_TYPE_SHARED).size, MPI.MAX)
schedules = {}
for share in (True, False):
    with runtime.create(WORLD, path / f"share-{share}", (1000,), "f8", share_memory=share) as dataset:
        schedules[share] = dataset.schedule(np.arange(WORLD.rank, 1000, WORLD.size))
        if share is False and together > 1:  # ranks alone on their hosts share no memory in any case
            other, ones = schedules[True], np.ones(len(schedules[True].units))
            refused(lambda: dataset.write_all(other, ones), "the same share_memory")  # noqa: B023

with runtime.create(WORLD, path / "kept", (100,), "f8") as dataset:
    cache = runtime.LoopCache(dataset)
    cache.write_all(np.arange(100), np.full(100, 1.0 + WORLD.rank), again=np.arange(100))
    highest = float(WORLD.size)
    same((cache.read_all(np.arange(100)) == highest).all(), "what the highest rank keeps is what all read")
    cache.write_all(np.arange(50), np.full(50, 7.0), again=np.arange(60))
    same((cache.read_all(np.arange(50)) == 7).all(), "what was kept is read")
with runtime.open(WORLD, path / "kept") as dataset:
    found = dataset.read_all(...)
    same(
        (found[:50] == 7).all() and (found[50:] == highest).all(), "closing the dataset writes what was kept"
    )

huge = 2**33
with runtime.create(WORLD, path / "huge", (huge,), "u1") as dataset:
    caches = runtime.LoopCache(dataset), runtime.WriteBehind(dataset)
    tracemalloc.start()
    for cache in caches:
        cache.write_all([huge - 1 - WORLD.rank], np.array([5], "u1"))
        same(cache.read_all([huge - 1 - WORLD.rank])[0] == 5, "one record of very many")
    most = tracemalloc.get_traced_memory()[1]
    same(most < 200 * 2**20, f"a cache takes memory for what it keeps, not for all there is: {most}")

with runtime.open(WORLD, path / "sums") as first, runtime.open(WORLD, path / "sums") as second:
    mine = WORLD.rank % 10
    first.write_all([mine], [1.0])
    second.write_all([9 - mine], [2.0])
    wanted = np.zeros(10)
    wanted[4] = 2 * WORLD.size
    for rank in range(WORLD.size):
        wanted[rank % 10] = 1
    for rank in range(WORLD.size):
        wanted[9 - rank % 10] = 2
    same(np.array_equal(second.read_all(...), wanted), "writes of two handles")
    same(first.refresh() and np.array_equal(first.read_all(...), wanted), "the first handle, refreshed")
if WORLD.rank == 0:
    print("nothing lost")
