"""Collective calls: who has come, what each gave, and what each gets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from striate.errors import WorkloadError
from striate.simulate.coordinator.ranks import CommGroup, PendingCall
from striate.workload.operations import Operation

FROM_ROOT = frozenset(("bcast", "scatter", "scatterv"))
TO_ROOT = frozenset(("gather", "gatherv", "reduce"))
REDUCTIONS = frozenset(("reduce", "allreduce", "scan", "exscan", "reduce_scatter"))
SPOKEN = {  # kind -> the calls of a program that make it
    "reduce_scatter": "Reduce_scatter",
    "make": "the making of a communicator",
    "open": "File.Open",
    "fence": "Win.Fence",
    "win_free": "Win.Free",
    "file_access": "a collective file access",
}


def spoken(kind: str) -> str:
    """The name of a call as programs write it."""
    return SPOKEN.get(kind, kind.capitalize())


@dataclass(slots=True, eq=False)
class Joined:
    """One member's part in a collective call."""

    rank: int  # in the world
    given: Any
    pending: PendingCall
    operations: tuple[Operation, ...]
    combiner: int
    place: str


@dataclass(slots=True, eq=False)
class Meeting:
    """One collective call of one communicator."""

    group: CommGroup
    kind: str
    root: int
    number: int
    first_place: str
    joined: dict[int, Joined] = field(default_factory=dict)  # by the member's rank in the communicator
    released: set[int] = field(default_factory=set)

    @property
    def is_full(self) -> bool:
        return len(self.joined) == len(self.group.members)

    @property
    def missing(self) -> list[int]:
        """World ranks that have not come."""
        return [rank for at, rank in enumerate(self.group.members) if at not in self.joined]

    def given(self) -> list[Any]:
        """What members gave, in their order."""
        return [self.joined[at].given for at in range(len(self.group.members))]

    def expect_same(self, kind: str, root: int, rank: int, place: str) -> None:
        """Refuse a member that calls something else than those before it."""
        if (kind, root) == (self.kind, self.root):
            return
        first = next(iter(self.joined.values()))
        mine, theirs = spoken(kind), spoken(self.kind)
        if kind == self.kind:
            mine, theirs = f"{mine} with root {root}", f"{theirs} with root {self.root}"
        raise WorkloadError(
            f"expected the same collective call on all ranks, but rank {rank} calls {mine} ({place}) "
            f"and rank {first.rank} calls {theirs} ({first.place})"
        )

    def ready(self) -> list[int]:
        """Members whose results are known, and who have not got them."""
        waiting = [at for at in self.joined if at not in self.released]
        if self.kind in FROM_ROOT:
            return waiting if self.root in self.joined else []
        if self.kind in TO_ROOT:
            return [at for at in waiting if at != self.root or self.is_full]
        return waiting if self.is_full else []


Combined = Callable[[Meeting, Sequence[bytes], bool], Any]


def results(meeting: Meeting, combined: Combined) -> Callable[[int], Any]:
    """What each member gets; asked once all that is needed is there."""
    kind, root, members = meeting.kind, meeting.root, len(meeting.group.members)
    if kind == "open":
        first = meeting.joined[0].given
        return lambda at: first
    if kind in ("fence", "win_free"):  # what a member's own accesses have brought
        return lambda at: meeting.joined[at].given
    if kind == "bcast":
        content = meeting.joined[root].given
        return lambda at: content
    if kind in ("scatter", "scatterv"):
        contents = meeting.joined[root].given
        return lambda at: contents[at]
    if kind in TO_ROOT and not meeting.is_full:
        return lambda at: None
    if kind in ("gather", "gatherv"):
        return lambda at: meeting.given() if at == root else None
    if kind in ("allgather", "allgatherv"):
        return lambda at: meeting.given()
    if kind in ("alltoall", "alltoallv"):
        rows = meeting.given()
        return lambda at: [rows[source][at] for source in range(members)]
    if kind == "reduce_scatter":
        rows = meeting.given()
        parts = [combined(meeting, [row[at] for row in rows], False) for at in range(members)]
        return lambda at: parts[at]
    if kind in ("scan", "exscan"):
        sums = combined(meeting, meeting.given(), True)
        return lambda at: sums[at] if kind == "scan" else (sums[at - 1] if at else None)
    if kind in REDUCTIONS:
        content = combined(meeting, meeting.given(), False)
        return lambda at: content if kind != "reduce" or at == root else None
    return lambda at: None
