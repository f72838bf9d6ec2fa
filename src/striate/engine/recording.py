"""What the engine wrote down while it played: rows as core/include/striate/events/timeline.hpp lays them out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from striate._core import OccupancyCurve, RecordedRows
from striate.trace.occupancy import AMOUNTS, no_occupancy, slices

BAR = np.dtype(
    [
        *((name, np.int64) for name in ("start", "end", "bytes", "more")),
        *((name, np.int32) for name in ("place", "rank", "peer", "tag", "other", "other_tag")),
        *((name, np.uint8) for name in ("level", "kind")),
    ],
    align=True,
)
TRANSFER = np.dtype(
    [
        *((name, np.int64) for name in ("start", "end", "bytes")),
        *((name, np.int32) for name in ("station", "source", "target")),
    ],
    align=True,
)
RANK, SERVER, DISK, STEP = range(4)  # levels of bars

Rows = NDArray[np.void]


@dataclass(frozen=True, eq=False)
class Recording:
    """Chunks of bars of ranks, their steps, servers and disks, chunks of transfers, and how many rows found no room."""

    rows: RecordedRows

    @property
    def dropped(self) -> int:
        return self.rows.dropped

    @cached_property
    def bars(self) -> Rows:
        return _joined(self.rows.bar_chunks, BAR)

    @cached_property
    def transfers(self) -> Rows:
        """Messages over links and interfaces."""
        return _joined(self.rows.transfer_chunks, TRANSFER)

    def occupancy(self, names: Callable[[int], str]) -> pa.Table:
        """Occupancy of every I/O server that was used, over time; `names` of servers by their number."""
        every = [
            _slices(names(number), curve)
            for number, curve in enumerate(self.rows.occupancy)
            if len(curve.covered)
        ]
        return pa.concat_tables(every) if every else no_occupancy()

    def __len__(self) -> int:
        return len(self.bars) + len(self.transfers)

    def at(self, level: int) -> Rows:
        """The bars of one level."""
        found: Rows = self.bars[np.asarray(self.bars["level"]) == level]
        return found


def _slices(server: str, curve: OccupancyCurve) -> pa.Table:
    covered = np.asarray(curve.covered)
    start = np.arange(len(covered), dtype=np.int64) * curve.width
    averages = [curve.sums(at) / np.maximum(covered, 1) for at in range(len(AMOUNTS))]
    most = [np.asarray(curve.most(at)) for at in range(len(AMOUNTS))]
    return slices(server, (start + 500) // 1000, (start + covered + 500) // 1000, averages, most)


def _joined(chunks: Sequence[NDArray[np.uint8]], kind: np.dtype[Any]) -> Rows:
    parts: list[Rows] = [chunk.view(kind) for chunk in chunks]
    joined: Rows = np.concatenate(parts) if parts else np.empty(0, kind)
    return joined
