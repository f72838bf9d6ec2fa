"""The calls of ranks, all of them: requests, and what a rank does alone, beside those of the other files."""

from __future__ import annotations

import sys
from typing import Any

from striate.errors import WorkloadError
from striate.simulate.coordinator.ranks import AnyCall, PendingCall, RankState
from striate.simulate.coordinator.window_calls import WindowCalls
from striate.simulate.wire import CANCELLED, ReceivedMessage
from striate.workload import operations


class Coordinator(WindowCalls):
    """Every method `on_X` carries out the call X of a rank."""

    def run(self) -> None:
        """Run the program to its end; refuses messages and collective calls that are left over."""
        super().run()
        self.expect_no_meetings()
        self.expect_no_messages()

    # ---- requests

    def on_wait(self, state: RankState, handles: list[int], mode: str) -> None:
        pending = {handle: state.pending[handle] for handle in handles}
        self.wait(state, list(pending.values()), mode, lambda done: self._taken(state, pending, done))

    def on_test(self, state: RankState, handles: list[int], mode: str) -> None:
        pending = {handle: state.pending[handle] for handle in handles}
        done = self.over(list(pending.values()), mode)
        if not done:
            return self.nap(state)
        state.fruitless = 0
        return self.answer(state, self.now, self._taken(state, pending, done))

    def _taken(self, state: RankState, asked: dict[int, AnyCall], done: list[AnyCall]) -> dict[int, Any]:
        """Results by handle; the waits are written down, and the requests forgotten."""
        over = {handle: one.result for handle, one in asked.items() if one in done}
        self.recorder.wait(state.number, [asked[handle].operation for handle in over])
        for handle in over:
            del state.pending[handle]
        return over

    def on_look(self, state: RankState, handle: int) -> None:
        """Whether a request is over, and what came with it; it stays a request."""
        pending = state.pending[handle]
        if not self.over([pending], "all"):
            return self.nap(state)
        came = pending.result
        seen = came._replace(content=b"") if isinstance(came, ReceivedMessage) else came
        return self.answer(state, self.now, (seen,))

    def on_cancel(self, state: RankState, handle: int) -> None:
        """A receive that no message has met is over; everything else goes on as if nothing was asked."""
        pending = state.pending[handle]
        if isinstance(pending, PendingCall) and self._matching.withdraw(pending):
            assert pending.operation is not None
            self.recorder.remove(state.number, pending.operation)
            pending.operation = None
            self.complete(pending, self.now, CANCELLED)

    # ---- alone

    def on_begin(self, state: RankState) -> None:
        self.answer(state, self.now)

    def on_go_on(self, state: RankState) -> None:
        self.answer(state, self.now)

    def on_sleep(self, state: RankState, seconds: float) -> None:
        """Simulated time passes; a nap between tests is part of a wait, which is played as one."""
        if not state.fruitless:
            self.recorder.compute(state.number, seconds)
        state.clock += seconds

    def on_region(self, state: RankState, begins: bool, name: str) -> None:
        mark = operations.region_begin if begins else operations.region_end
        self.recorder.add(state.number, mark(name))

    def on_end(self, state: RankState) -> None:
        """What the rank never waited for is over before MPI is."""
        self.recorder.wait(state.number, [one.operation for one in state.pending.values()])
        state.over = True
        if all(one.over for one in self.states):  # until then others may reach into its memory
            for one in self.states:
                self.answer(one, self.now)

    def on_failed(self, state: RankState, words: str, place: str, trace: str) -> None:
        sys.stderr.write(trace)
        raise WorkloadError(words, at=f"rank {state.number}, {place}" if place else f"rank {state.number}")

    def on_abort(self, state: RankState, code: int) -> None:
        raise WorkloadError(f"rank {state.number} called Abort({code})", at=state.place)
