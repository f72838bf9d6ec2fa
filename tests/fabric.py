"""Small machines in columns, and schedules of messages on them: what the tests of the network engine share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from striate import _core
from striate._core import ScheduleRun
from striate.cluster.cluster import MEMORY, STORE_FORWARD, Network
from striate.engine.interfaces import Interfaces
from striate.engine.packets import Steps as StepColumns

NANOSECOND = 1000  # ticks


@dataclass(frozen=True)
class Fabric:
    """A network and the interfaces on it."""

    network: Network
    interfaces: Interfaces
    packet: int


@dataclass
class Steps:
    """A schedule, written step by step; `after` names delivered steps, `after_sent` sent ones."""

    source: list[int] = field(default_factory=list)
    target: list[int] = field(default_factory=list)
    bytes: list[int] = field(default_factory=list)
    delay: list[int] = field(default_factory=list)
    dependencies: list[list[tuple[int, int]]] = field(default_factory=list)

    def send(
        self, source: int, target: int, size: int, *, after=(), after_sent=(), delay_ns: float = 0
    ) -> int:
        self.source.append(source)
        self.target.append(target)
        self.bytes.append(size)
        self.delay.append(round(delay_ns * NANOSECOND))
        self.dependencies.append([(step, 0) for step in after] + [(step, 1) for step in after_sent])
        return len(self.source) - 1

    def columns(self) -> StepColumns:
        flat = [pair for pairs in self.dependencies for pair in pairs]
        return StepColumns(
            source=np.array(self.source, dtype=np.int32),
            target=np.array(self.target, dtype=np.int32),
            bytes=np.array(self.bytes, dtype=np.int64),
            delay=np.array(self.delay, dtype=np.int64),
            first_dependency=np.cumsum([0] + [len(pairs) for pairs in self.dependencies], dtype=np.int64),
            dependency=np.array([step for step, _ in flat], dtype=np.int32),
            dependency_sent=np.array([sent for _, sent in flat], dtype=np.uint8),
        )


def simulate(fabric: Fabric, steps: Steps, **options: Any) -> ScheduleRun:
    """Times of every step in picoseconds, as the core returns them."""
    return _core.simulate_schedule(
        fabric.network, fabric.interfaces, steps.columns(), packet_bytes=fabric.packet, **options
    )


def westmere(
    model: dict[str, Any],
    *,
    nodes: int,
    processes: int,
    sockets: int,
    packet: int,
    analytical: bool = False,
    edge: str = "edge_node_to_switch",
) -> Fabric:
    """The reference machine: a star of nodes, each a hub with sockets; ranks round robin over nodes, then sockets."""
    memory, qpi, switch = model["socket_memory_node"], model["qpi_node"], model["switch"]
    hub = np.arange(nodes) * (sockets + 1)
    socket = (hub[:, None] + 1 + np.arange(sockets)).ravel()
    top = nodes * (sockets + 1)
    kind = np.full(top + 1, STORE_FORWARD, dtype=np.uint8)
    bandwidth = np.full(top + 1, float(qpi["bandwidth_Bps"]))
    local = np.zeros(top + 1)
    kind[socket] = MEMORY
    bandwidth[socket] = memory["total_bandwidth_Bps"]
    local[socket] = memory["local_bandwidth_Bps"]
    bandwidth[top] = switch["bandwidth_Bps"]
    inside, outside = model["edge_socket_to_qpi"], model[edge]
    hubs_of_sockets = np.repeat(hub, sockets)
    star = np.full(nodes, top)
    cables = [
        (socket, hubs_of_sockets, inside),
        (hubs_of_sockets, socket, inside),
        (hub, star, outside),
        (star, hub, outside),
    ]
    network = Network(
        kind=kind,
        bandwidth=bandwidth,
        local_bandwidth=local,
        edge_source=np.concatenate([start for start, _, _ in cables]).astype(np.int32),
        edge_target=np.concatenate([end for _, end, _ in cables]).astype(np.int32),
        edge_bandwidth=np.concatenate(
            [np.full(len(start), float(link["bandwidth_Bps"])) for start, _, link in cables]
        ),
        edge_latency=np.concatenate(
            [np.full(len(start), link["latency_ns"] * NANOSECOND) for start, _, link in cables]
        ).astype(np.int64),
    )
    rank = np.arange(processes)
    link = model["edge_nic_to_socket_memory"]
    interfaces = Interfaces(
        component=socket[(rank % nodes) * sockets + rank // nodes % sockets].astype(np.int32),
        bandwidth=np.full(processes, float(model["nic"]["bandwidth_Bps"])),
        link_bandwidth=np.full(processes, float(link["bandwidth_Bps"])),
        link_latency=np.full(processes, link["latency_ns"] * NANOSECOND, dtype=np.int64),
        analytical=np.full(processes, analytical, dtype=np.uint8),
    )
    return Fabric(network=network, interfaces=interfaces, packet=packet)
