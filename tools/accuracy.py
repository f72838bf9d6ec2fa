"""The page of measured accuracy: forecasts against real runs, one row per kind of program and machine.

The runs are those of the package's calibration; `verification/calibrated.py` writes when and where
each kind was measured.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path
from statistics import median, quantiles

from striate.ladder.calibration import CalibrationRun, bundled_runs

MEASURED = Path(__file__).resolve().parent.parent / "verification" / "calibration.csv"
HEAD = """# Measured accuracy

Forecasts against real runs that the package's ranges are calibrated on, made from
`src/striate/ladder/data/calibration.csv` when this page was built. Every run was forecast before it began.
`verification/ranges.py` (one node) and `verification/lab.py` (practice clusters) measure them again.
"Measured / forecast" gives the 10th and the 90th percentile of the runs.

| program | machine | runs | median error | measured / forecast | date | measured on |
|---|---|---|---|---|---|---|
"""


def markdown() -> str:
    """The page as Markdown."""
    runs = defaultdict(list)
    for run in bundled_runs():
        runs[run.program, run.machine].append(run)
    where = measured_where()
    return HEAD + "\n".join(_row(kind, runs[kind], where[kind]) for kind in sorted(runs)) + "\n"


def measured_where() -> dict[tuple[str, str], tuple[str, str]]:
    """Date and computer of the runs of each kind."""
    with MEASURED.open(newline="") as file:
        return {
            (row["program"], row["machine"]): (row["date"], row["measured on"])
            for row in csv.DictReader(file)
        }


def _row(kind: tuple[str, str], runs: list[CalibrationRun], where: tuple[str, str]) -> str:
    ratios = [run.measured / run.forecast for run in runs]
    error = median(abs(run.forecast / run.measured - 1) for run in runs)
    low, *_, high = quantiles(ratios, n=10, method="inclusive")
    return (
        "| " + " | ".join((*kind, str(len(runs)), f"{error:.1%}", f"{low:.2f} to {high:.2f}", *where)) + " |"
    )
