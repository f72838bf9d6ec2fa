"""A rank as the coordinator sees it, and what it may be waiting for."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from striate.simulate.wire import GroupId, RankCall
from striate.workload.operations import Operation, Several


@dataclass(frozen=True, slots=True)
class CommGroup:
    """A communicator: the members' world ranks, in the order of its own ranks."""

    id: GroupId
    members: tuple[int, ...]
    position: dict[int, int]  # world rank -> its own rank

    @classmethod
    def of(cls, id_: GroupId, members: tuple[int, ...]) -> CommGroup:
        return cls(id_, members, {rank: at for at, rank in enumerate(members)})

    @property
    def family(self) -> str:
        return self.id[0]


@dataclass(slots=True, eq=False)
class PendingCall:
    """Something that a rank has begun and will wait for."""

    rank: int
    what: str  # for the report of a deadlock: "Recv from rank 3, tag 5"
    operation: Operation | None = None  # as it was written down
    done_at: float | None = None
    result: Any = None


@dataclass(slots=True, eq=False)
class JointCall:
    """Several messages that a rank waits for as one call; the result are the contents that came."""

    received: list[PendingCall]
    sent: list[PendingCall]
    operation: Several | None  # as it was written down

    @property
    def _all(self) -> list[PendingCall]:
        return [*self.received, *self.sent]

    @property
    def what(self) -> str:
        return next((one.what for one in self._all if one.done_at is None), "")

    @property
    def done_at(self) -> float | None:
        times = [one.done_at for one in self._all]
        known = [time for time in times if time is not None]
        return max(known, default=0.0) if len(known) == len(times) else None

    @property
    def result(self) -> list[bytes]:
        return [one.result.content for one in self.received]


AnyCall = PendingCall | JointCall


@dataclass(slots=True, eq=False)
class Waiting:
    """A rank waits until all, or any, of its calls in flight are over."""

    pending: Sequence[AnyCall]
    mode: str  # all, any, some
    answer: Callable[[list[AnyCall]], Any]


@dataclass(slots=True, eq=False)
class RankState:
    """One rank's place in its program."""

    number: int
    clock: float = 0.0
    calls: deque[RankCall] = field(default_factory=deque)  # made, and not yet carried out
    pending: dict[int, AnyCall] = field(default_factory=dict)  # by handle
    waiting: Waiting | None = None
    place: str = ""  # the line of the program that made the last call
    over: bool = False
    fruitless: int = 0  # tests and probes in a row that found nothing
    meetings: dict[GroupId, int] = field(default_factory=dict)  # collective calls so far, per communicator
