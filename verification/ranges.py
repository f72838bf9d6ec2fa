"""Do 80 % ranges of `fine` hold 80 % of real runs? Runs the programs of `validate` here, and counts.

    python verification/ranges.py build/here.toml --runs 17      # more runs, added to build/ranges.csv
    python verification/ranges.py --runs 0                       # what all runs so far say, or the package's own
    python verification/ranges.py --runs 0 --keep                # and make them the package's calibration

Runs come in batches, so that each finds a machine that nobody else uses; every run is forecast before it. The
model's part of the ranges is fitted on one half of the runs and judged on the other, both ways round: wanted are 75 to
90 % inside and a median high / low of at most 1.6. Exit status 1 otherwise.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import astuple, fields
from pathlib import Path
from statistics import median

from calibrated import BUNDLED, keep, model_of

from striate.cluster.load import load_cluster
from striate.evaluate.validate import matrix
from striate.evaluate.validate.study import ValidationPlan, validate
from striate.ladder.calibration import CalibrationRun
from striate.ladder.distribution import range_of

BUILD = Path(__file__).resolve().parent.parent / "build"
RUNS = BUILD / "ranges.csv"
COLUMNS = [field.name for field in fields(CalibrationRun)]
BATCH = 17
INSIDE, WIDTH = (0.75, 0.90), 1.6


def more(cluster: Path, runs: int, seconds: float) -> None:
    """Run the next cases of the matrix, a few at a time; none is begun after so many seconds."""
    begun, wanted = time.monotonic(), len(kept()) + runs
    while (left := wanted - len(kept())) > 0 and time.monotonic() - begun < seconds:
        batch(cluster, min(left, BATCH))


def batch(cluster: Path, runs: int) -> None:
    cases, done = matrix(), len(kept())
    chosen = [cases[(done + number) % len(cases)] for number in range(runs)]
    plan = ValidationPlan(
        load_cluster(cluster), chosen, 1, BUILD, patience_seconds=0.0
    )  # nobody else is here
    study = validate(plan, lambda words: print(words, flush=True))
    new = not RUNS.exists()
    with RUNS.open("a", newline="") as file:
        writer = csv.writer(file)
        if new:
            writer.writerow(["case", *COLUMNS])
        for outcome in study.outcomes:
            (run,) = outcome.runs
            writer.writerow([outcome.case.name, *astuple(run.calibration)])


def kept() -> list[CalibrationRun]:
    """The runs that were made here, in their order."""
    return runs_of(RUNS) if RUNS.exists() else []


def runs_of(path: Path) -> list[CalibrationRun]:
    with path.open(newline="") as file:
        return [
            CalibrationRun(row["program"], row["machine"], *(float(row[name]) for name in COLUMNS[2:]))
            for row in csv.DictReader(file)
        ]


def judged(
    known: Sequence[CalibrationRun], runs: Sequence[CalibrationRun]
) -> list[tuple[CalibrationRun, bool, float]]:
    found = []
    for run in runs:
        range_ = range_of(run.forecast, [*run.spreads, model_of(known, run)])
        found.append((run, run.measured in range_, range_.high / range_.low))
    return found


def main() -> int:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("cluster", type=Path, nargs="?", default=BUILD / "here.toml")
    options.add_argument("--runs", type=int, default=17)
    options.add_argument("--seconds", type=float, default=math.inf, help="no batch is begun after these")
    options.add_argument("--keep", action="store_true", help="make the runs the package's calibration")
    given = options.parse_args()
    if given.runs:
        more(given.cluster, given.runs, given.seconds)
    runs = kept() or [run for run in runs_of(BUNDLED) if run.machine.startswith("one node")]
    if given.keep:
        keep(runs)
    cases = len(matrix())
    halves = [[run for at, run in enumerate(runs) if (at // cases) % 2 == half] for half in (0, 1)]
    found = [*judged(halves[0], halves[1]), *judged(halves[1], halves[0])]
    for kind in sorted({(run.program, run.machine) for run in runs}):
        mine = [(inside, width) for run, inside, width in found if (run.program, run.machine) == kind]
        spread = model_of(runs, CalibrationRun(*kind, 1, 1, 0, 0, 0, 0))
        share = sum(inside for inside, _ in mine) / len(mine)
        width = median(width for _, width in mine)
        print(f"{' on '.join(kind):40} {len(mine):4} runs, {share:4.0%} inside, high / low {width:.2f}")
        print(
            f"{'':40} model: {spread.below:.3f} below, {spread.above:.3f} above, "
            f"beside {spread.confirmed:.0%} of the machine's ranges"
        )
    share, width = sum(inside for _, inside, _ in found) / len(found), median(w for _, _, w in found)
    print(f"{len(found)} runs, {share:.1%} inside their 80 % ranges, median high / low {width:.2f}")
    return 0 if INSIDE[0] <= share <= INSIDE[1] and width <= WIDTH else 1


if __name__ == "__main__":
    sys.exit(main())
