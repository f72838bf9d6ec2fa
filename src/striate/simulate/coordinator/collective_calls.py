"""Collective calls of ranks, and the making of communicators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from striate.errors import WorkloadError
from striate.simulate.coordinator import written
from striate.simulate.coordinator.estimate import TimeEstimate
from striate.simulate.coordinator.meetings import Joined, Meeting, results, spoken
from striate.simulate.coordinator.ranks import CommGroup, PendingCall, RankState
from striate.simulate.coordinator.recorder import communicator_name
from striate.simulate.coordinator.scheduler import Scheduler
from striate.simulate.coordinator.waits import ranks_words
from striate.simulate.wire import (
    BLOCKING,
    NO_ROOT,
    SELF,
    WORLD_GROUP,
    Channel,
    GroupId,
    RankSettings,
)
from striate.workload.operations import Operation


class CollectiveCalls(Scheduler):
    """Members of a communicator meet in the order of their calls."""

    def __init__(self, channels: Sequence[Channel], settings: RankSettings, estimate: TimeEstimate) -> None:
        super().__init__(channels, settings, estimate)
        everyone = tuple(range(settings.ranks))
        self.groups: dict[GroupId, CommGroup] = {WORLD_GROUP: CommGroup.of(WORLD_GROUP, everyone)}
        self.groups |= {(SELF, rank): CommGroup.of((SELF, rank), (rank,)) for rank in everyone}
        self._meetings: dict[tuple[GroupId, int], Meeting] = {}
        self._made = 0  # families of communicators

    def expect_no_meetings(self) -> None:
        """Refuse a program that is over while members of a call have not come."""
        for meeting in self._meetings.values():
            raise WorkloadError(
                f"{ranks_words(meeting.missing)} never called {spoken(meeting.kind)}", at=meeting.first_place
            )

    def on_collective(
        self,
        state: RankState,
        group_id: GroupId,
        kind: str,
        root: int,
        given: Any,
        combiner: int,
        pickled: bool,
        handle: int,
    ) -> None:
        group = self.groups[group_id]
        name, members = communicator_name(group), len(group.members)
        listed = written.begun(
            kind, root, given, name, pickled=pickled, blocking=handle == BLOCKING, members=members
        )
        self.join(state, group, kind, given, listed, root=root, combiner=combiner, handle=handle)

    def on_make(self, state: RankState, group_id: GroupId, how: str, color: int, key: int) -> None:
        group = self.groups[group_id]
        listed = written.made(how, communicator_name(group))
        self.join(state, group, "make", (how, color, key), listed)

    def join(
        self,
        state: RankState,
        group: CommGroup,
        kind: str,
        given: Any,
        listed: tuple[Operation, ...],
        *,
        root: int = NO_ROOT,
        combiner: int = 0,
        handle: int = BLOCKING,
    ) -> None:
        """The rank comes to the next collective call of the communicator, and waits where it has to."""
        for operation in listed:
            self.recorder.add(state.number, operation)
        number = state.meetings.get(group.id, 0)
        state.meetings[group.id] = number + 1
        meeting = self._meetings.get((group.id, number))
        if meeting is None:
            meeting = Meeting(group, kind, root, number, state.place)
            self._meetings[group.id, number] = meeting
        else:
            meeting.expect_same(kind, root, state.number, state.place)
        pending = PendingCall(state.number, spoken(kind), listed[-1] if handle != BLOCKING else None)
        position = group.position[state.number]
        meeting.joined[position] = Joined(state.number, given, pending, listed, combiner, state.place)
        if handle != BLOCKING:
            state.pending[handle] = pending
        else:
            self.wait_for_one(state, pending)
        self._advance(meeting)

    def _advance(self, meeting: Meeting) -> None:
        """Give results to members for whom all is there."""
        ready = meeting.ready()
        if ready:
            kind = meeting.kind
            of = self._communicators(meeting) if kind == "make" else results(meeting, self._combined)
            cost = self._cost(meeting)
            for at in ready:
                meeting.released.add(at)
                self.complete(meeting.joined[at].pending, self.now + cost, of(at))
        if meeting.is_full:
            written.fill_sizes(meeting)
            del self._meetings[meeting.group.id, meeting.number]
            for at in meeting.joined:  # contents are not needed any more
                meeting.joined[at].given = None
            return
        words = f"{spoken(meeting.kind)}, to which {ranks_words(meeting.missing)} did not come"
        for one in meeting.joined.values():
            one.pending.what = words

    def _cost(self, meeting: Meeting) -> float:
        members = len(meeting.group.members)
        if meeting.kind == "file_access":
            size = sum(one.given for one in meeting.joined.values())
            return self.estimate.access(size)
        if meeting.kind in ("open", "close", "sync"):
            return self.estimate.access(0)
        sizes = [_size(one.given) for one in meeting.joined.values()]
        return self.estimate.collective(meeting.kind, members, max(sizes, default=0) // _parts(meeting))

    def _combined(self, meeting: Meeting, parts: Sequence[bytes], prefixes: bool) -> Any:
        """Reduce by the program's own operation, on a member that has not got its result and is still there."""
        for at, one in meeting.joined.items():
            if at not in meeting.released and not self.states[one.rank].over:
                return self.errand(
                    one.rank, "the operation of a reduction", one.combiner, list(parts), prefixes
                )
        return parts if prefixes else parts[0]

    def _communicators(self, meeting: Meeting) -> Any:
        """The groups of one call, by colour, in the order of keys."""
        how = meeting.joined[0].given[0]
        self._made += 1
        family = f"{how} {self._made}"
        told: dict[int, list[tuple[int, int, int]]] = {}
        for at, one in meeting.joined.items():
            _, color, key = one.given
            if color >= 0:
                told.setdefault(color, []).append((key, at, one.rank))
        made = {}
        for number, color in enumerate(sorted(told)):
            members = tuple(rank for _, _, rank in sorted(told[color]))
            made[color] = CommGroup.of((family, number), members)
            self.groups[made[color].id] = made[color]
        self.recorder.family(made.values())
        answers = {
            at: (made[one.given[1]].id, made[one.given[1]].members) if one.given[1] >= 0 else None
            for at, one in meeting.joined.items()
        }
        return lambda at: answers[at]


def _size(given: Any) -> int:
    if isinstance(given, bytes):
        return len(given)
    return sum(len(one) for one in given) if isinstance(given, list) else 0


def _parts(meeting: Meeting) -> int:
    """By how many members the largest gift is divided."""
    lists = ("alltoall", "alltoallv", "scatter", "scatterv")
    return len(meeting.group.members) if meeting.kind in lists else 1
