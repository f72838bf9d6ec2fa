"""The package's calibration file, for the scripts that measure it: the model's part of a range, and keeping runs."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Sequence
from dataclasses import astuple, fields
from datetime import UTC, datetime
from pathlib import Path

from striate.ladder import calibration
from striate.ladder.calibration import DEFAULT_DEVIATION, ENOUGH, MODEL, CalibrationRun, fitted
from striate.ladder.distribution import Spread

BUNDLED = Path(calibration.__file__).parent / "data" / "calibration.csv"
MEASURED = Path(__file__).parent / "calibration.csv"


def model_of(known: Sequence[CalibrationRun], run: CalibrationRun) -> Spread:
    """The model's part of a run's range, by the known runs of its kind."""
    alike = [one for one in known if (one.program, one.machine) == (run.program, run.machine)]
    if len(alike) < ENOUGH:
        return Spread(MODEL, DEFAULT_DEVIATION, DEFAULT_DEVIATION, "default")
    return fitted(tuple(alike), "")


def keep(runs: Sequence[CalibrationRun], path: Path = BUNDLED, measured: Path = MEASURED) -> None:
    """Put the runs into the calibration, in place of those of their kinds; other kinds stay.

    `measured` says when and on which computer the runs of each kind were made; the documentation prints it.
    """
    kinds = {(run.program, run.machine) for run in runs}
    replace_rows(path, kinds, [field.name for field in fields(CalibrationRun)], map(rounded, runs))
    today = [datetime.now(UTC).date().isoformat(), f"{computer_kind()} with {os.cpu_count()} CPUs"]
    replace_rows(
        measured,
        kinds,
        ["program", "machine", "date", "measured on"],
        ([*kind, *today] for kind in sorted(kinds)),
    )


def rounded(run: CalibrationRun) -> list[str]:
    """A run as a row of the calibration."""
    return [run.program, run.machine, *(f"{value:.4g}" for value in astuple(run)[2:])]


def computer_kind() -> str:
    """Whether a hypervisor runs this computer, as the processor says."""
    return "virtual machine" if " hypervisor" in Path("/proc/cpuinfo").read_text() else "computer"


def replace_rows(
    path: Path, kinds: set[tuple[str, str]], columns: Sequence[str], rows: Iterable[Sequence[str]]
) -> None:
    """Write `rows` in place of those that begin with one of `kinds`."""
    with path.open(newline="") as file:
        others = [row for row in list(csv.reader(file))[1:] if tuple(row[:2]) not in kinds]
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([*others, *rows])
