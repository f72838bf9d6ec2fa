"""The package's calibration file, for the scripts that measure it: the model's part of a range, and keeping runs."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import astuple, fields
from pathlib import Path

from striate.ladder import calibration
from striate.ladder.calibration import DEFAULT_DEVIATION, ENOUGH, MODEL, CalibrationRun, fitted
from striate.ladder.distribution import Spread

BUNDLED = Path(calibration.__file__).parent / "data" / "calibration.csv"


def model_of(known: Sequence[CalibrationRun], run: CalibrationRun) -> Spread:
    """The model's part of a run's range, by the known runs of its kind."""
    alike = [one for one in known if (one.program, one.machine) == (run.program, run.machine)]
    if len(alike) < ENOUGH:
        return Spread(MODEL, DEFAULT_DEVIATION, DEFAULT_DEVIATION, "default")
    return fitted(alike, "")


def keep(runs: Sequence[CalibrationRun], path: Path = BUNDLED) -> None:
    """Put the runs into the calibration, in place of those of their kinds; other kinds stay."""
    kinds = {(run.program, run.machine) for run in runs}
    with path.open(newline="") as file:
        others = [row for row in list(csv.reader(file))[1:] if tuple(row[:2]) not in kinds]
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(field.name for field in fields(CalibrationRun))
        writer.writerows(others)
        writer.writerows([*astuple(run)[:2], *(f"{value:.4g}" for value in astuple(run)[2:])] for run in runs)
