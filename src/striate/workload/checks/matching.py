"""Every message sent is received: compared as a sum of fingerprints first, in detail only when the sums differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.errors import WorkloadError
from striate.workload.application import Application, Groups
from striate.workload.kinds import ANY, Kind
from striate.workload.program import Int64s
from striate.workload.walk import ProgramLine, lines

_PARTS = {
    Kind.SEND: (("send", "peer", "tag", "bytes"),),
    Kind.SSEND: (("send", "peer", "tag", "bytes"),),
    Kind.RECV: (("recv", "peer", "tag", "bytes"),),
    Kind.SENDRECV: (("send", "peer", "tag", "bytes"), ("recv", "source", "source_tag", "source_bytes")),
}


@dataclass(frozen=True, slots=True, eq=False)
class MessageCounts:
    """One end of many messages: columns over the ranks and passes of a line, `times` of each."""

    line: ProgramLine
    sent: bool
    source: Int64s  # world ranks; ANY on a receive from anyone
    target: Int64s
    tag: Int64s
    bytes: Int64s
    times: int


def messages(application: Application, groups: list[Groups]) -> Iterator[MessageCounts]:
    """All message ends of the application, in columns."""
    for line in lines(application, kinds=_PARTS):
        for part in _PARTS[line.kind]:
            yield from _ends(line, groups[line.communicator], *part)


def _ends(line: ProgramLine, group: Groups, side: str, *names: str) -> Iterator[MessageCounts]:
    times = line.still(*names)
    for added in line.passes(*names):
        position, tag, size = (
            (line.column(name) + steps[:, None]).ravel() for name, steps in zip(names, added, strict=True)
        )
        mine = np.tile(line.ranks, len(added[0]))
        yield _messages(line, group, side, (mine, position, tag, size), times)


def _messages(
    line: ProgramLine, group: Groups, side: str, columns: tuple[Int64s, ...], times: int
) -> MessageCounts:
    mine, position, tag, size = columns
    other = np.where(position == ANY, ANY, group.world(mine, np.maximum(position, 0)))
    source, target = (mine, other) if side == "send" else (other, mine)
    return MessageCounts(line, side == "send", source, target, tag, size, times)


def match_messages(application: Application, groups: list[Groups]) -> None:
    """Raise WorkloadError naming the first operation whose message has no other end."""
    if not _balanced_as_written(application, groups):  # or a receive takes what comes: look closely
        _match_in_detail(application, groups)


def _balanced_as_written(application: Application, groups: list[Groups]) -> bool:
    """True when ends match even without following loops: the same first message, moved in the same way."""
    balance = np.zeros(2, np.uint64)
    for line in lines(application, kinds=_PARTS):
        for side, *names in _PARTS[line.kind]:
            if any(line.strides(names[0])):
                return False
            columns = (line.ranks, *(line.column(name) for name in names))
            ends = _messages(line, groups[line.communicator], side, columns, line.still(*names))
            sign = np.uint64(1 if ends.sent else 2**64 - 1)
            with np.errstate(over="ignore"):
                balance += sign * np.uint64(ends.times) * _fingerprint(ends, _motion(line, names[1:]))
    return not balance.any()


def _motion(line: ProgramLine, names: list[str]) -> np.uint64:
    """A hash of how the loops move a message."""
    depths = line.moving(*names)
    moved = [line.counts[depth] for depth in depths]
    moved += [line.strides(name)[depth] for name in names for depth in depths]
    key = np.zeros(1, np.uint64)
    for number in moved:
        key = _mix(key ^ np.uint64(number % 2**64) ^ np.uint64(0x9E3779B97F4A7C15))
    return np.uint64(key[0])


def _fingerprint(ends: MessageCounts, motion: np.uint64) -> NDArray[np.uint64]:
    """Two sums of well-mixed hashes: without and with the size."""
    key = _mix(_key(ends) ^ motion)
    sized = _mix(key ^ _unsigned(ends.bytes))
    return np.array([key.sum(dtype=np.uint64), sized.sum(dtype=np.uint64)])


def _key(ends: MessageCounts) -> NDArray[np.uint64]:
    """A 64-bit hash of communicator, source, target and tag: a collision would need billions of distinct keys."""
    key = _mix(np.full(len(ends.source), ends.line.communicator + 1, np.uint64))
    for column in (ends.source, ends.target, ends.tag):
        key = _mix(key ^ _unsigned(column))
    return key


def _unsigned(column: Int64s) -> NDArray[np.uint64]:
    return np.ascontiguousarray(column).view(np.uint64)


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """SplitMix64's finaliser."""
    with np.errstate(over="ignore"):
        values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """All message ends, and the distinct (communicator, target, source, tag) among them."""

    every: list[MessageCounts]
    which: Int64s  # per end: its distinct key
    first: Int64s  # per key: the first end that has it
    line: Int64s  # per end: index into `every`
    source: Int64s
    target: Int64s
    tag: Int64s
    size: Int64s
    times: Int64s
    sent: NDArray[np.bool_]

    @classmethod
    def of(cls, every: list[MessageCounts]) -> _Table:
        _, first, which = np.unique(
            np.concatenate([_key(ends) for ends in every]), return_index=True, return_inverse=True
        )
        lengths = [len(ends.source) for ends in every]
        source, target, tag, size = (
            np.concatenate([getattr(ends, name) for ends in every])
            for name in ("source", "target", "tag", "bytes")
        )
        times = np.repeat([ends.times for ends in every], lengths)
        sent = np.repeat([ends.sent for ends in every], lengths)
        return cls(
            every,
            which,
            first,
            np.repeat(np.arange(len(every)), lengths),
            source,
            target,
            tag,
            size,
            times,
            sent,
        )

    def totals(self, ends: NDArray[np.bool_]) -> Int64s:
        """Messages per distinct key, over the ends chosen."""
        return np.bincount(self.which[ends], self.times[ends], len(self.first)).astype(np.int64)


def _match_in_detail(application: Application, groups: list[Groups]) -> None:
    """Counts per (communicator, target, source, tag); receives from anyone take what exact ones leave over."""
    table = _Table.of(list(messages(application, groups)))
    sends, receives = table.totals(table.sent), table.totals(~table.sent)
    wild = (table.source[table.first] == ANY) | (table.tag[table.first] == ANY)
    communicator = np.array([ends.line.communicator for ends in table.every])[table.line[table.first]]
    place = communicator * application.ranks + table.target[table.first]
    _, place = np.unique(place, return_inverse=True)
    left, taken = (
        np.bincount(place, counts)[place].astype(np.int64)
        for counts in (np.where(wild, 0, sends - receives), np.where(wild, receives, 0))
    )

    _refuse_first(table, ~wild & (receives > sends), (sends, receives), sent=False)
    for open_end in (table.tag, table.source):  # from a known rank with any tag; from anyone with a known tag
        named = table.source if open_end is table.tag else table.tag
        half = wild & (named[table.first] != ANY)
        family = _numbered(place, named[table.first])
        left_of, taken_of = (
            np.bincount(family, counts)[family].astype(np.int64)
            for counts in (np.where(wild, 0, sends - receives), np.where(half, receives, 0))
        )
        _refuse_first(table, half & (taken_of > left_of), (left_of, taken_of), sent=False)
    _refuse_first(table, wild & (taken > left), (left, taken), sent=False)
    _refuse_first(table, ~wild & (left > taken) & (sends > receives), (sends, receives), sent=True)
    _check_sizes(table)


def _numbered(one: Int64s, other: Int64s) -> Int64s:
    """A number for every distinct pair."""
    pairs = np.unique(np.stack((one, other), axis=1), axis=0, return_inverse=True)
    return np.asarray(pairs[1], np.int64).reshape(-1)


def _refuse_first(
    table: _Table, bad: NDArray[np.bool_], counts: tuple[Int64s, Int64s], *, sent: bool
) -> None:
    """Raise for the earliest operation among the ends on that side whose key is bad; counts are by key."""
    ends = np.flatnonzero(bad[table.which] & (table.sent == sent))
    if not len(ends):
        return
    index = np.array([messages.line.index for messages in table.every])[table.line[ends]]
    rank = (table.source if sent else table.target)[ends]
    end = ends[np.lexsort((rank, index))[0]]
    key = table.which[end]
    source, target, tag = int(table.source[end]), int(table.target[end]), int(table.tag[end])
    who = "any rank" if source == ANY else f"rank {source}"
    what = "any tag" if tag == ANY else f"tag {tag}"
    line = table.every[int(table.line[end])].line
    raise WorkloadError(
        f"unmatched messages from {who} to rank {target} with {what}: {counts[0][key]} sent, "
        f"{counts[1][key]} received",
        at=line.place(source if sent else target),
        source=line.application.name,
    )


def _check_sizes(table: _Table) -> None:
    """A receive that names a size takes no message larger than it."""
    sent, which, size = table.sent, table.which, table.size
    largest = np.zeros(len(table.first), np.int64)
    np.maximum.at(largest, which[sent], size[sent])
    room = np.zeros(len(table.first), np.int64)
    np.maximum.at(room, which[~sent], size[~sent])
    unbounded = np.ones(len(table.first), bool)
    unbounded[which[~sent]] = False
    unbounded[which[~sent & (size == 0)]] = True
    small = np.flatnonzero(~unbounded & (largest > room))
    if len(small):
        end = int(np.flatnonzero((which == small[0]) & sent & (size == largest[small[0]]))[0])
        line = table.every[int(table.line[end])].line
        raise WorkloadError(
            f"rank {table.source[end]} sends a message of {size[end]} bytes to rank {table.target[end]}, "
            f"which receives messages of at most {room[small[0]]} bytes from rank {table.source[end]}",
            at=line.place(int(table.source[end])),
            source=line.application.name,
        )
