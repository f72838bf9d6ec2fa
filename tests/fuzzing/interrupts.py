"""Ends commands by signals: how long they took to end, what they said, what they left behind."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

SERVES = "open it in a browser on this machine; Ctrl-C ends it\n"
SERVED = ((0, "ended\n"),)
ENDINGS = {signal.SIGINT: (130, "striate: interrupted\n"), signal.SIGTERM: (143, "striate: terminated\n")}
# Twelve commands that take their time; {kind} is a sound input, % the folder for outputs.
LONG = (
    "predict {titan} westmere --rung resource",
    "predict {titan} westmere --budget 600s -o %/f.json",
    "predict {program} westmere --ranks 64 --rung fine --timeline %/t.parquet",
    "predict {endless} westmere --ranks 2",
    "tune {long spec} {cluster} --budget 60s --executor serial -o %/o.toml",
    "tune {long spec} {cluster} --budget 60s --workers 2 -o %/o.toml",
    "model fit {large observations}",
    "model {model} --p 1:100000 --d 1:50 --solver exact -o %/m.html",
    "show {trace} --serve",
    "advise {trace} westmere -o %/a.json",
    "convert {trace} %/o.csv",
    "demo -o %/demo",
)
PROGRAM = """
from striate.workload.operations import barrier, compute, write

def program(rank, ranks):
    for step in range(20_000):
        yield compute(1e-6 * (1 + step * step % 1009))
        yield write("out", offset=(step * ranks + rank) * 4096, size=4096)
        yield barrier()
"""
ENDLESS = """
import itertools

from striate.workload.operations import compute

def program(rank, ranks):
    for step in itertools.count():
        yield compute(1e-6 * (1 + step * step % 1009))
"""


@dataclass(frozen=True)
class Ending:
    """How a command ended after a signal; `early` when it was done before."""

    early: bool
    status: int
    seconds: float
    said: str
    left: list[str]

    def is_good(self, number: int, most_seconds: float) -> bool:
        """One line of its own in time and no file; what a server said before, and how it ends, is its own business."""
        status, said = ENDINGS[signal.Signals(number)]
        told = (self.status, self.said.removeprefix(SERVES)) in ((status, said), *SERVED)
        return self.early or (told and self.seconds < most_seconds and not self.left)


def long_inputs(folder: Path, sound: dict[str, Path]) -> dict[str, Path]:
    """Inputs that keep commands busy, beside the sound ones."""
    found = dict(sound)

    def put(kind: str, name: str, content: str) -> None:
        found[kind] = folder / name
        found[kind].write_text(content)

    put(
        "titan",
        "titan.toml",
        'app = "titan"\nvolume = "1 PB"\nblock = "128 KB"\nmesh = [4, 3]\nqueries = 12\n',
    )
    put("program", "program.py", PROGRAM)
    put("endless", "endless.py", ENDLESS)
    put(
        "long spec",
        "spec.toml",
        'program = "program.py"\nranks = 8\n[vary]\nunit = ["4 KiB", "8 KiB", "64 KiB", "1 MiB"]\n',
    )
    points = "".join(f"{p},{d},1.5\n" for p in (2, 4, 8, 16, 10**9) for d in (1, 2, 4))
    put("large observations", "large.csv", "p,d,speedup\n" + points)
    return found


def _wait_until_it_listens(process: subprocess.Popen[str]) -> None:
    """Until the command catches SIGTERM: before that it is the interpreter that starts, and answers in its own way."""
    while process.poll() is None:
        try:
            lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
        except OSError:
            return
        caught = next((line for line in lines if line.startswith("SigCgt:")), "SigCgt: 0")
        if int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1:
            return
        time.sleep(0.01)


def _started(arguments: list[str], folder: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "striate", *arguments],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        env={**os.environ, "TMPDIR": str(folder)},
    )
    _wait_until_it_listens(process)
    return process


def seconds_of(arguments: list[str], folder: Path, most: float) -> float:
    """How long the command takes once it catches signals, `most` at most."""
    process, begun = _started(arguments, folder), time.monotonic()
    try:
        process.communicate(timeout=most)
    except subprocess.TimeoutExpired:
        process.terminate()
        process.communicate()
        return most
    return time.monotonic() - begun


def ended(arguments: list[str], folder: Path, number: int, after_seconds: float) -> Ending:
    """Start the command, send the signal, wait for its end."""
    before = {str(path) for path in folder.rglob("*")}
    process = _started(arguments, folder)
    time.sleep(after_seconds)
    early = process.poll() is not None
    begun = time.monotonic()
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    seconds = time.monotonic() - begun
    left = sorted({str(path) for path in folder.rglob("*")} - before)
    early = early or (process.returncode == 0 and not said)  # it was about to end, and has
    return Ending(early, process.returncode, seconds, said, [] if early else left)
