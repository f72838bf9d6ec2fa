"""The same cases on SimGrid and on Striate: simulated time and CPU seconds of both, and their ratio.

SimGrid is Debian's `libsimgrid-dev` (3.32); where that cannot be had, Striate's figures stand alone. Messages go at
Striate's `flow` level, chunks packet by packet. A short message takes longer here: its packet of 100 KiB is stored
before it is forwarded, where SimGrid lets it flow through.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from engine import MIB, binomial_broadcast, random_flows, simulate

from striate.cluster.builders import star
from striate.cluster.cluster import Cluster
from striate.predict.fine import play
from striate.predict.packets import Steps
from striate.workload import Spmd

HERE = Path(__file__).resolve().parent
BANDWIDTH, LATENCY, DISK_RATE = 125e6, 50e-6, 100e6  # bytes per second, seconds
CHUNKS = 64  # that each client writes


@dataclass(frozen=True)
class Case:
    """`ours` gives simulated seconds; `words` tell the other program what to do; `most`: CPU seconds of ours."""

    label: str
    words: tuple[str, ...]
    ours: Callable[[], float]
    most: float | None = None


def hosts(count: int, disks: int = 0) -> Cluster:
    """A star whose links are the only narrow places."""
    inside = {
        "memory": "64 GB",
        "nic": {"bandwidth": "1 TB/s", "link": {"bandwidth": "1 TB/s", "latency": "0 s"}},
        "socket": {"bandwidth": "1 TB/s"},
        "hub": {"bandwidth": "1 TB/s", "link": {"bandwidth": "1 TB/s", "latency": "0 s"}},
        "uplink": {"bandwidth": BANDWIDTH, "latency": f"{LATENCY * 1e6:g} us"},
    }
    node = {"count": count, "sockets": 1, "cpus_per_socket": 1, "instructions_per_second": "1 G", **inside}
    server = {
        "count": disks,
        "on": "apart",
        "like": "node",
        "cache": {"policy": "none"},
        "disk": {"kind": "simple", "rate": f"{DISK_RATE:g} B/s"},
    }
    rest = {"server": server, "settings": {"stripe_unit": "1 MiB", "io_request": "1 MiB"}} if disks else {}
    return star(node=node, switch={"bandwidth": "100 TB/s"}, **rest)


def broadcast(ranks: int, *, flows: bool) -> float:
    return simulate(hosts(ranks), ranks, binomial_broadcast(ranks, 100 * MIB), flows=flows)["end"] / 1e12


def one_after_the_other(count: int, size: int) -> Steps:
    return Steps(
        source=np.zeros(count, np.int32),
        target=np.ones(count, np.int32),
        bytes=np.full(count, size, np.int64),
        delay=np.zeros(count, np.int64),
        first_dependency=np.maximum(np.arange(-1, count), 0),
        dependency=np.arange(count - 1, dtype=np.int32),
        dependency_sent=np.zeros(count - 1, np.uint8),
    )


def chunks(clients: int, disks: int) -> float:
    body = Spmd(ranks=clients, name="chunks")
    with body.repeat(CHUNKS) as step:
        body.write("data", offset=(body.rank * (CHUNKS + 1) + step) * MIB, size=MIB)
    run = play(body.workload(), hosts(clients, disks))
    return int(run.end) / 1e12


def cases(folder: Path) -> list[Case]:
    listed = random_flows(16_384, 1024)
    rows = np.column_stack((listed.source, listed.target, listed.bytes))
    np.savetxt(folder / "flows", rows, fmt="%d")
    broadcasts = [
        Case(
            f"broadcast of 100 MiB to {ranks:,}",
            ("broadcast", str(ranks), str(100 * MIB)),
            lambda ranks=ranks: broadcast(ranks, flows=True),
            0.5 if ranks == 4096 else None,
        )
        for ranks in (16, 64, 256, 1024, 4096)
    ]
    return [
        *broadcasts,
        Case(
            "1,048,576 messages of 100 KiB, two hosts",
            ("messages", "2", "1048576", "102400"),
            lambda: simulate(hosts(2), 2, one_after_the_other(1 << 20, 102_400), flows=True)["end"] / 1e12,
            1.5,
        ),
        Case(
            "16,384 random flows over 1,024 hosts",
            ("flows", "1024", str(folder / "flows")),
            lambda: simulate(hosts(1024), 1024, listed, flows=True)["end"] / 1e12,
            3.0,
        ),
        *(
            Case(
                f"{clients} clients write {CHUNKS} chunks to {disks} disks",
                ("chunks", str(clients), str(disks), str(CHUNKS), str(MIB)),
                lambda clients=clients, disks=disks: chunks(clients, disks),
                3.0,
            )
            for clients, disks in ((64, 8), (256, 16))
        ),
    ]


def compiled(folder: Path) -> Path | None:
    """The cases in SimGrid's language, or None with the reason on standard error."""
    subprocess.run(
        ["sh", str(HERE.parent / "tools" / "system-packages"), "simgrid=libsimgrid-dev"], check=False
    )
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        print("SimGrid is left out: there is no C++ compiler", file=sys.stderr)
        return None
    program = folder / "simgrid_cases"
    source = HERE / "programs" / "simgrid_cases.cpp"
    command = [compiler, "-O2", "-std=c++17", str(source), "-lsimgrid", "-o", str(program)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode == 0:
        return program
    first = next((line for line in made.stderr.splitlines() if "error" in line), made.stderr.strip())
    print(f"SimGrid is left out: its program does not compile here ({first})", file=sys.stderr)
    return None


def theirs(program: Path, words: tuple[str, ...]) -> tuple[float, float]:
    command = [str(program), f"{BANDWIDTH:g}", f"{LATENCY:g}", f"{DISK_RATE:g}", *words, "--log=root.t:error"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return float(told[-2]), float(told[-1])


def main() -> int:
    missed = 0
    print(f"{'':44s} {'simulated':>23s} {'CPU seconds':>23s}")
    print(f"{'':44s} {'Striate':>11s} {'SimGrid':>11s} {'Striate':>11s} {'SimGrid':>11s} {'ratio':>7s}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = compiled(folder)
        for case in cases(folder):
            start = time.process_time()
            simulated = case.ours()
            spent = time.process_time() - start
            line = f"{case.label:44s} {simulated:11.4f} "
            if program is None:
                line += f"{'-':>11s} {spent:11.4f} {'-':>11s} {'-':>7s}"
            else:
                their_end, their_cpu = theirs(program, case.words)
                line += f"{their_end:11.4f} {spent:11.4f} {their_cpu:11.4f} {their_cpu / spent:7.1f}"
            if case.most is not None:
                met = spent <= case.most
                missed += not met
                line += f"  (at most {case.most:g}) {'' if met else 'MISSED'}"
            print(line, flush=True)
    return missed


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
