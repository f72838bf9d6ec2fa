"""2.5 million records of 8 bytes in random order, written from all ranks and made durable, in several ways.

    mpiexec -n RANKS python irregular_write.py FOLDER REPEATS WAY...

Rank 0 prints a line of JSON per way and repeat: the seconds from the first call to the last, for the slowest rank, and,
for the runtime, of its parts. The ways take turns, so that what else happens on the machine meets all alike.
"""

import json
import os
import shutil
import sys
import time
from pathlib import Path

import numpy as np
from mpi4py import MPI

from striate import runtime

WORLD = MPI.COMM_WORLD
RECORDS = 2_500_000
MINE = np.array_split(np.random.default_rng(1).permutation(RECORDS), WORLD.size)[WORLD.rank]
VALUES = MINE * 0.5
SETTINGS = {
    "runtime": {},
    "runtime, 1 server": {"servers": 1},
    "runtime, group factor 4": {"group_factor": 4},
    "runtime, no references": {"reference": False},
}


def with_runtime(path, settings):
    """A dataset: create, write_all, close."""
    marks = [time.perf_counter()]
    with runtime.create(WORLD, path, (RECORDS,), np.float64, sync=True, **settings) as dataset:
        marks.append(time.perf_counter())
        report = dataset.write_all(MINE, VALUES)
        marks.append(time.perf_counter())
    marks.append(time.perf_counter())
    parts = dict(zip(("create", "write_all", "close"), np.diff(marks), strict=True))
    return parts | {f"write_all: {name}": spent for name, spent in report.seconds.items()}


def with_mpi_io(path, hints):
    """One file through ROMIO: open, a view of all our records, a collective write, sync, close."""
    order = np.argsort(MINE)
    file = MPI.File.Open(WORLD, str(path), MPI.MODE_CREATE | MPI.MODE_WRONLY, MPI.Info.Create(hints))
    view = MPI.DOUBLE.Create_indexed_block(1, MINE[order].astype(np.int32)).Commit()
    file.Set_view(0, MPI.DOUBLE, view)
    file.Write_all(VALUES[order])
    file.Sync()
    file.Close()
    view.Free()


def with_gather(path):
    """All records to rank 0, which writes one file."""
    counts = np.array(WORLD.allgather(len(MINE)))
    places = np.empty(RECORDS, MINE.dtype) if WORLD.rank == 0 else None
    values = np.empty(RECORDS) if WORLD.rank == 0 else None
    WORLD.Gatherv(MINE, [places, counts] if WORLD.rank == 0 else None)
    WORLD.Gatherv(VALUES, [values, counts] if WORLD.rank == 0 else None)
    if WORLD.rank == 0:
        whole = np.empty(RECORDS)
        whole[places] = values
        write_durably(path, whole)


def write_durably(path, values):
    with path.open("wb", buffering=0) as file:
        file.write(values)
        os.fsync(file)


def perform(way, path):
    if way in SETTINGS:
        return with_runtime(path, SETTINGS[way])
    if way == "file per process":
        write_durably(path.with_name(f"{path.name}-{WORLD.rank}"), VALUES)
    elif way == "gather":
        with_gather(path)
    elif way.startswith("ROMIO"):
        with_mpi_io(path, {"cb_nodes": str(WORLD.size)} if "cb_nodes" in way else {})
    else:
        raise SystemExit(f"irregular_write: no way {way!r}")
    return {}


def check(way, path):
    """What the runtime wrote is what was meant: record i is i / 2."""
    if way in SETTINGS:
        with runtime.open(WORLD, path) as dataset:
            assert (dataset.read_all(MINE) == VALUES).all()


def remove(path):
    for one in path.parent.glob(f"{path.name}*"):
        shutil.rmtree(one) if one.is_dir() else one.unlink()


def main():
    folder, repeats, ways = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    for turn in range(repeats):
        for number, way in enumerate(ways):
            path = folder / f"irregular-{turn}-{number}"
            WORLD.Barrier()
            begin = time.perf_counter()
            parts = perform(way, path)
            parts["total"] = time.perf_counter() - begin
            slowest = {
                name: round(max(one.get(name, 0.0) for one in found), 4)
                for found in [WORLD.allgather(parts)]
                for name in parts
            }
            if turn == 0:
                check(way, path)
            if WORLD.rank == 0:
                print(json.dumps({"way": way, **slowest}), flush=True)
                remove(path)


if __name__ == "__main__":
    main()
