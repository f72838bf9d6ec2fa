"""The bundled programs on simulated ranks and under mpiexec: are their results the same, and what does it take?

    python verification/simulate.py [--ranks 16] [--many 64]

mesh, jacobi and pmc3 of `striate.apps` run unmodified, once by `striate simulate` and once by the mpiexec beside this
Python; every byte of what they write (of the mesh, every record) and what they print is compared. Then jacobi runs on
`--many` simulated ranks. Exit status 1 when results differ or jacobi took more than 20 s.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from striate.apps.pmc3.nexus import random_matrix

HERE = Path(sys.executable).parent
LONGEST = 20.0  # seconds for jacobi on many ranks
JACOBI = """
import sys
from mpi4py import MPI
from striate.apps.jacobi.solve import GridStrip, solve
comm = MPI.COMM_WORLD
change = solve(comm, sys.argv[1] + "/field", GridStrip(512, 1024, comm.rank, comm.size), steps=100, every=25)
if comm.rank == 0:
    print(repr(change))
"""
MESH = """
import sys
import numpy as np
from mpi4py import MPI
import striate.runtime as runtime
from striate.apps.mesh import Mesh, run
run(MPI.COMM_WORLD, sys.argv[1] + "/mesh", Mesh(40_000, "random"), steps=4, every=2)
if MPI.COMM_WORLD.rank == 0:
    with runtime.open(None, sys.argv[1] + "/mesh") as dataset:
        np.save(sys.argv[1] + "/records", dataset.read_all(slice(0, 40_000)))
"""
PMC3 = ["--runs", "4", "--chains", "4", "--generations", "60", "--sample-frequency", "5", "--model", "jc69"]


def ran(command: list[str]) -> tuple[str, float]:
    begin = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout, time.perf_counter() - begin


def simulated(program: list[str], ranks: int, *arguments: str) -> tuple[str, float]:
    return ran(
        [str(HERE / "striate"), "simulate", *program, "westmere", "--ranks", str(ranks), "--", *arguments]
    )


def real(program: list[str], ranks: int, *arguments: str) -> tuple[str, float]:
    return ran([str(HERE / "mpiexec"), "-n", str(ranks), sys.executable, *program, *arguments])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=16)
    parser.add_argument("--many", type=int, default=64)
    asked = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for program, text in (("jacobi", JACOBI), ("mesh", MESH)):
            (folder / f"{program}.py").write_text(text)
        matrix = folder / "matrix.nex"
        matrix.write_text(random_matrix(8, 60, seed=3))
        for program, results in (("jacobi", ["field"]), ("mesh", ["records.npy"]), ("pmc3", ["samples"])):
            seconds, files, printed = [], [], []
            for how, run in (("simulated", simulated), ("real", real)):
                place = folder / f"{program}-{how}"
                place.mkdir()
                source = ["-m", "striate.apps.pmc3"] if program == "pmc3" else [str(folder / f"{program}.py")]
                given = (
                    [str(matrix), *PMC3, "--parallel-file", str(place / "samples")]
                    if program == "pmc3"
                    else [str(place)]
                )
                output, took = run(source, asked.ranks, *given)
                seconds.append(took)
                files.append([(place / result).read_bytes() for result in results])
                printed.append(output.splitlines()[: 1 if program == "jacobi" else 0])
            same = files[0] == files[1] and printed[0] == printed[1]
            wrong += not same
            sizes = sum(map(len, files[0]))
            print(
                f"{program}, {asked.ranks} ranks: {sizes:,} bytes {'equal' if same else 'DIFFER'}; "
                f"simulated in {seconds[0]:.1f} s, real in {seconds[1]:.1f} s",
                flush=True,
            )
        place = folder / "many"
        place.mkdir()
        output, took = simulated([str(folder / "jacobi.py")], asked.many, str(place))
        print(f"jacobi, {asked.many} ranks: simulated in {took:.1f} s")
        print(next(line for line in output.splitlines() if " on westmere" in line))
    return int(wrong > 0 or took > LONGEST)


if __name__ == "__main__":
    sys.exit(main())
