"""The same cases on SimGrid and on Striate: simulated time and CPU seconds of both, and their ratio.

    python benchmarks/simgrid.py [--limit SECONDS] [--json]

SimGrid is Debian's `libsimgrid-dev` (3.32); where that cannot be had, Striate's figures stand alone. Each of its cases
may take `--limit` seconds of CPU; of one that is stopped there, only that is told. Messages go at Striate's `flow`
level, chunks packet by packet. `docs/how-numbers-are-made.md` says where the simulated times differ, and why.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from engine import MIB, binomial_broadcast, random_flows, simulate

from striate.cluster.builders import star
from striate.cluster.cluster import Cluster
from striate.engine.packets import Steps
from striate.rungs.fine import play
from striate.workload import Spmd

HERE = Path(__file__).resolve().parent
BANDWIDTH, LATENCY, DISK_RATE = 125e6, 50e-6, 100e6  # bytes per second, seconds
CHUNKS = 64  # that each client writes
FLOW_PACKET = 1 << 10  # bytes that are stored before they are forwarded


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


def fluid(ranks: int, steps: Steps) -> float:
    """At the `flow` level, with packets as short as what SimGrid's flows are taken to be made of."""
    return simulate(hosts(ranks), ranks, steps, packet=FLOW_PACKET, flows=True).end / 1e12


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
            lambda ranks=ranks: fluid(ranks, binomial_broadcast(ranks, 100 * MIB)),
            0.5 if ranks == 4096 else None,
        )
        for ranks in (16, 64, 256, 1024, 4096)
    ]
    return [
        *broadcasts,
        Case(
            "1,048,576 messages of 100 KiB, two hosts",
            ("messages", "2", "1048576", "102400"),
            lambda: fluid(2, one_after_the_other(1 << 20, 102_400)),
            1.5,
        ),
        Case(
            "16,384 random flows over 1,024 hosts",
            ("flows", "1024", str(folder / "flows"), "--cfg=network/optim:Full"),  # three times as fast here
            lambda: fluid(1024, listed),
            0.7,
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
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        print("SimGrid is left out: there is no C++ compiler", file=sys.stderr)
        return None
    program = folder / "simgrid_cases"
    source = HERE / "programs" / "simgrid_cases.cpp"
    command = [compiler, "-O2", "-std=c++17", str(source), "-lsimgrid", "-o", str(program)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode != 0:
        install = ["sh", str(HERE.parent / "tools" / "system-packages"), "simgrid=libsimgrid-dev"]
        subprocess.run(install, check=False)
        made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode == 0:
        return program
    first = next((line for line in made.stderr.splitlines() if "error" in line), made.stderr.strip())
    print(f"SimGrid is left out: its program does not compile here ({first})", file=sys.stderr)
    return None


def theirs(program: Path, words: tuple[str, ...], limit: int) -> tuple[float | None, float | None]:
    """Simulated and CPU seconds; no simulated time where the limit ended it, neither where it failed."""
    command = [str(program), f"{BANDWIDTH:g}", f"{LATENCY:g}", f"{DISK_RATE:g}", *words, "--log=root.t:error"]
    told = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5)),
    )
    if told.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return None, float(limit)
    if told.returncode != 0:
        print(f"SimGrid failed with status {told.returncode}: {told.stderr.strip()[-200:]}", file=sys.stderr)
        return None, None
    end, spent = told.stdout.split()[-2:]
    return float(end), float(spent)


def measured(case: Case, program: Path | None, limit: int) -> dict[str, Any]:
    start = time.process_time()
    simulated = case.ours()
    spent = time.process_time() - start
    their_end, their_cpu = (None, None) if program is None else theirs(program, case.words, limit)
    return {
        "case": case.label,
        "simulated_seconds": {"striate": simulated, "simgrid": their_end},
        "cpu_seconds": {"striate": spent, "simgrid": their_cpu},
        "simgrid_stopped": their_end is None and their_cpu is not None,
        "most_cpu_seconds": case.most,
        "met": case.most is None or spent <= case.most,
    }


def line_of(row: dict[str, Any]) -> str:
    """One row of the table; a case that was stopped took more than the limit, and who knows how long it simulates."""
    simulated, spent = row["simulated_seconds"], row["cpu_seconds"]
    end, cpu, ratio = "-", "-", "-"
    if simulated["simgrid"] is not None:
        end = f"{simulated['simgrid']:.4f}"
    if spent["simgrid"] is not None:
        over = ">" if row["simgrid_stopped"] else ""
        cpu = f"{over}{spent['simgrid']:.4f}"
        ratio = f"{over}{spent['simgrid'] / spent['striate']:.1f}"
    words = f"{row['case']:44s} {simulated['striate']:11.4f} {end:>11s} {spent['striate']:11.4f} {cpu:>11s} {ratio:>8s}"
    if row["most_cpu_seconds"] is not None:
        words += f"  (at most {row['most_cpu_seconds']:g}){'' if row['met'] else ' falls short'}"
    return words


def main(arguments: Sequence[str] = ()) -> int:
    """How many cases took longer than they may; rows are told as they come, on standard error beside `--json`."""
    parser = argparse.ArgumentParser(prog="simgrid.py", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--limit",
        type=int,
        default=150,
        help="CPU seconds that a case of SimGrid may take (default: %(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="the rows as JSON on standard output")
    options = parser.parse_args(list(arguments))
    if options.limit < 1:
        parser.error(f"--limit: expected at least 1 second, got {options.limit}")
    table = sys.stderr if options.json else sys.stdout
    print(f"{'':44s} {'simulated seconds':>23s} {'CPU seconds':>23s}", file=table)
    print(
        f"{'':44s} {'Striate':>11s} {'SimGrid':>11s} {'Striate':>11s} {'SimGrid':>11s} {'ratio':>8s}",
        file=table,
    )
    rows = []
    with tempfile.TemporaryDirectory() as name:
        program = compiled(Path(name))
        for case in cases(Path(name)):
            rows.append(measured(case, program, options.limit))
            print(line_of(rows[-1]), file=table, flush=True)
    missed = sum(not row["met"] for row in rows)
    stopped = sum(row["simgrid_stopped"] for row in rows)
    print(
        f"{len(rows)} cases, {missed} fall short; SimGrid stopped at {options.limit} s in {stopped}",
        file=table,
    )
    if options.json:
        print(
            json.dumps(
                {"schema": "striate.benchmark.simgrid/1", "limit": options.limit, "cases": rows}, indent=2
            )
        )
    return missed


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
