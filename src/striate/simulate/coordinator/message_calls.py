"""Messages of ranks: sends, receives and probes."""

from __future__ import annotations

from collections.abc import Sequence

from striate.errors import WorkloadError
from striate.simulate.coordinator.estimate import TimeEstimate
from striate.simulate.coordinator.file_calls import FileCalls
from striate.simulate.coordinator.matching import Matching, Message, PostedReceive
from striate.simulate.coordinator.ranks import CommGroup, PendingCall, RankState
from striate.simulate.coordinator.recorder import communicator_name
from striate.simulate.coordinator.waits import message_words
from striate.simulate.wire import ANY, BLOCKING, Channel, GroupId, RankSettings
from striate.units import counted
from striate.workload import operations
from striate.workload.kinds import ANY as ANYONE
from striate.workload.kinds import Kind


class MessageCalls(FileCalls):
    """Messages meet receives in the order of their estimated arrival."""

    def __init__(self, channels: Sequence[Channel], settings: RankSettings, estimate: TimeEstimate) -> None:
        super().__init__(channels, settings, estimate)
        self._matching = Matching(self._meet)
        self._last_arrival: dict[tuple[GroupId, int, int], float] = {}

    def expect_no_messages(self) -> None:
        """Refuse messages that nobody received."""
        left = self._matching.left()
        if left:
            (group, receiver), message = left[0]
            members = self.groups[group].members
            raise WorkloadError(
                f"expected a receive for every message, got {counted(len(left), 'message')} without a receive; "
                f"the first is from rank {members[message.source]} to rank {members[receiver]} with tag {message.tag}"
            )

    def arrival(self, between: tuple[GroupId, int, int], travel: float) -> float:
        """When something sent now is there; what one rank sends another does not overtake."""
        found = max(self.now + travel, self._last_arrival.get(between, 0.0))
        self._last_arrival[between] = found
        return found

    def _send(
        self,
        state: RankState,
        group: CommGroup,
        dest: int,
        tag: int,
        content: bytes,
        pending: PendingCall,
        synchronous: bool,
    ) -> None:
        """Start a message; `pending` is over at once where it is short."""
        source = group.position[state.number]
        long = synchronous or len(content) > self.settings.eager_bytes
        message = Message(source, tag, content, pending if long else None)
        travel = self.estimate.latency if long else self.estimate.message(len(content))
        arrival = self.arrival((group.id, source, dest), travel)
        self.at(arrival, lambda: self._matching.arrive((group.id, dest), message))
        if not long:
            pending.done_at = self.now

    def _meet(self, message: Message, receive: PostedReceive) -> None:
        """A message has found its receive, or a probe."""
        if receive.probes:
            return self.complete(receive.pending, self.now, message.seen())
        end = self.now
        if message.send is not None:
            end += self.estimate.message(len(message.content))
            self.complete(message.send, end)
        operation = receive.pending.operation
        if operation is not None:
            found = (message.source, message.tag, len(message.content))
            given = operation.operands
            operation.operands = (
                (*given[:3], *found) if operation.kind is Kind.SENDRECV else (*found, *given[3:])
            )
        return self.complete(receive.pending, end, message.taken())

    def on_send(
        self,
        state: RankState,
        group_id: GroupId,
        dest: int,
        tag: int,
        content: bytes,
        synchronous: bool,
        handle: int,
    ) -> None:
        group = self.groups[group_id]
        verbs = (operations.send, operations.isend, operations.ssend, operations.issend)
        verb = verbs[2 * synchronous + (handle != BLOCKING)]
        operation = verb(dest, len(content), tag=tag, comm=communicator_name(group))
        self.recorder.add(state.number, operation)
        words = message_words("Ssend" if synchronous else "Send", group.members[dest], tag, sends=True)
        pending = PendingCall(state.number, words, operation)
        self._send(state, group, dest, tag, content, pending, synchronous)
        if handle != BLOCKING:
            state.pending[handle] = pending
        elif not state.calls:
            self.wait_for_one(state, pending)

    def on_recv(
        self, state: RankState, group_id: GroupId, source: int, tag: int, room: int, handle: int
    ) -> None:
        group = self.groups[group_id]
        verb = operations.recv if handle == BLOCKING else operations.irecv
        operation = verb(ANYONE if source == ANY else source, 0, tag=tag, comm=communicator_name(group))
        self.recorder.add(state.number, operation)
        pending = PendingCall(state.number, self._receive_words("Recv", group, source, tag), operation)
        self._post(state, group, PostedReceive(source, tag, pending))
        if handle != BLOCKING:
            state.pending[handle] = pending
        else:
            self.wait_for_one(state, pending)

    def on_sendrecv(
        self,
        state: RankState,
        group_id: GroupId,
        dest: int,
        tag: int,
        content: bytes,
        source: int,
        source_tag: int,
        room: int,
    ) -> None:
        group = self.groups[group_id]
        operation = operations.sendrecv(
            dest,
            len(content),
            source=source,
            receive_size=0,
            tag=tag,
            source_tag=source_tag,
            comm=communicator_name(group),
        )
        self.recorder.add(state.number, operation)
        words = message_words("Sendrecv", group.members[dest], tag, sends=True)
        out = PendingCall(state.number, words)
        into = PendingCall(
            state.number, self._receive_words("Sendrecv", group, source, source_tag), operation
        )
        self._post(state, group, PostedReceive(source, source_tag, into))
        self._send(state, group, dest, tag, content, out, False)
        self.wait(state, [into, out], "all", lambda done: into.result)

    def _receive_words(self, call: str, group: CommGroup, source: int, tag: int) -> str:
        return message_words(call, source if source == ANY else group.members[source], tag, sends=False)

    def _post(self, state: RankState, group: CommGroup, receive: PostedReceive) -> None:
        if receive.source == ANY and len(group.members) > 1 and not receive.probes:
            self.recorder.any_source += 1
        self._matching.post((group.id, group.position[state.number]), receive)

    def on_probe(self, state: RankState, group_id: GroupId, source: int, tag: int, waits: bool) -> None:
        group = self.groups[group_id]
        if waits:
            pending = PendingCall(state.number, self._receive_words("Probe", group, source, tag))
            self._post(state, group, PostedReceive(source, tag, pending, probes=True))
            return self.wait_for_one(state, pending)
        message = self._matching.look((group.id, group.position[state.number]), source, tag)
        if message is None:
            return self.nap(state)
        return self.answer(state, self.now, message.seen())
