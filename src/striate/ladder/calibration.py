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
from numpy.typing import NDArray

from striate.errors import PredictionError
from striate.ladder.distribution import MACHINE, SHARE, TENTH, Spread, range_of
from striate.ladder.kinds import MACHINES, PROGRAMS, ForecastKind

MODEL = "model"
_BUNDLED = Path(__file__).parent / "data" / "calibration.csv"
VARIABLE = "STRIATE_CALIBRATION"
DEFAULT_DEVIATION = 0.28  # of the logarithm of the time, over all runs of the package's validation
ENOUGH = 20  # runs of a kind that say more than the default
SHARES = (1.0, 0.5)  # of what the machine's ranges say that may count: two only, lest few runs choose at will
_LEAST_DEVIATION = 0.02  # no model of a real machine is better


@dataclass(frozen=True, slots=True)
class CalibrationRun:
    """A real run: what was forecast, what it took, and how much of the difference other sources may explain.

    Their standard deviations of the logarithm are those of the machine's ranges, and those of what differs from run to
    run by chance: the order of events, and the placement of strips.
    """

    program: str
    machine: str
    forecast: float
    measured: float
    ranges_below: float
    ranges_above: float
    chance_below: float
    chance_above: float

    @classmethod
    def of(
        cls, kind: ForecastKind, forecast: float, measured: float, spreads: Iterable[Spread]
    ) -> CalibrationRun:
        """A run of this kind whose forecast had these sources of uncertainty."""
        known = [spread for spread in spreads if spread.source != MODEL]
        ranges = [spread for spread in known if spread.source == MACHINE]
        chance = [spread for spread in known if spread.source != MACHINE]
        deviations = (
            math.hypot(*(spread.below if below else spread.above for spread in source))
            for source in (ranges, chance)
            for below in (True, False)
        )
        return cls(kind.program, kind.machine, forecast, measured, *deviations)

    @property
    def spreads(self) -> tuple[Spread, Spread]:
        """The sources of uncertainty but for the model's own error."""
        return (
            Spread(MACHINE, self.ranges_below, self.ranges_above, ""),
            Spread("chance", self.chance_below, self.chance_above, ""),
        )

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


def model_spread(kind: ForecastKind, *, measured: bool) -> Spread:
    """The model's part of the uncertainty: by the user's runs of this kind, else by all, else by the default.

    `measured`: the ranges of the machine's numbers are the scatter of measurements, not what is usual for its kind.
    """
    own = [run for run in _user_runs() if (run.program, run.machine) == (kind.program, kind.machine)]
    both = [
        *own,
        *(run for run in bundled_runs() if (run.program, run.machine) == (kind.program, kind.machine)),
    ]
    runs, whose = (own, "runs of your own") if len(own) >= ENOUGH else (both, "validated runs")
    if len(runs) < ENOUGH:
        how = f"default: fewer than {ENOUGH} validated runs of kind '{kind}'"
        return Spread(MODEL, DEFAULT_DEVIATION, DEFAULT_DEVIATION, how)
    how = f"{len(runs):,} {whose} of kind '{kind}'"
    return fitted(tuple(runs), how) if measured else _beside(runs, how, 1.0)


@lru_cache(maxsize=32)  # every forecast of a kind asks for the same runs
def fitted(runs: tuple[CalibrationRun, ...], how: str) -> Spread:
    """The deviations with which the 80 % ranges of these runs leave a tenth of them out on either side.

    Ranges of measured numbers hold the scatter of the measurement, which a run averages out: half of them counts where
    the runs' ranges score better with half.
    """
    return min((_beside(runs, how, share) for share in SHARES), key=lambda spread: _score(runs, spread))


def _beside(runs: Sequence[CalibrationRun], how: str, share: float) -> Spread:
    """The model's deviations where so much of the machine's counts."""
    below, above = (_side(runs, side, share) for side in (-1, 1))
    return Spread(MODEL, below, above, how, share)


def _score(runs: Sequence[CalibrationRun], model: Spread) -> float:
    """The interval score of the runs' 80 % ranges, in logarithms: their widths, and dearly what lies outside."""
    total = 0.0
    for run in runs:
        range_ = range_of(1.0, [*run.spreads, model])
        low, high = math.log(range_.low), math.log(range_.high)
        outside = max(low - run.error, run.error - high, 0.0)
        total += high - low + 2 / (1 - SHARE) * outside
    return total


def _side(runs: Sequence[CalibrationRun], side: int, share: float) -> float:
    """The model's deviation on one side, beside a share of what is known there."""
    away = np.array([max(side * run.error, 0.0) / TENTH for run in runs])
    known = np.array([_known(run, side, share) for run in runs])
    rest = _quantile(away**2 - known**2, (1 + SHARE) / 2)
    return max(math.sqrt(max(rest, 0.0)), _LEAST_DEVIATION)


def _quantile(values: NDArray[np.float64], share: float) -> float:
    """The value below which a share of them lies, as `np.quantile` has it, which imports masked arrays for it."""
    ordered = np.sort(values)
    place = (len(ordered) - 1) * share
    lower = int(place)
    here, there = float(ordered[lower]), float(ordered[min(lower + 1, len(ordered) - 1)])
    part = place - lower
    return there - (there - here) * (1 - part) if part >= 0.5 else here + (there - here) * part


def _known(run: CalibrationRun, side: int, share: float) -> float:
    """The deviation on one side that other sources explain, with a share of the machine's."""
    ranges, chance = (spread.below if side < 0 else spread.above for spread in run.spreads)
    return math.hypot(share * ranges, chance)


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
                raise PredictionError(
                    f"expected a calibration table with the columns {wanted}, got {','.join(row)!r:.80}",
                    at="line 1",
                    source=source,
                )
            continue
        found.append(_run(row, f"line {number}", source))
    return tuple(found)


def _run(row: Sequence[str], at: str, source: str) -> CalibrationRun:
    try:
        program, machine, *numbers = row
        values = [float(number) for number in numbers]
        run = CalibrationRun(program, machine, *values)
    except (TypeError, ValueError):
        raise PredictionError(
            f"expected a row of {len(_COLUMNS)} values in the calibration table, the third and all later ones numbers, "
            f"got {','.join(row)!r:.80}",
            at=at,
            source=source,
        ) from None
    times, deviations = values[:2], values[2:]
    possible = all(0 < one < math.inf for one in times) and all(0 <= one < math.inf for one in deviations)
    if program not in PROGRAMS or machine not in MACHINES or not possible:
        wanted = f"a program among {', '.join(PROGRAMS)}, a machine among {'; '.join(MACHINES)}, and positive times"
        raise PredictionError(f"expected {wanted}, got {','.join(row)!r:.80}", at=at, source=source)
    return run
