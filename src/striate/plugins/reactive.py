"""Collectives whose members decide as they go: generators of steps, each told who it has heard from."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from striate.collectives.book import ENGINE_COMPUTE, ENGINE_RECV, ENGINE_SEND, HEADER_BYTES
from striate.plugins.guard import LoadedPlugin
from striate.plugins.protocols import (
    ANY_RANK,
    CollectiveRequest,
    Compute,
    Receive,
    Received,
    Send,
)
from striate.plugins.schedule_check import least_bytes, must_hear

MOST_STEPS = 1_000_000  # of one member of one call
Step = list[tuple[int, int, int]]


@dataclass(frozen=True, slots=True, eq=False)
class ReactingCall:
    """A call of which a plug-in's members decide."""

    plugin: LoadedPlugin
    request: CollectiveRequest


@dataclass(slots=True, eq=False)
class _Member:
    steps: Generator[Any, Any, Any]
    heard: int  # ranks, as bits, whose word has come here
    sent_bytes: int = 0
    received_bytes: int = 0
    taken: int = 0
    over: bool = False


@dataclass(slots=True, eq=False)
class _Group:
    """One call of a group: its members, and messages on their way by sender and receiver."""

    call: ReactingCall
    members: dict[int, _Member] = field(default_factory=dict)
    mail: dict[tuple[int, int], deque[tuple[int, int]]] = field(default_factory=dict)  # bytes, what it tells


class ReactingHook:
    """Asks the members of collective calls for their next steps, and holds them to the rules at the end."""

    def __init__(self, calls: Mapping[int, ReactingCall]) -> None:
        self._calls = calls
        self._groups: dict[tuple[int, int, int], _Group] = {}

    def next(
        self, schedule: int, communicator: int, group: int, number: int, rank: int, heard: list[int], now: int
    ) -> Step | None:
        """The next step of a member, or None at its end."""
        key = communicator, group, number
        here = self._groups.setdefault(key, _Group(self._calls[schedule]))
        plugin, request = here.call.plugin, here.call.request
        arrived = [self._taken(here, sender, rank, now) for sender in heard]
        if rank not in here.members:
            made = plugin.call("member", plugin.made().member, request, rank)
            if not isinstance(made, Generator):
                raise plugin.error(
                    f"expected `member` to be a generator that yields steps, got {type(made).__name__}"
                )
            here.members[rank] = _Member(made, 1 << rank)
        member = here.members[rank]
        member.taken += 1
        if member.taken > MOST_STEPS:
            raise plugin.error(f"the collective never ends: rank {rank} has taken {MOST_STEPS} steps")
        step = plugin.call("member", _advanced, member.steps, None if member.taken == 1 else arrived)
        if step is None:
            self._end(key, here, rank)
            return None
        return [self._action(here, rank, action) for action in _listed(plugin, step)]

    def _taken(self, here: _Group, sender: int, rank: int, now: int) -> Received:
        size, told = here.mail[sender, rank].popleft()
        member = here.members[rank]
        member.heard |= told
        member.received_bytes += size
        return Received(sender, size, now / 1e12)

    def _action(self, here: _Group, rank: int, action: object) -> tuple[int, int, int]:
        plugin, size = here.call.plugin, here.call.request.size
        match action:
            case Compute(instructions) if _whole(instructions):
                return ENGINE_COMPUTE, 0, int(instructions)
            case Receive(peer) if peer == ANY_RANK or (_whole(peer) and peer < size and peer != rank):
                return ENGINE_RECV, int(peer), 0
            case Send(peer, count) if _whole(peer) and peer < size and peer != rank and _whole(count):
                member = here.members[rank]
                member.sent_bytes += int(count)
                here.mail.setdefault((rank, int(peer)), deque()).append((int(count), member.heard))
                return ENGINE_SEND, int(peer), int(count) + HEADER_BYTES
        raise plugin.error(
            f"expected sends to and receives from other ranks below {size}, got {action!r:.80} of rank {rank}"
        )

    def _end(self, key: tuple[int, int, int], here: _Group, rank: int) -> None:
        plugin, request, member = here.call.plugin, here.call.request, here.members[rank]
        where = f"in a {request.call} of {request.size} ranks from root {request.root}"
        for word, found, least in zip(
            ("sends", "receives"),
            (member.sent_bytes, member.received_bytes),
            least_bytes(request),
            strict=True,
        ):
            if found < least[rank]:
                raise plugin.error(
                    f"expected rank {rank} to {word[:-1]} at least {least[rank]} bytes, got {found}, {where}"
                )
        if missing := must_hear(request)[rank] & ~member.heard:
            raise plugin.error(
                f"rank {rank} never receives the data of rank {missing.bit_length() - 1}, {where}"
            )
        member.over = True
        if len(here.members) == request.size and all(one.over for one in here.members.values()):
            for (sender, receiver), left in here.mail.items():
                if left:
                    raise plugin.error(f"rank {receiver} never receives a message of rank {sender}, {where}")
            del self._groups[key]

    def expect_all_over(self) -> None:
        """Raise PluginError for a call that some member has not come to the end of."""
        for here in self._groups.values():
            waiting = [rank for rank, member in sorted(here.members.items()) if not member.over]
            if waiting:
                some = ", ".join(map(str, waiting[:8])) + (", ..." if len(waiting) > 8 else "")
                raise here.call.plugin.error(
                    f"the collective never ends: ranks {some} wait for messages that never come"
                )


def _advanced(steps: Generator[Any, Any, Any], arrived: list[Received] | None) -> Any:
    """The next step; None at the end."""
    try:
        step = steps.send(arrived)
    except StopIteration:
        return None
    return [] if step is None else step


def _listed(plugin: LoadedPlugin, step: object) -> Sequence[Any]:
    if isinstance(step, Send | Receive | Compute):
        return [step]
    if not isinstance(step, Sequence) or isinstance(step, str):
        raise plugin.error(f"expected `member` to yield steps of sends and receives, got {step!r:.80}")
    return step


def _whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and bool(value >= 0)
