"""One-sided communication of ranks: accesses reach into memory at their estimated arrival, epochs complete them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from striate.simulate.coordinator.estimate import TimeEstimate
from striate.simulate.coordinator.matching import PostedReceive
from striate.simulate.coordinator.neighbour_calls import NeighbourCalls
from striate.simulate.coordinator.ranks import CommGroup, PendingCall, RankState
from striate.simulate.coordinator.recorder import communicator_name
from striate.simulate.coordinator.windows import OpenAccess, WindowStates
from striate.simulate.wire import Channel, GroupId, RankSettings, Reach
from striate.workload import operations
from striate.workload.kinds import COMPLETE_TAG, POST_TAG
from striate.workload.operations import Operation, Several


class WindowCalls(NeighbourCalls):
    """A window has a communicator of its own, which names it."""

    def __init__(self, channels: Sequence[Channel], settings: RankSettings, estimate: TimeEstimate) -> None:
        super().__init__(channels, settings, estimate)
        self._windows = WindowStates()

    def _window(self, state: RankState, group_id: GroupId) -> tuple[CommGroup, int, str]:
        group = self.groups[group_id]
        return group, group.position[state.number], communicator_name(group)

    def _write_down(self, state: RankState, listed: Operation | Several) -> None:
        for operation in listed if isinstance(listed, Several) else (listed,):
            self.recorder.add(state.number, operation)

    # ---- accesses

    def on_access(
        self,
        state: RankState,
        group_id: GroupId,
        target: int,
        errand: int,
        reach: Reach,
        number: int,
        later: bool,
    ) -> None:
        """Begin an access; `later` says that the rank may wait for it by its number."""
        group, origin, comm = self._window(state, group_id)
        listed = access_operations(reach, target, comm, later=later)
        self._write_down(state, listed)
        arrival = self.arrival((group_id, origin, target), self.estimate.message(len(reach.content)))
        back = arrival + self.estimate.message(reach.size if reach.returns else 0)
        left = self.now + self.estimate.message(len(reach.content)) - self.estimate.latency
        access = OpenAccess(number, target, left, back, b"" if reach.returns else None)
        self._windows.begin(group_id, origin, access)
        pending = PendingCall(
            state.number, f"an access of rank {group.members[target]}", listed.operations[-1]
        )

        def reached() -> None:
            found = self.errand(group.members[target], "an access of a window", errand, reach)
            if reach.returns:
                access.content = found

        self.at(arrival, reached)
        if later:
            state.pending[number] = pending
            over = back if reach.returns else left
            self.at(over, lambda: self.complete(pending, over, access.content))

    def _when_quiet(
        self,
        state: RankState,
        group_id: GroupId,
        target: int | None,
        then: Callable[[dict[int, bytes]], None],
        *,
        local: bool = False,
    ) -> None:
        """Go on when the rank's accesses are over, with what they have brought."""
        origin = self.groups[group_id].position[state.number]
        when = self._windows.quiet_at(group_id, origin, target, local=local)
        self.at(when, lambda: then(self._windows.end(group_id, origin, target, local=local)))

    # ---- epochs

    def on_fence(self, state: RankState, group_id: GroupId, kind: str) -> None:
        """All ranks of the window meet when their accesses are done: a fence, or the end of the window."""
        group, _, comm = self._window(state, group_id)
        listed = operations.win_fence(comm=comm).operations
        self._when_quiet(state, group_id, None, lambda found: self.join(state, group, kind, found, listed))

    def on_win_flush(self, state: RankState, group_id: GroupId, target: int | None, local: bool) -> None:
        _, _, comm = self._window(state, group_id)
        verb = operations.win_flush_local if local else operations.win_flush
        self._write_down(state, verb(operations.ANY if target is None else target, comm=comm))
        self._when_quiet(
            state, group_id, target, lambda found: self.answer(state, self.now, found), local=local
        )

    def on_win_sync(self, state: RankState) -> None:
        """Orders the rank's own accesses; a program that repeats it waits for those of others."""
        self.pause(state)

    def on_win_lock(self, state: RankState, group_id: GroupId, target: int, exclusive: bool) -> None:
        group, _, comm = self._window(state, group_id)
        self._write_down(state, operations.win_lock(target, exclusive=exclusive, comm=comm))
        self.wait_for_one(state, self._asked_for(state, group, target, exclusive))

    def on_win_lock_all(self, state: RankState, group_id: GroupId) -> None:
        """A shared lock of every rank's memory, which costs nothing to begin."""
        group = self.groups[group_id]
        asked = [self._asked_for(state, group, target, False) for target in range(len(group.members))]
        self.wait(state, asked, "all", lambda done: None)

    def _asked_for(self, state: RankState, group: CommGroup, target: int, exclusive: bool) -> PendingCall:
        lock = self._windows.lock(group.id, target)
        pending = PendingCall(state.number, f"Win.Lock of rank {group.members[target]}")
        granted = lambda: self.complete(pending, self.now + self.estimate.latency)  # noqa: E731
        self.at(self.now + self.estimate.latency, lambda: lock.ask(exclusive, granted))
        return pending

    def on_win_unlock(self, state: RankState, group_id: GroupId, target: int) -> None:
        _, _, comm = self._window(state, group_id)
        self._write_down(state, operations.win_unlock(target, comm=comm))
        self._when_quiet(state, group_id, target, partial(self._given_back, state, group_id, [target]))

    def on_win_unlock_all(self, state: RankState, group_id: GroupId) -> None:
        group, _, comm = self._window(state, group_id)
        self._write_down(state, operations.win_unlock_all(comm=comm))
        self._when_quiet(
            state, group_id, None, partial(self._given_back, state, group_id, range(len(group.members)))
        )

    def _given_back(
        self, state: RankState, group_id: GroupId, targets: Sequence[int], found: dict[int, bytes]
    ) -> None:
        there = self.now + self.estimate.latency
        for target in targets:
            self.at(there, self._windows.lock(group_id, target).release)
        self.answer(state, there + self.estimate.latency, found)

    # ---- epochs of some ranks: post and start, complete and wait

    def on_win_post(self, state: RankState, group_id: GroupId, origins: list[int]) -> None:
        group, _, comm = self._window(state, group_id)
        self._write_down(state, operations.win_post(origins, comm=comm))
        self._tell(state, group, origins, POST_TAG)

    def on_win_start(self, state: RankState, group_id: GroupId, targets: list[int]) -> None:
        group, _, comm = self._window(state, group_id)
        self._write_down(state, operations.win_start(targets, comm=comm))
        self._hear(state, group, targets, POST_TAG, "Win.Start")

    def on_win_complete(self, state: RankState, group_id: GroupId, targets: list[int]) -> None:
        group, _, comm = self._window(state, group_id)
        self._write_down(state, operations.win_complete(targets, comm=comm))

        def told(found: dict[int, bytes]) -> None:
            self._tell(state, group, targets, COMPLETE_TAG)
            self.answer(state, self.now, found)

        self._when_quiet(state, group_id, None, told)

    def on_win_wait(self, state: RankState, group_id: GroupId, origins: list[int]) -> None:
        group, _, comm = self._window(state, group_id)
        self._write_down(state, operations.win_wait(origins, comm=comm))
        self._hear(state, group, origins, COMPLETE_TAG, "Win.Wait")

    def on_win_test(self, state: RankState, group_id: GroupId, origins: list[int]) -> None:
        """As a wait when all origins have completed their epochs; None to the rank otherwise."""
        _, mine, _ = self._window(state, group_id)
        if all(self._matching.look((group_id, mine), origin, COMPLETE_TAG) for origin in origins):
            return self.on_win_wait(state, group_id, origins)
        return self.nap(state)

    def _tell(self, state: RankState, group: CommGroup, peers: Sequence[int], tag: int) -> None:
        for peer in peers:
            self._send(state, group, peer, tag, b"", PendingCall(state.number, "Win.Post"), False)

    def _hear(self, state: RankState, group: CommGroup, peers: Sequence[int], tag: int, call: str) -> None:
        heard = [
            PendingCall(state.number, f"{call}, for which rank {group.members[peer]} did not come")
            for peer in peers
        ]
        for peer, pending in zip(peers, heard, strict=True):
            self._post(state, group, PostedReceive(peer, tag, pending))
        if heard:
            self.wait(state, heard, "all", lambda done: True)
        else:
            self.answer(state, self.now, True)


def access_operations(reach: Reach, target: int, comm: str, *, later: bool) -> Several:
    """An access as it is simulated; one that brings what was there and changes it takes data both ways."""
    listed = []
    if reach.returns and reach.kind != "get":
        listed.append(operations.accumulate(target, reach.size, comm=comm))
    kind = "get" if reach.returns else reach.kind
    verb = getattr(operations, "r" * later + kind)
    return Several((*listed, verb(target, reach.size, comm=comm)))
