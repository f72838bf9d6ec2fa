"""Forecasts against a real cluster: programs on practice clusters, one of them described, the others only imagined.

    python verification/lab.py [PIECE...]          measure what is missing, then judge (about 8 minutes in all)
    python verification/lab.py --judge             only judge what verification/lab.jsonl holds

The first cluster is the one that the software's costs of `striate lab describe` were found on. All others differ from
it in known facts: links, hosts, servers, disks, shards, ranks, aggregators; nothing was measured on them before their
forecasts were made. A piece is one cluster; pieces that are there are not measured again. Needs root, and two CPUs that
nobody else uses.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import msgspec

from striate.cluster import load_cluster
from striate.evaluate.launched.forecast import forecast_program, workload_of
from striate.evaluate.launched.programs import LaunchedProgram, parse
from striate.evaluate.launched.ranks import RankPlan, RankRun
from striate.interval import Interval

HERE = Path(__file__).resolve().parent
FOUND = HERE / "lab.jsonl"
PROGRAMS = (
    "pingpong,size=1MiB,repeat=5",
    "ring,size=4MiB",
    "incast,size=4MiB",
    "bcast,size=8MiB",
    "allreduce,size=4MiB",
    "gather,size=4MiB",
    "scatter,size=4MiB",
    "allgather,size=2MiB",
    "alltoall,size=1MiB",
    "reduce_scatter,size=4MiB",
    "io-level-0,size=8MiB,blocks=1,sync=1",
    "io-level-0,size=8MiB,blocks=1",
    "io-level-0,size=64KiB,blocks=32,sync=1",
    "io-level-0,size=8MiB,blocks=1,mode=read,shift=1",
    "io-level-1,size=8MiB,blocks=1,sync=1",
    "io-level-3,size=256KiB,blocks=32,sync=1",
    "io-level-3,size=256KiB,blocks=32,sync=1,hint:cb_nodes=1",
)
MEDIAN_ERROR, WHAT_IF_ERROR, COVERAGE = 0.12, 0.18, 0.75


@dataclass(frozen=True, slots=True)
class Piece:
    """A lab, how many ranks its programs have, and how often each runs."""

    options: tuple[str, ...]
    ranks: int
    repeats: int


PIECES = {
    "described": Piece(("--hosts=4",), 4, 3),
    "links doubled, 2 hosts": Piece(("--hosts=2", "--link=800 Mbit/s"), 2, 3),
    "8 hosts, links halved, disks halved": Piece(
        ("--hosts=8", "--link=200 Mbit/s", "--disk-rate=20 MB/s"), 8, 2
    ),
    "2 servers, slow disks, 16 MiB shards": Piece(
        ("--hosts=4", "--servers=2", "--disk-rate=20 MB/s", "--shard=16 MiB"), 4, 3
    ),
    "8 ranks on 4 hosts": Piece(("--hosts=4",), 8, 2),
}


class Judged(msgspec.Struct, frozen=True):
    """One run and its forecast."""

    piece: str
    program: str
    ranks: int
    measured: float
    median: float
    low: float
    high: float
    parts: dict[str, float] = {}

    @property
    def error(self) -> float:
        return self.median / self.measured - 1

    @property
    def inside(self) -> bool:
        return self.low <= self.measured <= self.high


def striate(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "striate", *words], check=True, stdout=subprocess.DEVNULL)


def forecasts(piece: Piece, description: Path) -> list[Interval]:
    """Every program on the cluster as it is described, before anything runs."""
    cluster = load_cluster(description)
    return [
        forecast_program(workload_of(program, piece.ranks, {}, 1), cluster).seconds for program in _programs()
    ]


def measure(name: str, piece: Piece, place: Path) -> Iterator[Judged]:
    """Build the cluster, forecast, run, and take it down."""
    lab = f"verify-{os.getpid()}"
    plan, answer, description = place / "plan.json", place / "answer.jsonl", place / "cluster.toml"
    answer.unlink(missing_ok=True)
    striate("lab", "up", "--name", lab, *piece.options)
    try:
        striate("lab", "describe", "--name", lab, "-o", str(description), "--force")
        said = forecasts(piece, description)
        plan.write_bytes(msgspec.json.encode(RankPlan("/run/pfs", _programs(), order(piece))))
        ranks = (sys.executable, "-m", "striate.evaluate.launched.ranks", str(plan), str(answer))
        striate("lab", "run", "--name", lab, "--ranks", str(piece.ranks), "--", *ranks)
    finally:
        striate("lab", "down", "--name", lab)
    for line in answer.read_bytes().splitlines():
        run = msgspec.json.decode(line, type=RankRun)
        ends = said[run.program]
        yield Judged(
            name,
            PROGRAMS[run.program],
            piece.ranks,
            round(run.seconds, 6),
            round(ends.estimate, 6),
            round(ends.low, 6),
            round(ends.high, 6),
            {kind: round(seconds, 6) for kind, seconds in run.parts.items()},
        )


def order(piece: Piece) -> list[int]:
    import random

    every = [index for index in range(len(PROGRAMS)) for _ in range(piece.repeats)]
    random.Random(1).shuffle(every)
    return every


def _programs() -> list[LaunchedProgram]:
    return [parse(text) for text in PROGRAMS]


def judged() -> list[Judged]:
    if not FOUND.exists():
        return []
    return [msgspec.json.decode(line, type=Judged) for line in FOUND.read_bytes().splitlines()]


def table(runs: list[Judged]) -> str:
    """A csv line per piece and program: medians."""
    lines = ["piece,program,ranks,runs,measured,forecast,low,high,error,inside"]
    for piece, program in dict.fromkeys((run.piece, run.program) for run in runs):
        mine = [run for run in runs if (run.piece, run.program) == (piece, program)]
        numbers = [median(getattr(run, key) for run in mine) for key in ("measured", "median", "low", "high")]
        error = median(run.error for run in mine)
        inside = sum(run.inside for run in mine)
        values = ",".join(f"{number:.4g}" for number in numbers)
        name = program.replace(",", " ")
        lines.append(
            f"{piece.replace(',', ';')},{name},{mine[0].ranks},{len(mine)},{values},{error:+.3f},{inside}"
        )
    return "\n".join(lines) + "\n"


def summary(name: str, runs: list[Judged]) -> tuple[float, float]:
    errors = [abs(run.error) for run in runs]
    coverage = sum(run.inside for run in runs) / len(runs)
    width = median(run.high / run.low for run in runs)
    print(
        f"{name}: {len(runs)} runs, median error {median(errors):.1%}, {coverage:.0%} inside the 80 % range, "
        f"median width {width:.2f}"
    )
    return median(errors), coverage


def judge() -> int:
    """Print what was found, write the csv; 0 when all targets are met."""
    runs = judged()
    (HERE / "lab.csv").write_text(table(runs))
    first = next(iter(PIECES))
    own, other = [run for run in runs if run.piece == first], [run for run in runs if run.piece != first]
    print(f"{len(runs)} runs of {len({run.program for run in runs})} programs")
    passed = True
    for name, some, target in (("described", own, MEDIAN_ERROR), ("what-if", other, WHAT_IF_ERROR)):
        if some:
            error, coverage = summary(name, some)
            passed &= error <= target and coverage >= COVERAGE
    for piece in dict.fromkeys(run.piece for run in other):
        summary(f"  {piece}", [run for run in other if run.piece == piece])
    worst = sorted(runs, key=lambda run: -abs(run.error))[:8]
    for run in worst:
        print(f"  {run.error:+.0%}: {run.program} on {run.piece}")
    return 0 if passed and own and other else 3


def main() -> int:
    asked = [word for word in sys.argv[1:] if not word.startswith("--")] or list(PIECES)
    if "--judge" not in sys.argv:
        there = {run.piece for run in judged()}
        with tempfile.TemporaryDirectory() as place, FOUND.open("ab") as found:
            for name in asked:
                if name not in there:
                    rows = list(measure(name, PIECES[name], Path(place)))
                    found.write(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
                    found.flush()
    return judge()


if __name__ == "__main__":
    sys.exit(main())
