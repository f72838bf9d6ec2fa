"""The critical path: which ranks and operations, one after the other, made the run as long as it was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.pages.names import shown_name
from striate.pages.page import View
from striate.pages.run import Run
from striate.trace.analysis.critical_path import CriticalPath, critical_path
from striate.trace.trace import Trace
from striate.units import about_seconds

MOST_PIECES = 20_000  # drawn; more are left out, the shortest first
_MOST_RANKS = 20


def view(runs: Sequence[Run]) -> View | None:
    """A path for every trace that tells who waited for whom."""
    columns: dict[str, NDArray[Any]] = {}
    parts: list[dict[str, Any]] = []
    for run in runs:
        if run.trace is None or not _tells_who_waits(run.trace):
            continue
        path = critical_path(run.trace)
        if not len(path):
            continue
        keep = np.sort(np.argsort(path.start - path.end, kind="stable")[:MOST_PIECES])
        for name in ("rank", "start", "end", "state"):
            columns[f"{name}{len(parts)}"] = getattr(path, name)[keep]
        parts.append(
            {
                "name": shown_name(run.name),
                "origin": run.origin,
                "ranks": run.trace.ranks,
                "seconds": run.trace.seconds,
                "states": list(path.states),
                "words": words(path),
                "of_states": [[name, seconds] for name, seconds in path.seconds_of_states().items()],
                "of_ranks": [[rank, seconds] for rank, seconds in path.seconds_of_ranks().items()][
                    :_MOST_RANKS
                ],
            }
        )
    return View("path", "Critical path", {"parts": parts}, columns) if parts else None


def _tells_who_waits(trace: Trace) -> bool:
    """True when ranks were seen to wait for each other: without messages a path is one rank's calls."""
    return trace.ranks > 1 and bool(trace.at_level("mpi").any() or trace.column("collective").any())


def words(path: CriticalPath) -> str:
    """What it says, in a sentence."""
    (state, longest), *_ = path.seconds_of_states().items()
    (rank, most), *_ = path.seconds_of_ranks().items()
    changes = int((np.diff(path.rank) != 0).sum())
    return (
        f"{about_seconds(path.seconds)} in {len(path):,} pieces; it goes from rank to rank {changes:,} times. "
        f"Most of it is {state} ({about_seconds(longest)}), and rank {rank} has most ({about_seconds(most)})."
    )
