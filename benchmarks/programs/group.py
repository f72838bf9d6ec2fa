"""Eight variables of one mesh against one of the same bytes, timed under mpiexec: `group.py FOLDER NODES REPEATS`.

The one variable has eight times the nodes (`long`), or rows of eight numbers (`wide`: one move of 32 bytes in place of
eight of 4). Prints one JSON line: median seconds of a step of each, taken in turn, and eight in times of the others.
"""

import json
import shutil
import statistics
import sys
import time
from pathlib import Path

import numpy as np
from mpi4py import MPI

import striate.runtime as runtime
from striate.runtime import Variable

WORLD = MPI.COMM_WORLD
EIGHT = 8


class Case:
    """One group, its schedule, and a step of it."""

    def __init__(self, path, nodes, names, inner=()):
        self.rows = np.array_split(np.random.default_rng(1).permutation(nodes), WORLD.size)[WORLD.rank]
        self.group = runtime.create_group(
            WORLD,
            path,
            dimensions={"time": None, "node": nodes, "part": EIGHT},
            variables={name: Variable("f4", ("time", "node", *inner)) for name in names},
            keep=2,
        )
        self.schedule = self.group.schedule("node", self.rows)
        shape = (len(self.rows), *[EIGHT] * len(inner))
        self.records = dict.fromkeys(names, np.ones(shape, "f4"))
        self.seconds = []

    def step(self):
        WORLD.Barrier()
        begin = time.perf_counter()
        self.group.append_all(self.schedule, self.records)
        WORLD.Barrier()
        self.seconds.append(time.perf_counter() - begin)


def main(folder, nodes, repeats):
    cases = {
        "eight": Case(folder / "eight", nodes, [f"v{number}" for number in range(EIGHT)]),
        "long": Case(folder / "long", nodes * EIGHT, ["v"]),
        "wide": Case(folder / "wide", nodes, ["v"], ("part",)),
    }
    for _ in range(repeats + 1):
        for case in cases.values():
            case.step()
    for case in cases.values():
        case.group.close()
    if WORLD.rank == 0:
        medians = {name: statistics.median(case.seconds[1:]) for name, case in cases.items()}
        ratios = {f"times_{name}": medians["eight"] / medians[name] for name in ("long", "wide")}
        print(json.dumps(medians | ratios))
        for name in cases:
            shutil.rmtree(folder / name)


main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
