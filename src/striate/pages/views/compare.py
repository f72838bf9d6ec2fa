"""The differences between runs, level by level and phase by phase: which operations got slower, and by how much."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.pages.names import LEVEL_TITLES, shown_name
from striate.pages.page import View
from striate.pages.run import Run
from striate.trace.analysis.phases import phases_of
from striate.trace.analysis.tracks import REGIONS_FROM, states_of
from striate.trace.kinds import LEVELS, RANK_LEVELS
from striate.trace.trace import Trace
from striate.units import about_seconds

_MOST = 300  # lines of a table, those that differ most
WHOLE_RUN = "the whole run"
Sum = tuple[int, float, int]  # operations, seconds summed over rows, bytes
Sums = dict[str, Sum]
Cells = dict[tuple[int, str], Sums]  # of each phase (-1: the whole run) and level


def view(runs: Sequence[Run]) -> View | None:
    """Tables over all runs that have operations; None when there are fewer than two."""
    traced = [(run, run.trace) for run in runs if run.trace is not None]
    if len(traced) < 2:
        return None
    phases, codes = phases_of([trace for _, trace in traced])
    sums = [sums_of(trace, phase) for (_, trace), phase in zip(traced, codes, strict=True)]
    data = {
        "runs": [
            {"name": shown_name(run.name), "origin": run.origin, "seconds": run.seconds} for run, _ in traced
        ],
        "phases": [WHOLE_RUN, *(shown_name(name, 120) for name in phases)],
        "tables": [*_tables(sums, len(phases)), *_file_tables([trace for _, trace in traced])],
        "words": words([run for run, _ in traced], sums),
    }
    return View("compare", "Differences", data)


def sums_of(trace: Trace, phase: NDArray[np.int64]) -> Cells:
    """What the rows of every phase and level add up to, by kind of operation; levels are never added up."""
    names, state = states_of(trace)
    level, size = trace.column("level").astype(np.int64), trace.column("bytes").astype(np.int64)
    key = ((phase + 1) * len(LEVELS) + level) * len(names) + state
    keys, place = np.unique(key, return_inverse=True)
    place = np.ravel(place)
    seconds = np.bincount(place, (trace.column("end") - trace.column("start")) * 1e-9, len(keys))
    counts, moved = np.bincount(place, minlength=len(keys)), np.zeros(len(keys), np.int64)
    np.add.at(moved, place, size)
    found: Cells = {}
    for at, code in enumerate(keys.tolist()):
        rest, own = divmod(code, len(names))
        number, word = rest // len(LEVELS) - 1, LEVELS[rest % len(LEVELS)]
        name = f"region {names[own]}" if own >= REGIONS_FROM else names[own]
        one = (int(counts[at]), float(seconds[at]), int(moved[at]))
        for cell in {(number, word), (-1, word)}:
            _add(found.setdefault(cell, {}), name, one)
    return found


def _add(sums: Sums, name: str, more: Sum) -> None:
    before = sums.get(name, (0, 0.0, 0))
    sums[name] = (before[0] + more[0], before[1] + more[1], before[2] + more[2])


def sums_of_files(trace: Trace) -> Sums:
    """Operations, seconds (in I/O, summed over ranks) and bytes of every file, by the last part of its name."""
    found: Sums = {}
    for row in trace.per_file().to_pylist():
        name = row["file"].rstrip("/").rpartition("/")[2] or row["file"]
        _add(found, name, (row["operations"], row["seconds"], row["bytes_read"] + row["bytes_written"]))
    return found


def _tables(sums: Sequence[Cells], phases: int) -> list[dict[str, Any]]:
    return [
        {"phase": phase + 1, "level": level, "title": LEVEL_TITLES[level], "lines": lines}
        for phase in range(-1, phases)
        for level in LEVELS
        if (lines := _lines([cells.get((phase, level), {}) for cells in sums]))
    ]


def _file_tables(traces: Sequence[Trace]) -> list[dict[str, Any]]:
    lines = _lines([sums_of_files(trace) for trace in traces])
    return [{"phase": 0, "level": "file", "title": "files", "lines": lines}] if lines else []


def _lines(sums: Sequence[Sums]) -> list[dict[str, Any]]:
    """One line per name: what each run has of it; the largest differences first."""
    names = dict.fromkeys(name for found in sums for name in found)
    lines = [{"name": shown_name(name), "of": [found.get(name) for found in sums]} for name in names]
    lines.sort(key=lambda line: (-_difference(line["of"]), line["name"]))
    return lines[:_MOST]


def _difference(found: Any) -> float:
    seconds = [0.0 if one is None else one[1] for one in found]
    return float(max(seconds) - min(seconds))


def words(runs: Sequence[Run], sums: Sequence[Cells]) -> list[str]:
    """Every run against the first: how much longer in all, and at each level of ranks what grew and shrank the most.

    Only what both runs have is spoken of: calls that a recorder did not watch did not get slower.
    """
    base, first = runs[0], sums[0]
    found = []
    for run, own in zip(runs[1:], sums[1:], strict=True):
        text = f"{shown_name(run.name, 60)} took {about_seconds(run.seconds)}, {_times(run.seconds, base.seconds)} "
        text += f"{shown_name(base.name, 60)} ({about_seconds(base.seconds)})."
        for level in RANK_LEVELS:
            before, after = (cells.get((-1, level), {}) for cells in (first, own))
            text += _change(
                LEVEL_TITLES[level],
                {name: after[name][1] - before[name][1] for name in after if name in before},
            )
        found.append(text)
    return found


def _change(title: str, grown: dict[str, float]) -> str:
    parts = []
    if grown and grown[most := max(grown, key=lambda name: grown[name])] > 0:
        parts.append(f"{shown_name(most, 60)} grew the most, by {about_seconds(grown[most])} over all ranks")
    if grown and grown[least := min(grown, key=lambda name: grown[name])] < 0:
        parts.append(f"{shown_name(least, 60)} shrank the most, by {about_seconds(-grown[least])}")
    return f" Of {title}, {', and '.join(parts)}." if parts else ""


def _times(seconds: float, base: float) -> str:
    if base <= 0 or seconds <= 0:
        return "against"
    ratio = seconds / base
    if abs(ratio - 1) < 0.005:
        return "as long as"
    return f"{ratio:.2f} times as long as" if ratio > 1 else f"{1 / ratio:.2f} times faster than"
