"""Forecasts against a real cluster: programs on practice clusters, one of them described, the others only imagined.

    python verification/lab.py [PIECE...]          measure what is missing, then judge (about 12 minutes in all)
    python verification/lab.py --judge             only judge what verification/lab.jsonl holds
    python verification/lab.py --judge --keep      and make all runs the package's calibration

All of them write verification/lab.csv and the page docs/practice-cluster-runs.html.

The first cluster is the one that the software's costs of `striate lab describe` were found on; the second is the same,
as `striate probe` finds it. All others differ from it in known facts: links, hosts, servers, disks, shards, ranks,
aggregators; nothing was measured on them before their forecasts were made. The model's part of all ranges comes from
runs on other clusters than the one that is judged. A piece is one cluster; pieces that are there are not measured
again. Rates are such that two CPUs suffice: with links of 400 Mbit/s four hosts keep them busy, and files take as long
as the CPUs, not as the cluster. Needs root, and two CPUs that nobody else uses.
"""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import msgspec
from calibrated import keep, model_of
from lab_page import write_page

from striate.cluster import load_cluster
from striate.evaluate.launched.forecast import forecast_program, workload_of
from striate.evaluate.launched.programs import LaunchedProgram, parse
from striate.evaluate.launched.ranks import RankPlan, RankRun
from striate.interval import Interval
from striate.ladder.calibration import CalibrationRun
from striate.ladder.distribution import range_of
from striate.ladder.forecast import Forecast
from striate.ladder.kinds import ForecastKind, kind_of

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
MEDIAN_ERROR, WHAT_IF_ERROR, COVERAGE, WIDTH = 0.12, 0.18, 0.75, 1.6


@dataclass(frozen=True, slots=True)
class Piece:
    """A lab, how many ranks its programs have, and how often each runs."""

    options: tuple[str, ...]
    ranks: int
    repeats: int
    probed: bool = False  # forecast by what `striate probe` finds, not by what was built


USUAL = ("--link=200 Mbit/s", "--disk-rate=20 MB/s")
PIECES = {
    "described": Piece(("--hosts=4", *USUAL), 4, 3),
    "probed": Piece(("--hosts=4", *USUAL), 4, 2, probed=True),
    "links doubled, 2 hosts": Piece(("--hosts=2", "--link=400 Mbit/s", "--disk-rate=20 MB/s"), 2, 2),
    "8 hosts, links halved, disks halved": Piece(
        ("--hosts=8", "--link=100 Mbit/s", "--disk-rate=10 MB/s"), 8, 2
    ),
    "2 servers, slow disks, 16 MiB shards": Piece(
        ("--hosts=4", "--servers=2", "--link=200 Mbit/s", "--disk-rate=10 MB/s", "--shard=16 MiB"), 4, 2
    ),
    "8 ranks on 4 hosts": Piece(("--hosts=4", *USUAL), 8, 2),
    "6 ranks on 3 hosts, 8 MiB shards": Piece(("--hosts=3", *USUAL, "--shard=8 MiB"), 6, 2),
}


class LabRun(msgspec.Struct, frozen=True):
    """One run, its forecast, and the sources of its range but for the model's own errors."""

    piece: str
    program: str
    ranks: int
    calibration: CalibrationRun
    parts: dict[str, float] = {}

    @property
    def measured(self) -> float:
        return self.calibration.measured

    @property
    def error(self) -> float:
        return self.calibration.forecast / self.measured - 1


class Judged(msgspec.Struct, frozen=True):
    """A run beside the 80 % range that a calibration by other runs gives."""

    run: LabRun
    range: Interval

    @property
    def inside(self) -> bool:
        return self.run.measured in self.range

    @property
    def width(self) -> float:
        return self.range.high / self.range.low


def ranged(runs: Sequence[LabRun], known: Sequence[LabRun]) -> list[Judged]:
    """Runs with ranges whose model part is fitted to the `known` runs of their kind."""
    others = [one.calibration for one in known]
    return [
        Judged(
            run,
            range_of(run.calibration.forecast, [*run.calibration.spreads, model_of(others, run.calibration)]),
        )
        for run in runs
    ]


def striate(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "striate", *words], check=True, stdout=subprocess.DEVNULL)


def forecasts(piece: Piece, description: Path) -> list[tuple[Forecast, ForecastKind]]:
    """Every program on the cluster as it is described, before anything runs."""
    cluster = load_cluster(description)
    workloads = [workload_of(program, piece.ranks, {}, 1) for program in _programs()]
    return [(forecast_program(one, cluster), kind_of(one, cluster)) for one in workloads]


def measure(name: str, piece: Piece, place: Path) -> Iterator[LabRun]:
    """Build the cluster, forecast, run, and take it down."""
    lab = f"verify-{os.getpid()}"
    plan, answer, description = place / "plan.json", place / "answer.jsonl", place / "cluster.toml"
    answer.unlink(missing_ok=True)
    on_lab = ("lab", "run", "--name", lab)
    striate("lab", "up", "--name", lab, *piece.options)
    try:
        if piece.probed:
            probe = ("probe", "--directory", "/run/pfs", "-o", str(description), "--force")
            launcher = ("mpiexec", "-n", str(piece.ranks), "-ppn", "1")
            striate(*on_lab, "--", sys.executable, "-m", "striate", *probe, "--", *launcher)
        else:
            striate("lab", "describe", "--name", lab, "-o", str(description), "--force")
        said = forecasts(piece, description)
        plan.write_bytes(msgspec.json.encode(RankPlan("/run/pfs", _programs(), order(piece))))
        ranks = (sys.executable, "-m", "striate.evaluate.launched.ranks", str(plan), str(answer))
        striate(*on_lab, "--ranks", str(piece.ranks), "--", *ranks)
    finally:
        striate("lab", "down", "--name", lab)
    for line in answer.read_bytes().splitlines():
        run = msgspec.json.decode(line, type=RankRun)
        forecast, kind = said[run.program]
        yield LabRun(
            name,
            PROGRAMS[run.program],
            piece.ranks,
            CalibrationRun.of(kind, forecast.bounds.estimate, run.seconds, forecast.spreads),
            {kind: round(seconds, 6) for kind, seconds in run.parts.items()},
        )


def order(piece: Piece) -> list[int]:
    every = [index for index in range(len(PROGRAMS)) for _ in range(piece.repeats)]
    random.Random(1).shuffle(every)
    return every


def _programs() -> list[LaunchedProgram]:
    return [parse(text) for text in PROGRAMS]


def kept() -> list[LabRun]:
    if not FOUND.exists():
        return []
    return [msgspec.json.decode(line, type=LabRun) for line in FOUND.read_bytes().splitlines()]


def table(found: Sequence[Judged]) -> str:
    """A csv line per piece and program: medians."""
    lines = ["piece,program,ranks,runs,measured,forecast,low,high,error,inside"]
    for piece, program in dict.fromkeys((one.run.piece, one.run.program) for one in found):
        mine = [one for one in found if (one.run.piece, one.run.program) == (piece, program)]
        measured = median(one.run.measured for one in mine)
        ends = mine[0].range
        error = median(one.run.error for one in mine)
        values = ",".join(f"{number:.4g}" for number in (measured, ends.estimate, ends.low, ends.high))
        counts = f"{mine[0].run.ranks},{len(mine)}"
        lines.append(
            f"{piece.replace(',', ';')},{program.replace(',', ' ')},{counts},{values},{error:+.3f},"
            f"{sum(one.inside for one in mine)}"
        )
    return "\n".join(lines) + "\n"


def summary(found: Sequence[Judged]) -> str:
    """What was found of some runs, in a line."""
    errors, share, width = figures(found)
    return (
        f"{len(found)} runs, median error {errors:.1%}, {share:.0%} inside the 80 % range, "
        f"median width {width:.2f}"
    )


def figures(found: Sequence[Judged]) -> tuple[float, float, float]:
    """The median error, the share inside, and the median width of some runs."""
    errors = median(abs(one.run.error) for one in found)
    share = sum(one.inside for one in found) / len(found)
    return errors, share, median(one.width for one in found)


def met(found: Sequence[Judged], error: float) -> bool:
    """Whether some runs meet the aims."""
    errors, share, width = figures(found)
    return errors <= error and share >= COVERAGE and width <= WIDTH


def by_program(found: Sequence[Judged]) -> dict[str, list[Judged]]:
    """Runs of messages and of files apart: most programs are of messages, whose errors are the smaller ones."""
    kinds = sorted({one.run.calibration.program for one in found})
    return {kind: [one for one in found if one.run.calibration.program == kind] for kind in kinds}


def parted(runs: Sequence[LabRun], piece: str) -> tuple[list[LabRun], list[LabRun]]:
    """The runs of a piece, and those on other clusters."""
    options = PIECES[piece].options
    return (
        [run for run in runs if run.piece == piece],
        [run for run in runs if PIECES[run.piece].options != options],
    )


def judge() -> int:
    """Print what was found, write the csv and the page; 0 when all aims are met."""
    runs, first = kept(), next(iter(PIECES))
    other = [run for run in runs if run.piece != first]
    found = [one for piece in PIECES for one in ranged(*parted(runs, piece))]
    (HERE / "lab.csv").write_text(table(found))
    print(f"{len(runs)} runs of {len({run.program for run in runs})} programs")
    passed = bool(other)
    groups = {
        "as built": (lambda piece: piece == first, MEDIAN_ERROR),
        "as probed": (lambda piece: PIECES[piece].probed, MEDIAN_ERROR),
        "what-if": (lambda piece: piece != first and not PIECES[piece].probed, WHAT_IF_ERROR),
    }
    lines = []
    for name, (belongs, error) in groups.items():
        some = [one for one in found if belongs(one.run.piece)]
        if some:
            lines.append(f"{name}: {summary(some)}")
            lines += [f"  {kind} alone: {summary(of)}" for kind, of in by_program(some).items()]
            passed &= name == "as built" or met(some, error)  # the software's costs were found as built
    write_page(found, "; ".join(lines), HERE.parent / "docs" / "practice-cluster-runs.html")
    print(*lines, sep="\n")
    for piece in dict.fromkeys(run.piece for run in other):
        print(f"  {piece}: {summary([one for one in found if one.run.piece == piece])}")
    for run in sorted(runs, key=lambda run: -abs(math.log1p(run.error)))[:8]:
        print(f"  {run.error:+.0%}: {run.program} on {run.piece}")
    return 0 if passed else 3


def main() -> int:
    asked = [word for word in sys.argv[1:] if not word.startswith("--")] or list(PIECES)
    if "--judge" not in sys.argv:
        there = {run.piece for run in kept()}
        with tempfile.TemporaryDirectory() as place, FOUND.open("ab") as found:
            for name in asked:
                if name not in there:
                    rows = list(measure(name, PIECES[name], Path(place)))
                    found.write(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
                    found.flush()
    if "--keep" in sys.argv:
        keep([run.calibration for run in kept()])
    return judge()


if __name__ == "__main__":
    sys.exit(main())
