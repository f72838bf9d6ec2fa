"""What the engine wrote down while it played: rows as core/include/striate/events/timeline.hpp lays them out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate._core import RecordedRows

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
RANK, SERVER, DISK = range(3)  # levels of bars

Rows = NDArray[np.void]


@dataclass(frozen=True, eq=False)
class Recording:
    """Chunks of bars of ranks, servers and disks, chunks of transfers, and how many rows found no room."""

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

    def __len__(self) -> int:
        return len(self.bars) + len(self.transfers)

    def at(self, level: int) -> Rows:
        """The bars of one level."""
        found: Rows = self.bars[np.asarray(self.bars["level"]) == level]
        return found


def _joined(chunks: Sequence[NDArray[np.uint8]], kind: np.dtype[Any]) -> Rows:
    parts: list[Rows] = [chunk.view(kind) for chunk in chunks]
    joined: Rows = np.concatenate(parts) if parts else np.empty(0, kind)
    return joined
