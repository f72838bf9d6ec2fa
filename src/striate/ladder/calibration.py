"""How far the model is from real runs: what `validate` has found, by kind of program and machine.

The package brings the runs of its own validation; those of the user are added to a file of the same columns, whose path
the variable STRIATE_CALIBRATION gives.
"""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from functools import lru_cache
from pathlib import Path

import numpy as np

from striate.errors import PredictionError
from striate.ladder.distribution import SHARE, TENTH, Spread
from striate.ladder.kinds import MACHINES, PROGRAMS, ForecastKind

MODEL = "model"
_BUNDLED = Path(__file__).parent / "data" / "calibration.csv"
VARIABLE = "STRIATE_CALIBRATION"
DEFAULT_DEVIATION = 0.28  # of the logarithm of the time, over all runs of the package's validation
ENOUGH = 20  # runs of a kind that say more than the default
SHARES = (1.0, 0.5)  # of what the other sources say that may count: two only, lest few runs choose at will
_LEAST_DEVIATION = 0.02  # no model of a real machine is better


@dataclass(frozen=True, slots=True)
class CalibrationRun:
    """A real run: what was forecast, what it took, and how much of the difference other sources may explain."""

    program: str
    machine: str
    forecast: float
    measured: float
    below: float  # standard deviations of the logarithm, of machine and order together
    above: float

    @property
    def error(self) -> float:
        return math.log(self.measured / self.forecast)


_COLUMNS = tuple(field.name for field in fields(CalibrationRun))


def user_file() -> Path:
    """Where the user's own runs are kept."""
    if given := os.environ.get(VARIABLE):
        return Path(given)
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "striate" / "calibration.csv"


def extend(runs: Sequence[CalibrationRun]) -> Path:
    """Add runs to the user's file, whose path comes back; raises PredictionError when it cannot be written."""
    path = user_file()
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            if file.tell() == 0:
                writer.writerow(_COLUMNS)
            writer.writerows([_rounded(value) for value in astuple(run)] for run in runs)
            file.write(text.getvalue())  # at once: others may append, too
    except OSError as error:
        raise PredictionError(f"cannot write: {error.strerror or error}", source=str(path)) from None
    return path


def _rounded(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.5g}"


def model_spread(kind: ForecastKind) -> Spread:
    """The model's part of the uncertainty: by the user's runs of this kind, else by all, else by the default."""
    own = [run for run in _user_runs() if (run.program, run.machine) == (kind.program, kind.machine)]
    both = [
        *own,
        *(run for run in bundled_runs() if (run.program, run.machine) == (kind.program, kind.machine)),
    ]
    runs, whose = (own, "runs of your own") if len(own) >= ENOUGH else (both, "validated runs")
    if len(runs) < ENOUGH:
        how = f"default: fewer than {ENOUGH} validated runs of kind '{kind}'"
        return Spread(MODEL, DEFAULT_DEVIATION, DEFAULT_DEVIATION, how)
    return fitted(runs, f"{len(runs):,} {whose}, of kind '{kind}'")


def fitted(runs: Sequence[CalibrationRun], how: str) -> Spread:
    """The deviations with which the 80 % ranges of these runs leave a tenth of them out on either side.

    Ranges of measured numbers hold the scatter of the measurement, which a run averages out: half of them counts where
    the runs' ranges score better with half.
    """
    return min((_beside(runs, how, share) for share in SHARES), key=lambda spread: _score(runs, spread))


def _beside(runs: Sequence[CalibrationRun], how: str, share: float) -> Spread:
    """The model's deviations where so much of the other sources' counts."""
    below, above = (_side(runs, side, share) for side in (-1, 1))
    words = how if share == 1 else f"{how}, which confirm {share:.0%} of the other deviations"
    return Spread(MODEL, below, above, words, share)


def _score(runs: Sequence[CalibrationRun], model: Spread) -> float:
    """The interval score of the runs' 80 % ranges, in logarithms: their widths, and dearly what lies outside."""
    total = 0.0
    for run in runs:
        low, high = (
            TENTH * math.hypot(own, model.confirmed * other)
            for own, other in ((model.below, run.below), (model.above, run.above))
        )
        outside = max(-low - run.error, run.error - high, 0.0)
        total += low + high + 2 / (1 - SHARE) * outside
    return total


def _side(runs: Sequence[CalibrationRun], side: int, share: float) -> float:
    """The model's deviation on one side, beside a share of what is known there."""
    away = np.array([max(side * run.error, 0.0) / TENTH for run in runs])
    known = share * np.array([run.below if side < 0 else run.above for run in runs])
    rest = float(np.quantile(away**2 - known**2, (1 + SHARE) / 2))
    return max(math.sqrt(max(rest, 0.0)), _LEAST_DEVIATION)


@lru_cache(maxsize=1)
def bundled_runs() -> tuple[CalibrationRun, ...]:
    """The runs that come with the package."""
    text = _BUNDLED.read_text(encoding="utf-8")
    return _read(text.splitlines(), "the bundled calibration")


def _user_runs() -> tuple[CalibrationRun, ...]:
    path = user_file()
    if not path.is_file():
        return ()
    try:
        return _read(path.read_text(encoding="utf-8").splitlines(), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise PredictionError(f"cannot read: {error}", source=str(path)) from None


def _read(text: Iterable[str], source: str) -> tuple[CalibrationRun, ...]:
    found = []
    for number, row in enumerate(csv.reader(text), 1):
        if number == 1:
            if tuple(row) != _COLUMNS:
                wanted = ",".join(_COLUMNS)
                raise PredictionError(f"expected the columns {wanted}", at="line 1", source=source)
            continue
        found.append(_run(row, f"line {number}", source))
    return tuple(found)


def _run(row: Sequence[str], at: str, source: str) -> CalibrationRun:
    try:
        program, machine, *numbers = row
        forecast, measured, below, above = map(float, numbers)
    except ValueError:
        raise PredictionError(f"expected {len(_COLUMNS)} values", at=at, source=source) from None
    positive = (
        0 < forecast < math.inf
        and 0 < measured < math.inf
        and 0 <= below < math.inf
        and 0 <= above < math.inf
    )
    if program not in PROGRAMS or machine not in MACHINES or not positive:
        wanted = f"a program among {', '.join(PROGRAMS)}, a machine among {'; '.join(MACHINES)}, and positive times"
        raise PredictionError(f"expected {wanted}, got {','.join(row)!r:.80}", at=at, source=source)
    return CalibrationRun(program, machine, forecast, measured, below, above)
