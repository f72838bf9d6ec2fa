"""A collective as data: what each rank of a group sends and receives, step by step.

A rank walks through its steps in order. A step computes its instructions, starts all its actions in the order they
are listed, and is over when all of them are complete: a send when the message has left, a receive when it is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from striate.collectives.tally import Tally
from striate.errors import StriateError

SEND, RECV = 0, 1

# (sender, receiver, tag) -> the pieces of data in that message
Carries = Callable[[int, int, int], Iterable[int]]
Indices = NDArray[np.int64]


class ScheduleError(StriateError, ValueError):
    """A schedule whose messages do not fit together, or that cannot exist for this group."""


@dataclass(frozen=True, eq=False)
class CollectiveSchedule:
    """The steps of all ranks of a group, rank after rank, in columns.

    Rank r owns steps `first_step[r]` to `first_step[r + 1]`, step s the actions `first_action[s]` to
    `first_action[s + 1]`. `peer` is a position in the group, `bytes` the payload. `carries`, where known, tells
    which pieces of data a message holds; it is for checks and takes no simulated time.
    """

    first_step: Indices
    first_action: Indices
    action: NDArray[np.uint8]
    peer: NDArray[np.int32]
    bytes: NDArray[np.int64]
    tag: NDArray[np.int32]
    instructions: Indices
    carries: Carries | None = None

    @property
    def size(self) -> int:
        """Ranks in the group."""
        return len(self.first_step) - 1

    @property
    def rank_of_step(self) -> NDArray[np.int32]:
        return np.repeat(np.arange(self.size, dtype=np.int32), np.diff(self.first_step))

    @property
    def step_of_action(self) -> Indices:
        return np.repeat(np.arange(len(self.instructions)), np.diff(self.first_action))

    @property
    def rank_of_action(self) -> NDArray[np.int32]:
        return self.rank_of_step[self.step_of_action]

    def steps(self, rank: int) -> list[list[tuple[int, int, int, int]]]:
        """The steps of one rank as lists of (action, peer, bytes, tag): for reading and for slow twins."""
        first = self.first_action[self.first_step[rank] : self.first_step[rank + 1] + 1]
        mine = slice(first[0], first[-1])
        columns = (self.action[mine], self.peer[mine], self.bytes[mine], self.tag[mine])
        rows = list(zip(*(column.tolist() for column in columns), strict=True))
        starts = (first - first[0]).tolist()
        return [rows[low:high] for low, high in pairwise(starts)]

    def with_header(self, header_bytes: int) -> CollectiveSchedule:
        """The same schedule with every message longer by what the library puts before the data."""
        return replace(self, bytes=self.bytes + header_bytes)

    def tally(self) -> Tally:
        """What each rank sends, receives and computes in all."""
        rank, sends = self.rank_of_action, self.action == SEND
        found = Tally.zeros(self.size)
        found.add_messages(rank[sends], self.bytes[sends], sent=True)
        found.add_messages(rank[~sends], self.bytes[~sends], sent=False)
        found.add_instructions(self.rank_of_step, self.instructions)
        return found

    def check(self) -> CollectiveSchedule:
        """This schedule, if every send has its receive with the same tag and bytes; else ScheduleError."""
        rank = self.rank_of_action
        stray = np.flatnonzero((self.peer < 0) | (self.peer >= self.size) | (self.peer == rank))
        if stray.size:
            _refuse(
                self,
                int(stray[0]),
                f"names peer {self.peer[stray[0]]}: expected another rank from 0 to {self.size - 1}",
            )
        least = min(self.bytes.min(initial=0), self.instructions.min(initial=0))
        if least < 0:
            raise ScheduleError(
                "expected numbers of bytes and instructions of 0 or more in a schedule (prepared messages of a "
                f"collective), got {least}"
            )
        self._check_pairs(rank)
        return self

    def _check_pairs(self, rank: NDArray[np.int32]) -> None:
        sends, receives = np.flatnonzero(self.action == SEND), np.flatnonzero(self.action == RECV)
        # Messages of one pair and tag meet in the order they were listed: lexsort is stable.
        sends = sends[np.lexsort((self.tag[sends], self.peer[sends], rank[sends]))]
        receives = receives[np.lexsort((self.tag[receives], rank[receives], self.peer[receives]))]
        common = min(len(sends), len(receives))
        left, right = sends[:common], receives[:common]
        differs = (
            (rank[left] != self.peer[right])
            | (self.peer[left] != rank[right])
            | (self.tag[left] != self.tag[right])
            | (self.bytes[left] != self.bytes[right])
        )
        if differs.any():
            _refuse(self, int(left[np.argmax(differs)]), "has no receive with the same tag and bytes")
        if len(sends) != len(receives):
            rest = sends if len(sends) > common else receives
            _refuse(self, int(rest[common]), "has no matching call on its peer")


def _refuse(schedule: CollectiveSchedule, action: int, why: str) -> None:
    kind = "send" if schedule.action[action] == SEND else "receive"
    rank, step = schedule.rank_of_action[action], schedule.step_of_action[action]
    message = f"a {kind} of {schedule.bytes[action]} bytes, tag {schedule.tag[action]}, {why}"
    raise ScheduleError(message, at=f"rank {rank}, step {step - schedule.first_step[rank]}")


def arrange(
    size: int,
    rank_of_step: NDArray[np.int32],
    instructions: Indices,
    step_of_action: Indices,
    columns: Sequence[NDArray[np.generic]],
) -> CollectiveSchedule:
    """The schedule of steps listed in any order of ranks; steps of a rank and actions of a step keep their order."""
    order = np.argsort(rank_of_step, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    step = place[step_of_action]
    sequence = np.argsort(step, kind="stable")
    action, peer, size_bytes, tag = (column[sequence] for column in columns)
    return CollectiveSchedule(
        first_step=_starts(rank_of_step, size),
        first_action=_starts(step, len(order)),
        action=action.astype(np.uint8),
        peer=peer.astype(np.int32),
        bytes=size_bytes.astype(np.int64),
        tag=tag.astype(np.int32),
        instructions=instructions[order].astype(np.int64),
    )


def _starts(owner: NDArray[np.integer], count: int) -> Indices:
    starts = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(owner, minlength=count), out=starts[1:])
    return starts
