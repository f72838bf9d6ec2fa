"""A slow, readable packet simulator: the timing rules of the fine rung, one object per packet, whole nanoseconds.

Components (interfaces, links, switches) serve one packet at a time, store and forward. Per (source, target) stream a
component may have packets in transit worth its latency and one full packet; the next component's start of a packet
gives the credit back. Streams with waiting packets take turns; a stream queues up for its next turn when its packet
leaves the component, or when a packet or a credit of it comes.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

HEADER = 40  # bytes before the first packet of a message


@dataclass(eq=False)
class Component:
    name: str
    bandwidth: float
    latency: int = 0  # of a link, after service
    local_bandwidth: float = 0.0  # of a memory, between two direct neighbours
    ready: deque = field(default_factory=deque)
    waiting: dict = field(default_factory=dict)  # stream -> deque of packets
    used: dict = field(default_factory=dict)
    transit: dict = field(default_factory=dict)
    blocked: set = field(default_factory=set)
    busy: bool = False


@dataclass(eq=False)
class Message:
    source: int
    target: int
    size: int
    path: list
    on_sent: Callable
    on_delivered: Callable
    local: bool = False
    left: int = 0
    first: bool = True


@dataclass(eq=False)
class Packet:
    message: Message
    size: int
    last: bool
    hop: int = 0


class Twin:
    """Runs messages and timers; `network` gives the path of components between two interfaces."""

    def __init__(self, network, granularity: int) -> None:
        self.network = network
        self.granularity = granularity
        self.now = 0
        self.events: list = []
        self.sequence = 0
        self.count = 0

    def at(self, time: int, order: int, action: Callable) -> None:
        self.sequence += 1
        heapq.heappush(self.events, (time, order, self.sequence, action))

    def after(self, delay: int, action: Callable) -> None:
        self.at(self.now + delay, 2, action)

    def run(self) -> int:
        while self.events:
            self.now, _, _, action = heapq.heappop(self.events)
            self.count += 1
            action()
        return self.now

    def start_message(
        self, source: int, target: int, size: int, on_sent: Callable, on_delivered: Callable
    ) -> None:
        path = self.network(source, target)
        message = Message(source, target, size, path, on_sent, on_delivered, local=len(path) == 5, left=size)
        self.create_packet(message)

    def create_packet(self, message: Message) -> None:
        chunk = min(self.granularity, message.left)
        message.left -= chunk
        packet = Packet(message, chunk + (HEADER if message.first else 0), message.left == 0)
        message.first = False
        self.arrive(packet)

    def service(self, component: Component, packet: Packet) -> int:
        return int(packet.size / self.rate(component, packet.message) * 1e9)

    def rate(self, component: Component, message: Message) -> float:
        return (
            component.local_bandwidth if component.local_bandwidth and message.local else component.bandwidth
        )

    def bound(self, component: Component, message: Message) -> int:
        slowest = min(component.bandwidth, component.local_bandwidth or component.bandwidth)
        return component.latency + int(self.granularity / slowest * 1e9)

    def arrive(self, packet: Packet) -> None:
        component = packet.message.path[packet.hop]
        stream = (packet.message.source, packet.message.target)
        queue = component.waiting.setdefault(stream, deque())
        queue.append(packet)
        self.offer(component, stream)
        self.serve(component)

    def offer(self, component: Component, stream: tuple[int, int]) -> None:
        """Queue a stream behind the others that may send, unless it is queued, blocked or empty."""
        waits = component.waiting[stream] and stream not in component.blocked
        if waits and stream not in component.ready:
            component.ready.append(stream)

    def serve(self, component: Component) -> None:
        if component.busy or not component.ready:
            return
        stream = component.ready.popleft()
        packet = component.waiting[stream].popleft()
        message = packet.message
        component.busy = True
        duration = self.service(component, packet)
        if packet.hop:
            self.give_back(packet)
        if packet.hop + 1 < len(message.path):
            component.used[stream] = component.used.get(stream, 0) + duration
            component.transit[stream] = component.transit.get(stream, 0) + 1
            if component.used[stream] >= self.bound(component, message):
                component.blocked.add(stream)
        if packet.hop == 0:
            if packet.last:
                message.on_sent()
            else:
                self.create_packet(message)
        self.at(self.now + duration, 0, lambda: self.complete(component, packet))

    def complete(self, component: Component, packet: Packet) -> None:
        component.busy = False
        # Only now the served stream queues up again: one whose packet came meanwhile goes first.
        self.offer(component, (packet.message.source, packet.message.target))
        if packet.hop + 1 < len(packet.message.path):
            packet.hop += 1
            self.at(self.now + component.latency, 1, lambda: self.arrive(packet))
        elif packet.last:
            packet.message.on_delivered()
        self.serve(component)

    def give_back(self, packet: Packet) -> None:
        before = packet.message.path[packet.hop - 1]
        stream = (packet.message.source, packet.message.target)
        size = packet.size
        before.used[stream] -= int(size / self.rate(before, packet.message) * 1e9)
        before.transit[stream] -= 1
        free = before.transit[stream] == 0 or before.used[stream] < self.bound(before, packet.message)
        if stream in before.blocked and free:
            before.blocked.discard(stream)
            self.offer(before, stream)
            self.serve(before)
