"""Neighbourhood collectives of ranks: a receive and a send for each neighbour, all in flight at once."""

from __future__ import annotations

from striate.simulate.coordinator.matching import PostedReceive
from striate.simulate.coordinator.message_calls import MessageCalls
from striate.simulate.coordinator.ranks import JointCall, PendingCall, RankState
from striate.simulate.coordinator.recorder import communicator_name
from striate.simulate.wire import BLOCKING, GroupId
from striate.workload import operations
from striate.workload.kinds import NEIGHBOUR_TAG


class NeighbourCalls(MessageCalls):
    """Their messages are never received by other calls."""

    def on_neighbours(
        self,
        state: RankState,
        group_id: GroupId,
        sources: list[int],
        destinations: list[int],
        contents: list[bytes],
        handle: int,
    ) -> None:
        """Send each content to its destination; the result is what the sources sent, in their order."""
        group, blocking = self.groups[group_id], handle == BLOCKING
        listed = operations.neighbor_alltoallv(
            [len(content) for content in contents],
            destinations,
            sources=sources,
            comm=communicator_name(group),
            blocking=blocking,
        )
        for operation in listed:
            self.recorder.add(state.number, operation)
        into = [PendingCall(state.number, _words("from", group.members[source])) for source in sources]
        for source, pending in zip(sources, into, strict=True):
            self._post(state, group, PostedReceive(source, NEIGHBOUR_TAG, pending))
        out = [PendingCall(state.number, _words("to", group.members[peer])) for peer in destinations]
        for peer, content, pending in zip(destinations, contents, out, strict=True):
            self._send(state, group, peer, NEIGHBOUR_TAG, content, pending, False)
        whole = JointCall(into, out, None if blocking else listed)
        if not blocking:
            state.pending[handle] = whole
        elif into or out:
            self.wait(state, [*into, *out], "all", lambda done: whole.result)
        else:
            self.answer(state, self.now, [])


def _words(direction: str, rank: int) -> str:
    return f"a neighbourhood collective {direction} rank {rank}"
