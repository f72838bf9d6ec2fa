"""Which files of an application have a layout of their own, as the core takes them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.cluster.cluster import Cluster, Settings
from striate.errors import PredictionError
from striate.layout.distributions.hash_stripe import HashStripe
from striate.layout.layout import Layout
from striate.layout.parse import parse
from striate.workload.application import Application, File

_MOST_PLACEMENTS = 4096  # tables of placements that are kept
_layout = lru_cache(maxsize=4096)(parse)


@dataclass(frozen=True, slots=True, eq=False)
class LayoutTable:
    """Row i: files `first[i]` up to `first[i] + count[i]` have the layout `natives[i]` of the core."""

    first: NDArray[np.int64]
    count: NDArray[np.int64]
    natives: list[Any]

    @classmethod
    def of(cls, rows: list[tuple[int, int, Layout]]) -> LayoutTable:
        """Rows of first file, number of files, and their layout."""
        return cls(
            np.array([first for first, _, _ in rows], np.int64),
            np.array([count for _, count, _ in rows], np.int64),
            [layout._native for _, _, layout in rows],
        )


def layout_table(application: Application, cluster: Cluster) -> LayoutTable:
    """The table of `application` on a machine; refuses layouts of more servers than it has."""
    rows: list[tuple[int, int, Layout]] = []
    servers = len(cluster.servers)
    for file in application.files:
        if not servers:
            continue
        if file.layout is None:
            rows += _hashed(file, servers, cluster.settings)
            continue
        layout = _layout(file.layout)
        if layout.servers > servers:
            raise PredictionError(
                f"expected a file layout over at most the {servers} servers of the cluster, "
                f"got {file.layout!r:.60}",
                at=f"file {file.name!r:.60}",
                source=application.name,
            )
        rows.append((file.first, file.count, layout))
    return LayoutTable.of(rows)


def _hashed(file: File, servers: int, settings: Settings) -> list[tuple[int, int, Layout]]:
    """A placement of its own for each file where the file system places by hash; beyond some thousands they repeat."""
    if settings.distribution != "hash":
        return []
    step = -(-file.count // _MOST_PLACEMENTS)
    draw = settings.distribution_draw << 31
    return [
        (
            file.first + at,
            min(step, file.count - at),
            HashStripe(servers, settings.stripe_unit, draw + file.first + at),
        )
        for at in range(0, file.count, step)
    ]
