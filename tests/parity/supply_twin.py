"""Messages whose bytes become ready bit by bit, told packet by packet, on the packet twin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from parity.packet_twin import Component, Message, Packet, Twin


def ignore(*_: object) -> None:
    """Nobody waits for this."""


@dataclass(eq=False)
class Flow(Message):
    """A message whose bytes may become ready bit by bit, and whose arriving packets are told to `on_packet`."""

    ready: int = 0
    starved: bool = False  # the next packet waits for bytes
    arrived: int = 0
    on_packet: Callable[[int, int], None] = ignore  # offset in the message, size


class FlowTwin(Twin):
    """The packet twin with flows, and with interfaces that can be closed."""

    spreads_clients = True  # over the servers they begin with: what the order of ties leaves open

    def __init__(self, network: Callable, granularity: int) -> None:
        super().__init__(network, granularity)
        self.closed: dict[Component, Callable[[], bool]] = {}

    def send(self, source: int, target: int, size: int, on_sent=ignore, on_delivered=ignore, **more) -> Flow:
        path = self.network(source, target)
        more = {"ready": size, **more}
        flow = Flow(source, target, size, path, on_sent, on_delivered, len(path) == 5, left=size, **more)
        self.create_packet(flow)
        return flow

    def supply(self, flow: Flow, size: int) -> None:
        flow.ready += size
        if flow.starved:
            self.create_packet(flow)

    def create_packet(self, message: Flow) -> None:
        begun = message.size - message.left
        message.starved = message.ready - begun < min(self.granularity, message.left)
        if not message.starved:
            self.emit(message)

    def emit(self, message: Flow) -> None:
        super().create_packet(message)

    def serve(self, component: Component) -> None:
        if not self.closed.get(component, bool)():
            super().serve(component)

    def complete(self, component: Component, packet: Packet) -> None:
        flow = packet.message
        if packet.hop + 1 == len(flow.path):
            offset = flow.arrived
            flow.arrived += min(self.granularity, flow.size - offset)
            flow.on_packet(offset, flow.arrived - offset)
        super().complete(component, packet)
