"""The runs on practice clusters as one page: forecast against measured, per cluster and program, and its calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Protocol

from striate.interval import Interval
from striate.pages.validation import Point, validation_svg
from striate.pages.validation_page import ProgramRow, validation_page

TITLE = "Forecasts and real runs on practice clusters"


class Run(Protocol):
    """What the page shows of a run."""

    piece: str
    program: str
    measured: float
    parts: dict[str, float]

    @property
    def error(self) -> float: ...


class RangedRun(Protocol):
    """A run beside its range."""

    run: Run
    range: Interval

    @property
    def inside(self) -> bool: ...


def write_page(found: Sequence[RangedRun], words: str, path: Path) -> None:
    points = [Point(one.run.piece, one.run.measured, one.range) for one in found]
    picture = validation_svg(points, title=TITLE, words="dots: median forecasts; lines: 80 % ranges")
    groups = dict.fromkeys((one.run.piece, one.run.program) for one in found)
    rows = [_row([one for one in found if (one.run.piece, one.run.program) == group]) for group in groups]
    path.write_text(validation_page(rows, title=TITLE, words=words, picture=picture))


def _row(same: Sequence[RangedRun]) -> ProgramRow:
    """Medians of the runs of one program on one cluster."""

    def middle(value: Callable[[RangedRun], float]) -> float:
        return median(value(one) for one in same)

    run = same[0].run
    return ProgramRow(
        f"{run.program} on {run.piece}",
        middle(lambda one: one.run.measured),
        same[0].range,
        middle(lambda one: one.run.error),
        sum(one.inside for one in same),
        len(same),
        {kind: median(one.run.parts.get(kind, 0.0) for one in same) for kind in run.parts},
    )
