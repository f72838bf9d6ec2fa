"""The same steps of an unstructured field by striate.runtime, parallel HDF5 and PnetCDF: lines, seconds, bytes, kills.

    python verification/side_by_side.py --hdf5 "mpirun -n 4 python3" --pnetcdf "mpirun -n 4 ./with_pnetcdf"

HDF5 needs a Python whose h5py is parallel (Debian: python3-h5py-mpi); `with_pnetcdf` is compiled from
verification/programs/side_by_side/with_pnetcdf.c (mpicc, -lpnetcdf). What is not given is left out. Runs take turns;
seconds are medians, every step is flushed. After a kill (SIGKILL of one rank at a random moment) a serial reader opens
the file: all steps that it shows must be whole.
"""

import argparse
import os
import random
import re
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

PROGRAMS = Path(__file__).resolve().parent / "programs" / "side_by_side"
RANKS = 4


def commands(given):
    """Library -> the words that start its program, without its arguments."""
    mpiexec = [str(Path(sys.prefix) / "bin" / "mpiexec"), "-n", str(RANKS), sys.executable]
    found = {"striate": [*mpiexec, str(PROGRAMS / "with_striate.py")]}
    if given.hdf5:
        found["hdf5"] = [*shlex.split(given.hdf5), str(PROGRAMS / "with_hdf5.py")]
    if given.pnetcdf:
        found["pnetcdf"] = shlex.split(given.pnetcdf)
    return found


def lines_of(library):
    """Lines of the library's part of a program, without empty ones."""
    source = PROGRAMS / ("with_pnetcdf.c" if library == "pnetcdf" else f"with_{library}.py")
    part = re.search(r"--- the library's part.*?\n(.*?)\n\s*(?:#|/\*) --- end", source.read_text(), re.DOTALL)
    return sum(bool(line.strip()) for line in part[1].splitlines())


def started(command, path, nodes, steps):
    """The program, and the processes of its ranks."""
    np.random.default_rng(7).permutation(nodes).astype("i8").tofile(f"{path}.nodes")
    words = [*command, str(path), str(nodes), str(steps)]
    program = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return program, [int(word) for word in program.stdout.readline().split()]


def bytes_of(path):
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


def read_steps(library, path):
    """The field as a serial reader of the library shows it."""
    if library == "striate":
        import striate.runtime as runtime

        with runtime.open_group(None, path) as group:
            return [group.read_all("field", step=step) for step in group.steps]
    if library == "hdf5":
        import h5py

        with h5py.File(path) as file:
            return list(file["field"][...])
    import netCDF4

    with netCDF4.Dataset(path) as file:
        return list(np.ma.filled(file["field"][...], np.nan))


def kill_once(library, command, path, nodes, draw):
    """What is left after one rank was killed: whole steps, a torn one, or nothing that opens."""
    program, pids = started(command, path, nodes, 10**6)
    time.sleep(draw.uniform(0.3, 1.5))
    os.kill(draw.choice(pids), signal.SIGKILL)
    try:
        program.wait(timeout=15)
    except subprocess.TimeoutExpired:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        program.wait()
    program.stdout.close()
    try:
        steps = read_steps(library, path)
    except (
        Exception
    ) as error:  # each library has errors of its own: any of them means that the file does not open
        return f"does not open ({type(error).__name__})"
    whole = all((values == step).all() for step, values in enumerate(steps))
    return "whole steps" if whole and steps else "a torn step" if steps else "no step"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hdf5")
    parser.add_argument("--pnetcdf")
    for name, usual in (("nodes", 200_000), ("steps", 20), ("runs", 5), ("kills", 10)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    given = parser.parse_args()
    found = commands(given)
    seconds, sizes = {name: [] for name in found}, {}
    with tempfile.TemporaryDirectory() as folder:
        for run in range(given.runs):
            for name, command in found.items():
                path = Path(folder) / f"{name}-{run}"
                program, _ = started(command, path, given.nodes, given.steps)
                seconds[name].append(float(program.communicate()[0]))
                sizes[name] = bytes_of(path)
                steps = read_steps(name, path)
                assert len(steps) == given.steps
                assert all((values == step).all() for step, values in enumerate(steps))
        print("| library | lines | seconds | bytes | after a kill |\n|---|---|---|---|---|")
        for name, command in found.items():
            draw = random.Random(1)
            left = Counter(
                kill_once(name, command, Path(folder) / f"{name}-kill-{number}", given.nodes, draw)
                for number in range(given.kills)
            )
            told = ", ".join(f"{count} {words}" for words, count in left.most_common())
            middle = statistics.median(seconds[name]) if given.runs else float("nan")
            print(
                f"| {name} | {lines_of(name)} | {middle:.2f} | {sizes.get(name, 0):,} | {told} |", flush=True
            )


if __name__ == "__main__":
    main()
