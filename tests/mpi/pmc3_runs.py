"""Start samplers under mpiexec, disturb them, and read what they left."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from striate.apps.pmc3.pack import export

MPIEXEC = Path(sys.executable).with_name("mpiexec")
SAMPLER = [sys.executable, "-m", "striate.apps.pmc3"]


def command(ranks, matrix, output, *options):
    """The command line of a sampling on so many ranks; one rank needs no mpiexec."""
    launch = [str(MPIEXEC), "-n", str(ranks)] if ranks > 1 else []
    return [*launch, *SAMPLER, str(matrix), "--parallel-file", str(output), *options]


def sample(ranks, matrix, output, *options):
    done = subprocess.run(
        command(ranks, matrix, output, *options), capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr


def exported(output):
    """The bytes of all .p and .t files that the parallel file holds, by name."""
    folder = output.with_name(f"{output.name}.files")
    folder.mkdir(exist_ok=True)
    with output.open("rb") as stream:
        export(stream, folder / "samples")
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def descendants(pid):
    """Processes below `pid`, from the process table."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has just ended
            parents[int(entry.name)] = int(fields[1])
    found, front = [], [pid]
    while front:
        front = [child for child, parent in parents.items() if parent in front]
        found += front
    return found


def rank_processes(pid):
    """The sampler's own processes below an mpiexec."""
    found = []
    for child in descendants(pid):
        try:
            words = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[1:3] == [b"-m", b"striate.apps.pmc3"]:
            found.append(child)
    return found


def disturbed(ranks, matrix, output, seed, *options):
    """Start a sampling and kill one rank at a random moment after its file is there; False when it had ended."""
    chance = random.Random(seed)
    running = subprocess.Popen(
        command(ranks, matrix, output, *options), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    checkpoint = output.with_name(f"{output.name}.ckp")
    while running.poll() is None and not checkpoint.exists():
        time.sleep(0.01)
    time.sleep(chance.uniform(0, 0.4))
    victims = rank_processes(running.pid)
    killed = running.poll() is None and bool(victims)
    if killed:
        os.kill(chance.choice(victims), signal.SIGKILL)
    running.wait(timeout=120)
    return killed
