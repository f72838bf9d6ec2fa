"""Runs a schedule without a clock: which contributions to which pieces reach which rank."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from striate.collectives.schedule import RECV, SEND, CollectiveSchedule, ScheduleError

# piece -> the ranks whose contributions it holds
Holding = Mapping[int, frozenset[int]]
Message = dict[int, frozenset[int]]


def deliver(schedule: CollectiveSchedule, start: Sequence[Holding]) -> list[dict[int, frozenset[int]]]:
    """What every rank holds at the end, from what it holds at the `start`.

    A message takes along the pieces that `schedule.carries` names, or all the sender has. Where the rank's next
    step only combines, what came in is added to what is there; else it takes its place. Raises ScheduleError when
    a contribution would count twice or be lost, when a rank should send a piece it does not have, or when ranks
    wait for each other for ever.
    """
    return _Delivery(schedule, [dict(holding) for holding in start]).run()


@dataclass
class _Delivery:
    schedule: CollectiveSchedule
    known: list[dict[int, frozenset[int]]]
    mail: dict[tuple[int, int, int], deque[Message]] = field(default_factory=lambda: defaultdict(deque))

    def run(self) -> list[dict[int, frozenset[int]]]:
        steps = [deque(self.schedule.steps(rank)) for rank in range(self.schedule.size)]
        sent = [False] * self.schedule.size  # whether the sends of the current step are on their way
        moved = True
        while moved:
            moved = False
            for rank, left in enumerate(steps):
                while left:
                    if not sent[rank]:
                        self._send(rank, left[0])
                        sent[rank] = moved = True
                    combines = len(left) > 1 and not left[1]
                    if not self._receive(rank, left[0], combines):
                        break
                    left.popleft()
                    sent[rank], moved = False, True
        waiting = [rank for rank, left in enumerate(steps) if left]
        if waiting:
            raise ScheduleError(f"ranks {waiting} wait for messages that no rank sends")
        return self.known

    def _send(self, rank: int, step: list[tuple[int, int, int, int]]) -> None:
        for action, peer, _, tag in step:
            if action == SEND:
                self.mail[rank, peer, tag].append(self._pack(rank, peer, tag))

    def _pack(self, rank: int, peer: int, tag: int) -> Message:
        known, carries = self.known[rank], self.schedule.carries
        pieces = known if carries is None else carries(rank, peer, tag)
        missing = [piece for piece in pieces if piece not in known]
        if missing:
            raise ScheduleError(
                f"the schedule (prepared messages of the collective) sends the pieces {missing} of the data "
                f"to rank {peer} before the sender has them",
                at=f"rank {rank}",
            )
        return {piece: known[piece] for piece in pieces}

    def _receive(self, rank: int, step: list[tuple[int, int, int, int]], combines: bool) -> bool:
        keys = [(peer, rank, tag) for action, peer, _, tag in step if action == RECV]
        if any(len(self.mail[key]) < keys.count(key) for key in keys):
            return False
        for key in keys:
            for piece, news in self.mail[key].popleft().items():
                mine = self.known[rank].get(piece, frozenset())
                self.known[rank][piece] = (_added if combines else _replaced)(mine, news, rank)
        return True


def _added(mine: frozenset[int], news: frozenset[int], rank: int) -> frozenset[int]:
    if mine & news:
        raise ScheduleError(
            f"the schedule (prepared messages of the collective) would add the contributions of ranks "
            f"{sorted(mine & news)} twice",
            at=f"rank {rank}",
        )
    return mine | news


def _replaced(mine: frozenset[int], news: frozenset[int], rank: int) -> frozenset[int]:
    if not mine <= news:
        raise ScheduleError(
            f"the schedule (prepared messages of the collective) would overwrite the contributions of ranks "
            f"{sorted(mine - news)}",
            at=f"rank {rank}",
        )
    return news
