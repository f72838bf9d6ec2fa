"""Updates: a schedule after some of its entries changed; only the records they leave or reach are resolved again.

Every rank looks at each of its entries once, for whether it names such a record; all else is in proportion to the
change. The result is the schedule that would be made anew.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from striate import _core
from striate.runtime.move.communicator.node import Node
from striate.runtime.move.communicator.ranks import Ranks
from striate.runtime.move.schedules.resolve import FEW, popcount
from striate.runtime.move.schedules.schedule import Moves, Schedule, moves_of, share_coverage

Int64 = npt.NDArray[np.int64]
Positions = npt.NDArray[Any]
Words = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]

LARGE = 512  # entries for one that changes, below which all is made anew: that is faster then
MANY = 2**21  # entries of a rank, below which it is faster always


def can_update(schedule: Schedule, node: Node, most_changed: int) -> bool:
    """The same on all ranks: whether the change is small, and the claims are resolved in memory that all share."""
    pays = schedule.most >= max(MANY, most_changed * LARGE)
    return node.is_everyone and schedule.combine == "last" and pays


def update_schedule(
    ranks: Ranks, schedule: Schedule, units: Positions, changed: Int64, most: int
) -> Schedule:
    """Collective: `schedule` with the entries `changed` as they are in `units`; no rank changes more than `most`."""
    bits = np.zeros(-(-max(schedule.partition.records, 1) // 64), np.uint64)
    _mark_touched_by_any(ranks, schedule.units[changed], units[changed], most, bits)
    touched = _core.unmarked_records(~bits, 0, schedule.partition.records)
    mine = _core.marked_entries(units, bits)  # the same before: a change leaves one such record for another
    before, after = np.split(_position_among(bits, np.append(schedule.units[mine], units[mine])), 2)
    flags = np.zeros((2, len(touched)), np.bool_)
    flags[0, before], flags[1, after] = True, True
    table = ranks.gather_rows(flags.reshape(-1)).reshape(ranks.size, 2, len(touched))
    last = np.zeros(len(touched), units.dtype)
    last[after] = mine  # they ascend: the later entry stays
    won = flags[1] & ~table[ranks.rank + 1 :, 1].any(axis=0)
    writing = _spliced(schedule, units, dropped=mine, added=np.sort(last[won]))
    named_before, named_after = np.logical_or.reduce(table, axis=0)
    return _with_coverage(
        ranks, replace(schedule, units=units, writing=writing), touched, named_before, named_after
    )


def _mark_touched_by_any(ranks: Ranks, old: Positions, new: Positions, most: int, bits: Words) -> None:
    """Mark the records that any rank's changes leave or reach."""
    row = np.full(2 * most, -1, old.dtype)
    row[: len(old)], row[most : most + len(new)] = old, new
    _core.mark_records(ranks.gather_rows(row).reshape(-1), 0, bits)  # -1 is no record, and leaves no mark


def _position_among(bits: Words, marked: Positions) -> Int64:
    """How many marks lie before each of these, which are marked."""
    word, bit = np.divmod(marked, 64)
    before = np.cumsum(popcount(bits)) - popcount(bits)
    below = bits[word] & ((np.uint64(1) << bit.astype(np.uint64)) - np.uint64(1))
    found: Int64 = before[word] + popcount(below)
    return found


def _spliced(schedule: Schedule, units: Positions, *, dropped: Positions, added: Positions) -> Moves:
    """The moves without the entries `dropped`, and with those `added`; both ascend."""
    moves, partition = schedule.writing, schedule.partition
    order = np.arange(len(units), dtype=units.dtype) if moves.order is None else moves.order
    patch = moves_of(None, partition, units, added, schedule.segments, None, 1)
    entries = np.arange(len(units), dtype=units.dtype) if patch.order is None else patch.order
    orders, places, starts = [], [], np.zeros_like(moves.starts)
    total = 0
    for round_ in range(partition.rounds):
        old, new = (slice(*(int(edge) for edge in which.starts[round_, :2])) for which in (moves, patch))
        kept = _core.splice_moves(order[old], moves.place[old], dropped, entries[new], patch.place[new])
        orders.append(kept[0])
        places.append(kept[1])
        starts[round_, 0], starts[round_, 1:] = total, total + len(kept[0])
        total += len(kept[0])
    if partition.rounds == 1:
        whole = total == len(units)
        return replace(moves, order=None if whole else orders[0], place=places[0], starts=starts)
    return replace(moves, order=np.concatenate(orders), place=np.concatenate(places), starts=starts)


def _with_coverage(
    ranks: Ranks, schedule: Schedule, touched: Positions, before: Flags, after: Flags
) -> Schedule:
    """The schedule with its chunks' coverage and its holes as the change leaves them."""
    partition = schedule.partition
    first, end = partition.domain_of(ranks.rank)
    own = (touched >= first) & (touched < end)
    gone, come = (  # ascending
        touched[own & one & ~other].astype(np.int64) - first
        for one, other in ((before, after), (after, before))
    )
    chunks = len(schedule.covered)
    covered = (
        schedule.covered
        + np.bincount(come // partition.chunk, minlength=chunks)
        - np.bincount(gone // partition.chunk, minlength=chunks)
    )
    holes = schedule.holes
    if holes is not None:
        holes = np.delete(holes, np.searchsorted(holes, come))
        holes = np.insert(holes, np.searchsorted(holes, gone), gone)
    few = holes is not None and len(holes) * FEW <= end - first
    alike = len(schedule.writing.place) == len(schedule.units)
    coverage, all_alike, all_few = share_coverage(ranks, partition, covered, (alike, few))
    return replace(
        schedule,
        covered=covered,
        coverage=coverage,
        holes=holes if all_few else None,
        read_alike=all_alike,
    )
