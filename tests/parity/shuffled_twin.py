"""The packet twin with events of equal time in a random order: what ties alone can do to a result."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable

from parity.packet_twin import HEADER, Message, Packet, Twin


class ShuffledTwin(Twin):
    """Every packet enters its interface by an event of its own, so that this is a tie, too."""

    def __init__(self, network: Callable, granularity: int, seed: int) -> None:
        super().__init__(network, granularity)
        self.draw = random.Random(seed)

    def at(self, time: int, order: int, action: Callable) -> None:
        self.sequence += 1
        heapq.heappush(self.events, (time, self.draw.random(), self.sequence, action))

    def create_packet(self, message: Message) -> None:
        chunk = min(self.granularity, message.left)
        message.left -= chunk
        packet = Packet(message, chunk + (HEADER if message.first else 0), message.left == 0)
        message.first = False
        self.at(self.now, 1, lambda: self.arrive(packet))
