"""The same rules with events that tie as they lie in a binary heap: the order of the original simulator.

A heap that compares times alone serves simultaneous events in an order that is an accident of its shape. It is
reproducible, so that it tells a difference of rules from a difference of ties.
"""

from __future__ import annotations

from collections.abc import Callable

from parity.packet_twin import HEADER, Packet
from parity.supply_twin import Flow, FlowTwin

Event = tuple[int, Callable]


class UntiedHeap:
    """A binary heap of (time, action); equal times stay where they are."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def __bool__(self) -> bool:
        return bool(self.events)

    def push(self, event: Event) -> None:
        self.events.append(event)
        place = len(self.events) - 1
        while place and event[0] < self.events[(place - 1) // 2][0]:
            self.events[place] = self.events[(place - 1) // 2]
            place = (place - 1) // 2
        self.events[place] = event

    def pop(self) -> Event:
        first, moved = self.events[0], self.events.pop()
        if self.events:
            self.sink(moved)
        return first

    def sink(self, event: Event) -> None:
        place, size = 0, len(self.events)
        while (child := 2 * place + 1) < size:
            if child + 1 < size and self.events[child + 1][0] < self.events[child][0]:
                child += 1
            if event[0] <= self.events[child][0]:
                break
            self.events[place] = self.events[child]
            place = child
        self.events[place] = event


class UntiedTwin(FlowTwin):
    """Every packet enters its interface by an event of its own, as one more tie."""

    spreads_clients = False

    def __init__(self, network: Callable, granularity: int) -> None:
        super().__init__(network, granularity)
        self.heap = UntiedHeap()

    def at(self, time: int, order: int, action: Callable) -> None:
        self.heap.push((time, action))

    def run(self) -> int:
        while self.heap:
            self.now, action = self.heap.pop()
            action()
        return self.now

    def emit(self, message: Flow) -> None:
        chunk = min(self.granularity, message.left)
        message.left -= chunk
        packet = Packet(message, chunk + (HEADER if message.first else 0), message.left == 0)
        message.first = False
        self.at(self.now, 1, lambda: self.arrive(packet))
