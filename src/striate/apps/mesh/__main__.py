"""The real program: `mpiexec -n 2 python -m striate.apps.mesh FOLDER [--nodes N ...]`; prints one JSON line a run."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from striate.apps.mesh.generate import PATTERNS, Mesh
from striate.apps.mesh.sweep import run
from striate.runtime.settings import read_settings


def main(arguments: list[str]) -> int:
    """Run, and print seconds of the whole program and of its writes on the slowest rank."""
    from mpi4py import MPI

    asked = _parser().parse_args(arguments)
    world = MPI.COMM_WORLD
    settings: dict[str, Any] = read_settings(asked.settings)
    for _ in range(asked.repeats):
        world.Barrier()
        begin = time.perf_counter()
        mesh = Mesh(asked.nodes, asked.pattern)
        reports = run(world, asked.folder, mesh, steps=asked.steps, every=asked.every, **settings)
        world.Barrier()
        seconds = time.perf_counter() - begin
        writes = world.allreduce(sum(report.total_seconds for report in reports), MPI.MAX)
        stored = world.allreduce(sum(report.stored_bytes for report in reports))
        if world.rank == 0:
            print(
                json.dumps({"seconds": seconds, "write_seconds": writes, "stored_bytes": stored}), flush=True
            )
            shutil.rmtree(asked.folder)
        world.Barrier()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m striate.apps.mesh", description=__doc__)
    parser.add_argument("folder", type=Path, help="the dataset to write, removed afterwards")
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--pattern", choices=PATTERNS, default="random")
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--every", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument(
        "--settings",
        type=Path,
        help="a TOML file with settings of striate.runtime.create (default: STRIATE_RUNTIME)",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
