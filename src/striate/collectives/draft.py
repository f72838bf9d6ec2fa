"""Writes schedules a whole group at a time: each call adds one step to many ranks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from striate.collectives.schedule import (
    RECV,
    SEND,
    Carries,
    CollectiveSchedule,
    Indices,
    ScheduleError,
    arrange,
)
from striate.collectives.tally import Tally

Ranks = NDArray[np.int32]

INSTRUCTIONS_PER_BYTE = 1  # of a reduction
RANKS_AT_ONCE = 4096

Number = TypeVar("Number", bound=np.integer[Any])


@dataclass(frozen=True, eq=False)
class Actions:
    """The same kind of action of many ranks; `bytes` may be one number for all."""

    kind: int
    rank: Ranks
    peer: Ranks
    bytes: Indices
    tag: int

    def column(self, name: str) -> NDArray[np.integer[Any]]:
        return np.broadcast_to(np.asarray(getattr(self, name)), self.rank.shape)


def send(rank: ArrayLike, peer: ArrayLike, size_bytes: ArrayLike, tag: int = 0) -> Actions:
    """Each of `rank` sends `size_bytes` to the `peer` beside it; a rank named twice sends twice, in this order."""
    return _actions(SEND, rank, peer, size_bytes, tag)


def recv(rank: ArrayLike, peer: ArrayLike, size_bytes: ArrayLike, tag: int = 0) -> Actions:
    """Each of `rank` receives `size_bytes` from the `peer` beside it."""
    return _actions(RECV, rank, peer, size_bytes, tag)


def _actions(kind: int, rank: ArrayLike, peer: ArrayLike, size_bytes: ArrayLike, tag: int) -> Actions:
    ranks = np.atleast_1d(np.asarray(rank, np.int32))
    peers = np.broadcast_to(np.asarray(peer, np.int32), ranks.shape)
    return Actions(kind, ranks, peers, np.asarray(size_bytes, np.int64), tag)


@dataclass(frozen=True, eq=False)
class _Step:
    ranks: Ranks  # ascending
    actions: tuple[Actions, ...]
    instructions: Indices

    def moved(self, tags: int) -> _Step:
        """The same step with its tags moved up."""
        return replace(self, actions=tuple(replace(group, tag=group.tag + tags) for group in self.actions))

    def named(self, ranks: Ranks) -> _Step:
        """The same step of other ranks."""
        actions = tuple(
            replace(group, rank=ranks[group.rank], peer=ranks[group.peer]) for group in self.actions
        )
        return replace(self, ranks=ranks[self.ranks], actions=actions)

    def is_even(self, size: int) -> bool:
        """Whether every rank of the group takes this step and has one action of each kind listed."""
        return len(self.ranks) == size and all(
            len(group.rank) == size and np.array_equal(group.rank, self.ranks) for group in self.actions
        )


class ScheduleDraft:
    """Steps so far. Ranks count from the root: `schedule(root)` turns the group so that 0 becomes the root."""

    def __init__(self, size: int, carries: Carries | None = None) -> None:
        if size < 1:
            raise ScheduleError(f"expected a collective among at least one rank, got {size} ranks")
        self.size = size
        self.everyone: Ranks = np.arange(size, dtype=np.int32)
        self._carries = carries
        self._root = 0
        self._steps: list[_Step] = []

    def turned(self, root: int) -> ScheduleDraft:
        """This draft with rank 0 standing for `root`."""
        if not 0 <= root < self.size:
            raise ScheduleError(f"expected a root from 0 to {self.size - 1}, got {root}")
        self._root = root
        return self

    def among(self, ranks: Ranks, size: int) -> ScheduleDraft:
        """The same for a part of a larger group: rank i becomes `ranks[i]`, ascending, of `size` ranks."""
        whole = ScheduleDraft(size)
        whole._steps = [step.named(ranks) for step in self._steps]
        if (carries := self._carries) is not None:
            number = {int(rank): at for at, rank in enumerate(ranks)}
            whole._carries = lambda sender, receiver, tag: carries(number[sender], number[receiver], tag)
        return whole

    def without_carries(self) -> ScheduleDraft:
        """This draft, when what its messages carry proves nothing."""
        self._carries = None
        return self

    def step(self, *actions: Actions) -> None:
        """One step more for every rank that occurs in `actions`; all of them start together."""
        groups = tuple(group for group in actions if len(group.rank))
        if groups:
            self._steps.append(_Step(_union(groups), groups, np.zeros(1, np.int64)))

    def combine(self, rank: ArrayLike, size_bytes: ArrayLike) -> None:
        """One step more for each of `rank`, ascending: it only combines `size_bytes` it has received with its own."""
        ranks = np.atleast_1d(np.asarray(rank, np.int32))
        if len(ranks):
            instructions = np.asarray(size_bytes, np.int64) * INSTRUCTIONS_PER_BYTE
            self._steps.append(_Step(ranks, (), np.broadcast_to(instructions, ranks.shape)))

    def tally(self) -> Tally:
        """What each rank sends, receives and computes in all, without arranging the steps."""
        found = Tally.zeros(self.size)
        for step in self._steps:
            found.add_instructions(step.ranks, step.instructions)
            for group in step.actions:
                found.add_messages(group.rank, group.bytes, sent=group.kind == SEND)
        return found.rolled(self._root)

    def schedule(self, root: int | None = None) -> CollectiveSchedule:
        """The steps as columns, rank after rank."""
        root = self._root if root is None else self.turned(root)._root
        even = len({len(step.actions) for step in self._steps}) == 1
        if root == 0 and even and all(step.is_even(self.size) for step in self._steps):
            return replace(self._even(), carries=self._carries)
        return replace(self._uneven(root), carries=_turned(self._carries, root, self.size))

    def _last_tag(self) -> int:
        return max((group.tag for step in self._steps for group in step.actions), default=-1)

    def _even(self) -> CollectiveSchedule:
        """Every rank has the same steps with the same kinds of actions: no sorting needed."""
        steps, width = len(self._steps), len(self._steps[0].actions)
        instructions = np.empty((self.size, steps), np.int64)
        for at, step in enumerate(self._steps):
            instructions[:, at] = step.instructions
        return CollectiveSchedule(
            first_step=np.arange(self.size + 1, dtype=np.int64) * steps,
            first_action=np.arange(self.size * steps + 1, dtype=np.int64) * width,
            action=self._interleaved("kind", np.empty((self.size, steps, width), np.uint8)),
            peer=self._interleaved("peer", np.empty((self.size, steps, width), np.int32)),
            bytes=self._interleaved("bytes", np.empty((self.size, steps, width), np.int64)),
            tag=self._interleaved("tag", np.empty((self.size, steps, width), np.int32)),
            instructions=instructions.ravel(),
        )

    def _interleaved(self, name: str, out: NDArray[Number]) -> NDArray[Number]:
        """The actions' column `name`, rank after rank, written block by block to stay in the cache."""
        for low in range(0, self.size, RANKS_AT_ONCE):
            some = slice(low, low + RANKS_AT_ONCE)
            for at, step in enumerate(self._steps):
                for which, group in enumerate(step.actions):
                    out[some, at, which] = group.column(name)[some]
        return out.ravel()

    def _uneven(self, root: int) -> CollectiveSchedule:
        ranks, instructions, owners = [], [], []
        groups: list[Actions] = []
        base = 0
        for step in self._steps:
            ranks.append(step.ranks)
            instructions.append(np.broadcast_to(step.instructions, step.ranks.shape))
            owners += [base + np.searchsorted(step.ranks, group.rank) for group in step.actions]
            groups += step.actions
            base += len(step.ranks)
        names = ("kind", "peer", "bytes", "tag")
        kind, peer, size_bytes, tag = (_chain(group.column(name) for group in groups) for name in names)
        nobody = peer[(peer < 0) | (peer >= self.size)]
        if nobody.size:
            raise ScheduleError(
                f"expected a peer from 0 to {self.size - 1} in a send or receive, got {nobody[0]}"
            )
        return arrange(
            self.size,
            ((_chain(ranks) + root) % self.size).astype(np.int32),
            _chain(instructions).astype(np.int64),
            _chain(owners).astype(np.int64),
            [kind, (peer + root) % self.size, size_bytes, tag],
        )


def _chain(columns: Iterable[NDArray[np.integer[Any]]]) -> NDArray[np.integer[Any]]:
    parts = list(columns)
    return np.concatenate(parts) if parts else np.empty(0, np.int64)


def _union(groups: tuple[Actions, ...]) -> Ranks:
    first = groups[0].rank
    alike = all(group.rank is first or np.array_equal(group.rank, first) for group in groups[1:])
    if alike and (np.diff(first) > 0).all():
        return first
    return np.unique(np.concatenate([group.rank for group in groups]))


def _turned(carries: Carries | None, root: int, size: int) -> Carries | None:
    if carries is None or root == 0:
        return carries
    return lambda sender, receiver, tag: carries((sender - root) % size, (receiver - root) % size, tag)


def join(*parts: ScheduleDraft) -> ScheduleDraft:
    """One draft after the other, of one group and root; tags of later parts move up so that no messages mix."""
    whole = ScheduleDraft(parts[0].size).turned(parts[0]._root)
    if {(part.size, part._root) for part in parts} != {(whole.size, whole._root)}:
        raise ScheduleError(
            "expected drafts (`ScheduleDraft`) of the same number of ranks and the same root, got drafts that differ"
        )
    tags = np.cumsum([0] + [1 + part._last_tag() for part in parts])
    for part, base in zip(parts, tags.tolist(), strict=False):
        whole._steps += [step.moved(base) for step in part._steps]
    whole._carries = _joined_carries(parts, tags)
    return whole


def _joined_carries(parts: tuple[ScheduleDraft, ...], tags: Indices) -> Carries | None:
    if any(part._carries is None for part in parts):
        return None

    def carries(sender: int, receiver: int, tag: int) -> Iterable[int]:
        which = int(np.searchsorted(tags, tag, side="right")) - 1
        part = parts[which]._carries
        assert part is not None
        return part(sender, receiver, tag - int(tags[which]))

    return carries
