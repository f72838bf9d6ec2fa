"""The tuning surface: the time of every combination of two knobs, by the best that the others allow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.interval import Interval
from striate.pages.names import shown_name
from striate.pages.page import View
from striate.pages.run import Run
from striate.tuning.study import Outcome, Study

MOST_LINES = 100


def view(runs: Sequence[Run]) -> View | None:
    """A part for every study; None without one."""
    columns: dict[str, NDArray[Any]] = {}
    parts: list[dict[str, Any]] = []
    for run in runs:
        if run.study is None:
            continue
        described, surface = tuning_of(run.study)
        columns[f"seconds{len(parts)}"] = surface
        parts.append({"name": shown_name(run.name)} | described)
    return View("tuning", "Tuning", {"parts": parts}, columns) if parts else None


def tuning_of(study: Study) -> tuple[dict[str, Any], NDArray[np.float64]]:
    """The two knobs with most values, the least estimate of each pair (0: none), and the outcomes one by one."""
    timed = [outcome for outcome in study.outcomes if outcome.seconds is not None]
    values = _values(timed)
    across, down = (*sorted(values, key=lambda knob: -len(values[knob])), None, None)[:2]
    wide, high = (values.get(knob, ["any"]) if knob else ["any"] for knob in (across, down))
    surface = np.zeros((len(high), len(wide)))
    for outcome in timed:
        settings = outcome.candidate.settings
        at = tuple(
            labels.index(shown_value(settings.get(knob))) if knob else 0
            for knob, labels in ((down, high), (across, wide))
        )
        assert outcome.seconds is not None
        before = surface[at]
        surface[at] = min(before, outcome.seconds.estimate) if before else outcome.seconds.estimate
    described = {
        "across": across or "",
        "down": down or "",
        "columns": wide,
        "rows": high,
        "now": study.now.seconds.estimate if study.now.seconds else None,
        "lines": [_line(outcome, study.range_of(outcome)) for outcome in study.outcomes[:MOST_LINES]],
        "more": max(0, len(study.outcomes) - MOST_LINES),
    }
    return described, surface.ravel()


def _values(outcomes: Sequence[Outcome]) -> dict[str, list[str]]:
    """The values each knob was seen at, in the order of their size or name."""
    found: dict[str, set[Any]] = {}
    for outcome in outcomes:
        for knob, value in outcome.candidate.settings.items():
            found.setdefault(knob, set()).add(value)
    return {
        knob: [
            shown_value(value) for value in sorted(values, key=lambda value: (isinstance(value, str), value))
        ]
        for knob, values in found.items()
    }


def shown_value(value: Any) -> str:
    return shown_name(str(value), 60)


def _line(outcome: Outcome, seconds: Interval | None) -> list[Any]:
    times = [seconds.estimate, seconds.low, seconds.high] if seconds else [None] * 3
    finite = [time if time is not None and np.isfinite(time) else None for time in times]
    return [shown_name(str(outcome.candidate)), outcome.state, *finite, outcome.rung]
