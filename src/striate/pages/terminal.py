"""Runs in the terminal: where the time went as bars, and I/O over time and ranks as a map of blocks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from striate.pages.names import shown_name
from striate.pages.run import Run
from striate.pages.spread import binned_rows
from striate.pages.views.activity import TIME_BINS, VERBS, activity_of
from striate.pages.where import where_time_went
from striate.pages.words import about_forecast
from striate.trace.analysis.tables import front
from striate.trace.trace import Trace
from striate.units import about_seconds, about_size

WIDTH, ROWS = 60, 12
_LEVELS = " ▁▂▃▄▅▆▇█"


def text_of(runs: list[Run]) -> str:
    """All runs, one after the other."""
    return "\n\n".join("\n".join(_lines(run)) for run in runs)


def _lines(run: Run) -> list[str]:
    head = f"{shown_name(run.name)} ({run.origin})"
    if run.trace is not None:
        return [head, str(run.trace.info()), "", *_bars(run.trace), *_maps(run.trace)]
    if run.forecast is not None:
        return [head, *about_forecast(run.forecast)]
    if run.advice is not None:
        return [head, *(f"- {shown_name(item.change.words)}" for item in run.advice.items)]
    return [head]


def _bars(trace: Trace) -> list[str]:
    parts = where_time_went(trace)
    width = max(len(part.name) for part in parts)
    whole = trace.seconds or 1.0
    return [
        f"{part.name:<{width}}  {_bar(part.mean_seconds / whole)}  {part.mean_seconds / whole:6.1%}  "
        f"{about_seconds(part.mean_seconds)} in the mean, {part.most}"
        for part in parts
    ]


def _bar(share: float) -> str:
    eighths = round(min(max(share, 0.0), 1.0) * 20 * 8)
    return ("█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8]).ljust(21)


def _maps(trace: Trace) -> list[str]:
    if not front(trace).any():
        return []
    described, columns = activity_of(trace)
    found = []
    for verb in VERBS:
        amounts = columns[verb].reshape(described["rows"], TIME_BINS).astype(float)
        if amounts.any():
            total = about_size(int(amounts.sum()))
            found += [
                "",
                f"{verb}s of {total} over {about_seconds(described['seconds'])}, darker cells have more",
            ]
            found += _map(amounts, described["ranks"], described["step"])
    return found


def _map(amounts: NDArray[np.float64], ranks: int, step: int) -> list[str]:
    """Rows of ranks and columns of time, each cell the sum of what lies in it."""
    rows, each = binned_rows(len(amounts), ROWS)
    padded = np.zeros((rows * each, TIME_BINS))
    padded[: len(amounts)] = amounts
    cells = padded.reshape(rows, each, WIDTH, TIME_BINS // WIDTH).sum(axis=(1, 3))
    level = np.ceil(np.sqrt(cells / cells.max()) * (len(_LEVELS) - 1)).astype(int)
    wide = len(str(ranks - 1))
    return [
        f"rank {row * each * step:>{wide}} |{''.join(_LEVELS[cell] for cell in line)}|"
        for row, line in enumerate(level.tolist())
    ]
