"""The exchange: records go from their callers into the windows of their owners, or back, round by round."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from striate import _core
from striate.runtime.move.communicator.ranks import Ranks
from striate.runtime.move.schedules.schedule import Moves, Schedule
from striate.runtime.plan.partition import Partition
from striate.runtime.report import Report

Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class RowParts:
    """Records of several variables, `sizes` bytes of each for a row, to be moved as rows of all of them."""

    records: list[Bytes]
    sizes: list[int]


class Exchange:
    """Moves the records of one schedule. `shared` is the memory of all windows of our node, `own` our window in it."""

    def __init__(self, ranks: Ranks, schedule: Schedule, *, report: Report) -> None:
        self.ranks = ranks
        self.schedule = schedule
        self.partition: Partition = schedule.partition
        self.quota = schedule.quota
        self.report = report

    def put(
        self, round_: int, records: Bytes | RowParts, shared: Bytes, own: Bytes, kind: np.dtype[Any]
    ) -> None:
        """Our records of this round into the windows; afterwards all ranks must meet before a window is used."""
        moves = self.schedule.writing
        begin, end, place, order = self._shared(moves, round_)
        self._move(shared, place, records, order, end - begin)
        for turn in range(moves.messages[round_]):
            parts, counts, incoming, received = self._turn(moves, round_, turn)
            packed = self._pack(records, moves.order, parts)
            arrived = self._send(packed, counts, received)
            if self.schedule.combine == "sum":
                add_records(own, incoming, arrived, kind)
            else:
                self._place(own, incoming, arrived)

    def take(self, round_: int, records: Bytes, shared: Bytes, own: Bytes) -> None:
        """Our records of this round out of the windows, which all owners have filled."""
        moves = self.schedule.reading(self.ranks)
        begin, end, place, order = self._shared(moves, round_)
        _core.move_records(records, order, shared, place, end - begin, self.partition.record_bytes)
        for turn in range(moves.messages[round_]):
            parts, counts, incoming, received = self._turn(moves, round_, turn)
            packed = np.empty(len(incoming) * self.partition.record_bytes, np.uint8)
            _core.move_records(packed, None, own, incoming, len(incoming), self.partition.record_bytes)
            arrived = self._send(packed, received, counts)
            self._unpack(records, moves.order, parts, arrived)

    def _shared(self, moves: Moves, round_: int) -> tuple[int, int, Any, Any]:
        """The entries that pass through shared memory: places in the windows, and which of our records."""
        begin, end = (int(edge) for edge in moves.starts[round_, :2])
        order = None if moves.order is None else moves.order[begin:end]
        self.report.moved_bytes += (end - begin) * self.partition.record_bytes
        return begin, end, moves.place[begin:end], order

    def _move(self, target: Bytes, to: Any, records: Bytes | RowParts, order: Any, count: int) -> None:
        if isinstance(records, RowParts):
            _core.move_rows(target, to, records.records, records.sizes, order, count)
        else:
            _core.move_records(target, to, records, order, count, self.partition.record_bytes)

    def _turn(self, moves: Moves, round_: int, turn: int) -> tuple[list[slice], Any, Any, Any]:
        """The entries of each owner that this exchange carries, and of our window those of each other rank."""
        ours = _portion(moves.starts[round_, 1:], turn, self.quota)
        theirs = _portion(moves.incoming_starts[round_], turn, self.quota)
        incoming = np.concatenate([moves.incoming[part] for part in theirs])
        return ours, _lengths(ours), incoming, _lengths(theirs)

    def _pack(self, records: Bytes | RowParts, order: Any, parts: list[slice]) -> Bytes:
        size = self.partition.record_bytes
        packed = np.empty(int(_lengths(parts).sum()) * size, np.uint8)
        at = 0
        for part in parts:
            count = part.stop - part.start
            self._move(packed[at * size :], None, records, order[part], count)
            at += count
        return packed

    def _unpack(self, records: Bytes, order: Any, parts: list[slice], arrived: Bytes) -> None:
        size = self.partition.record_bytes
        at = 0
        for part in parts:
            count = part.stop - part.start
            _core.move_records(records, order[part], arrived[at * size :], None, count, size)
            at += count

    def _place(self, own: Bytes, incoming: Any, arrived: Bytes) -> None:
        _core.move_records(own, incoming, arrived, None, len(incoming), self.partition.record_bytes)

    def _send(self, packed: Bytes, counts: Any, received: Any) -> Bytes:
        size = self.partition.record_bytes
        self.report.sent_bytes += packed.size
        self.report.messages += int(np.count_nonzero(counts))
        return self.ranks.exchange(packed, counts * size, received * size)


def add_records(own: Bytes, places: Any, arrived: Bytes, kind: np.dtype[Any]) -> None:
    """Add records to those at `places`, number by number, in the order they came."""
    if not len(places):
        return
    size = arrived.size // len(places)
    window = own[: own.size // size * size].view(kind).reshape(own.size // size, size // kind.itemsize)
    _add(window, places, arrived.view(kind).reshape(len(places), size // kind.itemsize))


def _add(window: npt.NDArray[Any], places: Any, values: npt.NDArray[Any]) -> None:
    if window.dtype.names is None:
        np.add.at(window, places, values)
        return
    for name in window.dtype.names:
        _add(window[name], places, values[name])


def _portion(starts: Any, turn: int, quota: int) -> list[slice]:
    """Of each bucket the entries that the given turn carries."""
    return [
        slice(min(int(begin) + turn * quota, int(end)), min(int(begin) + (turn + 1) * quota, int(end)))
        for begin, end in pairwise(starts)
    ]


def _lengths(parts: list[slice]) -> npt.NDArray[np.int64]:
    return np.array([part.stop - part.start for part in parts], np.int64)
