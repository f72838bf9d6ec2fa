"""Many small writes and reads through a memory, against a NumPy array: `write_behind.py FOLDER`."""

import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI

import striate.runtime as runtime

WORLD = MPI.COMM_WORLD
RECORDS, CALLS = 400, 60
path = Path(sys.argv[1])
mine = np.random.default_rng([3, WORLD.rank])
together = np.random.default_rng(3)


def same(claim, what):
    assert WORLD.allreduce(0 if claim else 1) == 0, what


model = np.zeros(RECORDS)
with runtime.create(WORLD, path / "behind", (RECORDS,), "f8", chunk="256 B") as dataset:
    with runtime.WriteBehind(dataset, memory="2 KiB") as behind:
        following = None
        for call in range(CALLS):
            if together.random() < 0.6:
                places = mine.integers(0, RECORDS, mine.integers(0, 12))
                values = 1000.0 * call + 100 * WORLD.rank + np.arange(len(places))
                behind.write_all(places, values)
                for there, brought in WORLD.allgather((places, values)):
                    model[there] = brought
                continue
            asked = following if following is not None else mine.integers(0, RECORDS, mine.integers(0, 9))
            following = mine.integers(0, RECORDS, 5) if together.random() < 0.5 else None
            same(
                np.array_equal(behind.read_all(asked, ahead=following), model[asked]), f"read in call {call}"
            )
        same(behind.saved_calls > 5 and dataset.generation < CALLS / 3, "calls that were saved")
        saved = WORLD.allreduce(behind.saved_bytes)
        same(saved > 0, "bytes that were saved")
    same(np.array_equal(dataset.read_all(slice(None)), model), "the dataset at the end")
if WORLD.rank == 0:
    print(f"saved {saved} bytes")
