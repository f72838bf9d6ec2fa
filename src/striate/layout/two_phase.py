"""Two-phase collective I/O as a plan: who moves which bytes to whom in which round, and who accesses what.

The file range that all ranks ask for together is cut into domains, one per aggregator: contiguous or stripe by stripe.
An aggregator works through its domain one buffer at a time: ranks send it the bytes it writes (or it sends them the
bytes it has read). Only bytes that were asked for move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from striate import _core
from striate.errors import LayoutError
from striate.layout.columns import Int64, Whole, whole_numbers
from striate.layout.extents import Extents
from striate.refusals import words


@dataclass(frozen=True, eq=False)
class TwoPhasePlan:
    """Columns of moves and accesses, ordered by round and aggregator; aggregators are positions in the list given.

    Move i has pieces `first_piece[i]` to `first_piece[i + 1]`, access i has runs `first_access_run[i]` to
    `first_access_run[i + 1]`. Where ranks overlap, each moves its own bytes, and a write keeps the highest rank's.
    """

    aggregators: Int64
    rounds: int
    domain_begin: Int64
    domain_end: Int64
    move_round: Int64
    move_rank: Int64
    move_aggregator: Int64
    move_bytes: Int64
    first_piece: Int64
    piece_offset: Int64
    piece_size: Int64
    access_round: Int64
    access_aggregator: Int64
    access_bytes: Int64
    first_access_run: Int64
    access_offset: Int64
    access_size: Int64


def plan_two_phase(
    asked: Sequence[Extents],
    *,
    aggregators: Whole,
    buffer_bytes: int,
    align_bytes: int,
    cyclic: bool = False,
) -> TwoPhasePlan:
    """The plan for what each rank asks; refuses aggregators that are no ranks, and buffers without a byte.

    File domains are contiguous; `cyclic`, they are every n-th unit of `align_bytes` for n aggregators, as ROMIO deals
    stripes on Lustre (Liao and Choudhary, SC 2008).
    """
    ranks = whole_numbers(aggregators, "aggregators").reshape(-1)
    first_run = np.cumsum([0, *(len(extents.offsets) for extents in asked)], dtype=np.int64)
    offsets, sizes = (_joined(asked, column) for column in ("offsets", "sizes"))
    try:
        columns = _core.two_phase_plan(first_run, offsets, sizes, ranks, buffer_bytes, align_bytes, cyclic)
    except _core.RefusalError as error:
        found = f"aggregators {ranks.tolist()}, buffer {buffer_bytes}, alignment {align_bytes}"
        raise LayoutError(f"{words(error.refusal)}: got {found} for {len(asked)} ranks") from None
    return TwoPhasePlan(aggregators=ranks, **columns)


def _joined(asked: Sequence[Extents], column: str) -> Int64:
    return np.concatenate([np.empty(0, np.int64), *(getattr(extents, column) for extents in asked)])
