"""Who runs next: ranks run one at a time, in the order of an estimated clock, until nothing is left to do."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from striate.errors import WorkloadError
from striate.simulate.coordinator.estimate import TimeEstimate
from striate.simulate.coordinator.ranks import AnyCall, PendingCall, RankState, Waiting
from striate.simulate.coordinator.recorder import Recorder
from striate.simulate.coordinator.waits import deadlock_words
from striate.simulate.wire import Channel, Errand, RankCall, RankSettings, put, take

FIRST_NAP, LONGEST_NAP = 1e-6, 1e-4  # seconds until a test or a probe that found nothing is over
LOOKS = (
    "test",
    "look",
    "probe",
    "sleep",
    "win_test",
    "win_sync",
)  # what a rank repeats until something has come
MOST_IDLE = 10_000  # tests in a row while nothing else can happen


class Scheduler:
    """The queue of what happens when, the ranks, and their waits."""

    def __init__(self, channels: Sequence[Channel], settings: RankSettings, estimate: TimeEstimate) -> None:
        self.settings, self.estimate = settings, estimate
        self.recorder = Recorder(settings.ranks)
        self.now = 0.0
        self.states = [RankState(rank) for rank in range(settings.ranks)]
        self._channels = channels
        self._queue: list[tuple[float, int, Callable[[], None]]] = []
        self._turns = count()
        self._idle = 0  # tests that found nothing while all that is to happen is more tests

    def run(self) -> None:
        """Run the program to its end; raises WorkloadError when it does not get there."""
        for state in self.states:
            self._listen(state)
        while self._queue:
            self.now, _, happen = heapq.heappop(self._queue)
            happen()
        if not all(state.over for state in self.states):
            raise WorkloadError(deadlock_words(self.states))

    def at(self, time: float, happen: Callable[[], None]) -> None:
        """Let something happen at an estimated time."""
        heapq.heappush(self._queue, (max(time, self.now), next(self._turns), happen))

    # ---- a rank and its program

    def _listen(self, state: RankState) -> None:
        """Take the next calls of a rank, which runs until it needs an answer."""
        try:
            calls: list[RankCall] = take(self._channels[state.number])
        except (EOFError, OSError):
            raise WorkloadError(
                f"the process of rank {state.number} ended before its program did: it was killed or called os._exit",
                at=state.place or None,
            ) from None
        state.calls.extend(calls)
        self._go_on(state)

    def _go_on(self, state: RankState) -> None:
        computed = state.calls[0].seconds * self.settings.cpu_scale
        self.at(state.clock + computed, lambda: self._carry_out(state))

    def _carry_out(self, state: RankState) -> None:
        call = state.calls.popleft()
        state.clock = self.now
        state.place = call.place or state.place
        self.recorder.compute(state.number, call.seconds)
        if call.name not in LOOKS:
            state.fruitless = 0
        getattr(self, f"on_{call.name}")(state, *call.arguments)
        if state.calls:  # it needed no answer
            state.clock += self.settings.call_seconds
            self._go_on(state)

    def answer(self, state: RankState, time: float, answer: Any = None) -> None:
        """Let the rank go on at `time` with the answer to its call."""

        def resume() -> None:
            state.clock = self.now
            put(self._channels[state.number], (self.now, answer))
            if not state.over:
                self._listen(state)

        self.at(time, resume)

    def errand(self, rank: int, what: str, number: int, *arguments: Any) -> Any:
        """Let a rank, which waits for an answer, work for others."""
        put(self._channels[rank], (self.now, Errand(number, arguments)))
        worked, found = take(self._channels[rank])
        if not worked:
            raise WorkloadError(f"{what} raised {found}", at=self.states[rank].place)
        return found

    # ---- waiting

    def complete(self, pending: PendingCall, time: float, result: Any = None) -> None:
        """A call in flight is over at `time`."""
        pending.done_at, pending.result = max(time, self.now), result
        self._idle = 0
        self.at(pending.done_at, lambda: self._look_after(self.states[pending.rank]))

    def wait(
        self,
        state: RankState,
        pending: Sequence[AnyCall],
        mode: str,
        answer: Callable[[list[AnyCall]], Any],
    ) -> None:
        """The rank goes on when all, or any, of its calls are over; `answer` makes of them what it gets."""
        state.waiting = Waiting(pending, mode, answer)
        self._look_after(state)

    def wait_for_one(self, state: RankState, pending: PendingCall) -> None:
        self.wait(state, [pending], "all", lambda done: done[0].result)

    def over(self, pending: Sequence[AnyCall], mode: str) -> list[AnyCall]:
        """Those that are over now, when they are enough; the earliest alone where any will do."""
        done = [one for one in pending if one.done_at is not None and one.done_at <= self.now]
        if mode == "all":
            return done if len(done) == len(pending) else []
        if mode == "any" and done:
            return [min(done, key=lambda one: one.done_at or 0.0)]
        return done

    def _look_after(self, state: RankState) -> None:
        waiting = state.waiting
        done = self.over(waiting.pending, waiting.mode) if waiting is not None else []
        if waiting is not None and done:
            state.waiting = None
            self.answer(state, self.now, waiting.answer(done))

    def nap(self, state: RankState) -> None:
        """A test or a probe found nothing: the rank may ask again a little later."""
        self.recorder.polls += 1
        self.pause(state)

    def pause(self, state: RankState) -> None:
        """The rank goes on a little later, and later still when it does nothing else in between."""
        state.fruitless += 1
        asking = sum(1 for one in self.states if one.fruitless and one.waiting is None)
        self._idle = self._idle + 1 if len(self._queue) < asking else 0
        if self._idle > MOST_IDLE:
            raise WorkloadError(deadlock_words(self.states))
        self.answer(state, self.now + min(LONGEST_NAP, FIRST_NAP * 2.0 ** min(state.fruitless - 1, 10)))
