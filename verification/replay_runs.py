"""Programs traced here and replayed on the probed machine: whole runs and regions, forecast beside measurement.

    python verification/replay_runs.py CLUSTER.toml [--runs 5] [--ranks 2] [--mpich FOLDER] [--only NAME ...]

Traces `late` (a synchronous send, a split and an allreduce that wait), jacobi, mesh, pmc3 and checkpoint; with --mpich
the I/O tests compiled in FOLDER instead (every program named bin_NAME there; the sources of MPICH's and ROMIO's are
not part of this repository). A part agrees when the median over runs of its error is at most 15 % or 1 ms. 768 MiB of
memory are made ready before every run, and forecasts take so much as at hand: what a host has taken back of the rest
is a matter of luck.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from striate.apps.pmc3.nexus import random_matrix
from striate.apps.run import READY_BYTES
from striate.cluster import Cluster, load_cluster
from striate.cluster.fresh_memory import made_ready
from striate.evaluate.compare import compare
from striate.evaluate.validate.forecast import with_background
from striate.evaluate.validate.study import background
from striate.ladder import predict
from striate.probe.background import background_samples
from striate.probe.ready_memory import ready_memory
from striate.record.launch import traced_environment
from striate.record.merge import merge
from striate.trace.trace import Trace

HERE = Path(__file__).parent
PROGRAMS = HERE.parent / "tests" / "mpi" / "programs"
BIN = Path(sys.executable).parent
LEVELS = ("mpi-io", "mpi", "posix")
SHARE, SECONDS = 0.15, 1e-3
LOOK_SECONDS = 0.3


@dataclass(frozen=True)
class Part:
    """One run's part, in seconds."""

    name: str
    measured: float
    predicted: float


def traced(command: list[str], folder: Path, ranks: int) -> Trace:
    """The trace of one run; raises CalledProcessError when the program fails."""
    import os

    ready_memory(folder / "ready", READY_BYTES)
    parts = Path(tempfile.mkdtemp(dir=folder))
    environment = os.environ | traced_environment(parts, levels=LEVELS, max_bytes=2**30, sample_seconds=0.0)
    started = [str(BIN / "mpiexec.hydra"), "-n", str(ranks), *command]
    subprocess.run(started, env=environment, check=True, capture_output=True, timeout=100, cwd=folder)
    try:
        return merge(parts, levels=LEVELS)
    finally:
        shutil.rmtree(parts)


def as_busy_as_now(cluster: Cluster) -> Cluster:
    """The machine with the processes of others that are here at the moment."""
    samples = background_samples(LOOK_SECONDS)
    return with_background(cluster, background(samples), len(samples))


def parts_of(trace: Trace, cluster: Cluster) -> list[Part]:
    """The whole run, then its regions (mean over ranks)."""
    forecast = predict(trace, cluster, timeline=True, rung="fine", exact=True)
    compared = compare(forecast, trace)
    whole = Part("run", compared.measured, forecast.seconds.estimate)
    return [whole, *(Part(one.name, one.measured, one.predicted or 0.0) for one in compared.phases)]


def programs(folder: Path) -> dict[str, list[str]]:
    """The command of each program."""
    include = HERE.parent / "core" / "shim"
    late = folder / "late"
    source = HERE / "programs" / "late.c"
    subprocess.run([str(BIN / "mpicc"), "-O1", f"-I{include}", str(source), "-o", str(late)], check=True)
    matrix = folder / "random.nex"
    matrix.write_text(random_matrix(6, 40, seed=5))
    sampled = ["--runs", "3", "--chains", "2", "--generations", "60", "--sample-frequency", "7"]
    python = sys.executable
    return {
        "late": [str(late)],
        "jacobi": [python, str(PROGRAMS / "jacobi.py"), "field", "512", "1024", "60"],
        "mesh": [python, str(PROGRAMS / "mesh.py"), "dataset"],
        "pmc3": [python, "-m", "striate.apps.pmc3", str(matrix), "--parallel-file", "out", *sampled],
        "checkpoint": [python, "-m", "striate.apps", "checkpoint", "."],
    }


def mpich_tests(folder: Path, scratch: Path) -> dict[str, list[str]]:
    """The compiled I/O tests of a folder; most take the name of their file."""
    found = {}
    for program in sorted(folder.glob("bin_*")):
        name = program.name.removeprefix("bin_")
        found[name] = [str(program), "-fname", str(scratch / f"{name}.data")]
    return found


def clean(folder: Path) -> None:
    """Remove what a run wrote, so that the next begins like it."""
    for path in folder.iterdir():
        if path.name in ("late", "random.nex"):
            continue
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def judged(parts: list[Part]) -> tuple[float, float, float, bool]:
    """(median measured, median predicted, median error in seconds, whether it agrees) over runs."""
    measured, predicted = (
        statistics.median(getattr(one, name) for one in parts) for name in ("measured", "predicted")
    )
    error = statistics.median(abs(one.predicted - one.measured) for one in parts)
    share = statistics.median(abs(one.predicted - one.measured) / max(one.measured, 1e-12) for one in parts)
    return measured, predicted, error, share <= SHARE or error <= SECONDS


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("cluster")
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--ranks", type=int, default=2)
    options.add_argument("--mpich", type=Path)
    options.add_argument("--only", nargs="*")
    options.add_argument("--keep", type=Path, help="save the traces in this folder")
    asked = options.parse_args()
    cluster = made_ready(load_cluster(asked.cluster), READY_BYTES)
    agreed = all_parts = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        chosen = mpich_tests(asked.mpich, folder) if asked.mpich else programs(folder)
        for program, command in chosen.items():
            if asked.only and program not in asked.only:
                continue
            runs: dict[str, list[Part]] = {}
            try:
                for number in range(asked.runs):
                    clean(folder)
                    machine = as_busy_as_now(cluster)
                    trace = traced(command, folder, asked.ranks)
                    if asked.keep:
                        trace.save(asked.keep / f"{program}-{number}.parquet")
                    for part in parts_of(trace, machine):
                        runs.setdefault(part.name, []).append(part)
            except Exception as error:  # a test that does not run here says so, and the others go on
                print(f"{program:18} not compared: {str(error)[:90]}")
                continue
            for part, seen in runs.items():
                measured, predicted, _, agrees = judged(seen)
                all_parts += 1
                agreed += agrees
                ratio = predicted / measured if measured else float("nan")
                times = f"measured {measured * 1e3:10.3f} ms, replayed {predicted * 1e3:10.3f} ms"
                mark = "" if agrees else "  <-- off"
                print(f"{program:18} {part:14} {times}, {ratio:6.2f} times{mark}", flush=True)
    print(
        f"{agreed} of {all_parts} parts within {SHARE:.0%} or {SECONDS * 1e3:g} ms in the median of {asked.runs} runs"
    )
    return 0 if agreed == all_parts else 3


if __name__ == "__main__":
    raise SystemExit(main())
