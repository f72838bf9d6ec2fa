"""The Westmere cluster of paper 001 as components of the packet twin: nodes of two sockets on one switch."""

from __future__ import annotations

from parity.packet_twin import Component

MIB = 1 << 20
GIGABIT = {"GIGEPVS": 75392614, "GIGE_117MBps": 117e6}

Place = tuple[int, int]  # node, socket


class Westmere:
    """Interfaces are numbered: first the processes, then servers on the nodes, then servers on nodes of their own."""

    def __init__(self, nodes: int, processes: int, on_nodes: int, apart: int, edge: str = "GIGEPVS") -> None:
        placed = [(rank % nodes, rank // nodes % 2) for rank in range(processes)]
        shared = [(server, 1) for server in range(on_nodes)]
        dedicated = [(nodes + server, 0) for server in range(apart)]
        self.place: list[Place] = placed + shared + dedicated
        self.edge_bandwidth = GIGABIT[edge]
        self.made: dict[tuple, Component] = {}

    def part(self, kind: str, *where: int) -> Component:
        """The one component of this kind at this place."""
        bandwidth, latency, local = {
            "interface": (40 * 1024 * MIB, 0, 0.0),
            "process up": (3781 * MIB, 79, 0.0),
            "process down": (3781 * MIB, 79, 0.0),
            "memory": (3778 * MIB, 0, 4556 * MIB),
            "socket up": (3427 * MIB, 38, 0.0),
            "socket down": (3427 * MIB, 38, 0.0),
            "hub": (10864 * MIB, 0, 0.0),
            "node up": (self.edge_bandwidth, 19982, 0.0),
            "node down": (self.edge_bandwidth, 19982, 0.0),
            "switch": (48e9, 0, 0.0),
        }[kind]
        return self.made.setdefault((kind, *where), Component(f"{kind} {where}", bandwidth, latency, local))

    def path(self, source: int, target: int) -> list[Component]:
        """Every component a message passes, both interfaces included."""
        first = [self.part("interface", source), self.part("process up", source)]
        last = [self.part("process down", target), self.part("interface", target)]
        return first + self.between(self.place[source], self.place[target]) + last

    def between(self, here: Place, there: Place) -> list[Component]:
        if here == there:
            return [self.part("memory", *here)]
        out = [self.part("memory", *here), self.part("socket up", *here), self.part("hub", here[0])]
        cable = [self.part("node up", here[0]), self.part("switch"), self.part("node down", there[0])]
        cable.append(self.part("hub", there[0]))
        into = [self.part("socket down", *there), self.part("memory", *there)]
        return [*out, *(cable if here[0] != there[0] else []), *into]
