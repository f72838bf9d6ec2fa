"""A run of many steps, which another process may watch, or end: `steps.py FOLDER STEPS KEEP [pids] [one-server]`."""

import os
import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI

import striate.runtime as runtime
from striate.runtime import Ragged, Variable

WORLD = MPI.COMM_WORLD
NODES = 3000
path, steps, keep = Path(sys.argv[1]) / "run", int(sys.argv[2]), int(sys.argv[3])
ours = np.array_split(np.random.default_rng(7).permutation(NODES), WORLD.size)[WORLD.rank]

group = runtime.create_group(
    WORLD,
    path,
    dimensions={"time": None, "node": NODES, "xyz": 3},
    variables={
        "time": Variable("f8", ("time",), units="s"),
        "x": Variable("f8", ("node",), units="m", coordinate=True),
        "pressure": Variable("f8", ("time", "node"), units="Pa"),
        "velocity": Variable("f4", ("time", "node", "xyz"), codec="zstd"),
        "temperature": Variable("f4", ("time", "node"), units="K"),
        "marks": Variable("i4", ("time", "node"), ragged=True),
    },
    keep=keep or None,
    chunk="4 KiB",
    servers=1 if "one-server" in sys.argv else None,
)
with group:
    nodes = group.schedule("node", ours)
    group.write_all(nodes, {"x": ours * 1.0})
    pids = WORLD.gather(os.getpid())
    if WORLD.rank == 0 and "pids" in sys.argv:
        print(*pids, flush=True)
    for step in range(steps):
        pressure, velocity = np.full(len(ours), float(step)), np.full((len(ours), 3), step, "f4")
        records = {"pressure": pressure, "velocity": velocity, "temperature": velocity[:, 0]}
        lengths = (ours + step) % 3
        records["marks"] = Ragged(lengths, np.full(lengths.sum(), step, "i4"))
        group.append_all(nodes, records, time=step / 10)
    found = group.read_all("pressure", nodes)
    assert (found == steps - 1).all()
    assert (group.read_all("velocity", [0, NODES - 1], step=-2) == steps - 2).all()
    assert np.array_equal(group.read_all("x", nodes), ours)
    marks = group.read_all("marks", nodes)
    assert np.array_equal(marks.counts, (ours + steps - 1) % 3)
    assert (marks.values == steps - 1).all()
if WORLD.rank == 0:
    print(f"{steps} steps written")
