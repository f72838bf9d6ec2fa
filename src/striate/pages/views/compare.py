"""The differences between runs: per kind of operation, per file and per region, which got slower and by how much."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from striate.pages.bars import LAYERS, TICK_SECONDS, Bars, bars_of
from striate.pages.names import shown_name
from striate.pages.page import View
from striate.pages.run import Run
from striate.trace.trace import Trace
from striate.units import about_seconds

_MOST = 300  # lines of a table, those that differ most
Sums = dict[str, tuple[int, float, int]]  # name -> operations, seconds summed over rows, bytes


def view(runs: Sequence[Run]) -> View | None:
    """Tables over all runs that have bars; None when there are fewer than two."""
    drawn = [(run, bars) for run in runs if (bars := bars_of(run)) is not None]
    if len(drawn) < 2:
        return None
    tables = {
        "operation": [sums_of_states(bars) for _, bars in drawn],
        "file": [sums_of_files(bars.trace) for _, bars in drawn],
    }
    data = {
        "runs": [
            {"name": shown_name(run.name), "origin": run.origin, "seconds": run.seconds} for run, _ in drawn
        ],
        "tables": {title: _lines(sums) for title, sums in tables.items()},
        "words": words([run for run, _ in drawn], tables["operation"]),
    }
    return View("compare", "Differences", data)


def sums_of_states(bars: Bars) -> Sums:
    """Operations, seconds and bytes of every state; inside a call of the same name it is `write (system calls)`."""
    states = max(len(bars.states), 1)
    key = bars.layer_of_lane[bars.lane] * states + bars.state if len(bars) else bars.state
    keys, place = np.unique(key, return_inverse=True)
    seconds = np.bincount(np.ravel(place), (bars.end - bars.start) * TICK_SECONDS, len(keys))
    size = np.zeros(len(keys), np.int64)
    np.add.at(size, np.ravel(place), bars.bytes)
    counts = np.bincount(np.ravel(place), minlength=len(keys))
    found: Sums = {}
    for at, code in enumerate(keys.tolist()):  # outer layers first
        name, layer = bars.states[code % states], LAYERS[code // states]
        label = f"{name} ({layer})" if name in found else name
        found[label] = (int(counts[at]), float(seconds[at]), int(size[at]))
    return found


def sums_of_files(trace: Trace) -> Sums:
    """Operations, seconds (in I/O, summed over ranks) and bytes of every file, by the last part of its name."""
    found: Sums = {}
    for row in trace.per_file().to_pylist():
        name = row["file"].rstrip("/").rpartition("/")[2] or row["file"]
        before = found.get(name, (0, 0.0, 0))
        size = row["bytes_read"] + row["bytes_written"]
        found[name] = (before[0] + row["operations"], before[1] + row["seconds"], before[2] + size)
    return found


def _lines(sums: Sequence[Sums]) -> list[dict[str, Any]]:
    """One line a name: what each run has of it; the largest differences first."""
    names = dict.fromkeys(name for found in sums for name in found)
    lines = [{"name": shown_name(name), "of": [found.get(name) for found in sums]} for name in names]
    lines.sort(key=lambda line: (-_difference(line["of"]), line["name"]))
    return lines[:_MOST]


def _difference(found: Any) -> float:
    seconds = [0.0 if one is None else one[1] for one in found]
    return float(max(seconds) - min(seconds))


def words(runs: Sequence[Run], sums: Sequence[Sums]) -> list[str]:
    """Every run against the first: how much longer in all, and what grew and shrank the most."""
    base, first = runs[0], sums[0]
    found = []
    for run, own in zip(runs[1:], sums[1:], strict=True):
        names = dict.fromkeys([*first, *own])
        grown = {name: own.get(name, (0, 0.0, 0))[1] - first.get(name, (0, 0.0, 0))[1] for name in names}
        text = f"{shown_name(run.name, 60)} took {about_seconds(run.seconds)}, {_times(run.seconds, base.seconds)} "
        text += f"{shown_name(base.name, 60)} ({about_seconds(base.seconds)})."
        most, least = (
            max(grown, key=lambda name: grown[name], default=""),
            min(grown, key=lambda name: grown[name], default=""),
        )
        if most and grown[most] > 0:
            text += f" {shown_name(most, 60)} grew the most: {about_seconds(grown[most])} more in all rows."
        if least and grown[least] < 0:
            text += f" {shown_name(least, 60)} shrank the most: {about_seconds(-grown[least])} less."
        found.append(text)
    return found


def _times(seconds: float, base: float) -> str:
    if base <= 0 or seconds <= 0:
        return "against"
    ratio = seconds / base
    if abs(ratio - 1) < 0.005:
        return "as long as"
    return f"{ratio:.2f} times as long as" if ratio > 1 else f"{1 / ratio:.2f} times faster than"
