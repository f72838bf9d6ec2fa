"""The network interfaces of ranks and servers as columns, in the order the core numbers them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.cluster.cluster import Cluster, Forwarder, IOServer, MetadataServer, Nic
from striate.cluster.placement import Placement
from striate.engine.oversubscription import background_slowness


@dataclass(frozen=True, slots=True, eq=False)
class Interfaces:
    """One row per interface: where it is attached, its speed, the speed and latency (picoseconds) of its two links."""

    component: NDArray[np.int32]
    bandwidth: NDArray[np.float64]
    link_bandwidth: NDArray[np.float64]
    link_latency: NDArray[np.int64]
    analytical: NDArray[np.uint8]


def rank_interfaces(cluster: Cluster, placement: Placement) -> Interfaces:
    """One interface per rank, of its node's type, on its socket's memory."""
    kinds = cluster.node_type[placement.node]
    alone = _interfaces(
        [kind.nic for kind in cluster.node_types], kinds, cluster.socket_component[placement.socket]
    )
    slowness = background_slowness(cluster, placement)  # copies are work of a CPU
    return alone if slowness == 1 else replace(alone, link_bandwidth=alone.link_bandwidth / slowness)


def service_interfaces(cluster: Cluster) -> Interfaces:
    """One interface an I/O server, in the order of `cluster.servers`, then metadata servers and forwarders."""
    seats: tuple[IOServer | MetadataServer | Forwarder, ...] = (
        *cluster.servers,
        *cluster.metadata,
        *cluster.forwarders,
    )
    places = np.array([seat.component for seat in seats], dtype=np.int32)
    return _interfaces([seat.nic for seat in seats], np.arange(len(places)), places)


def joined(first: Interfaces, second: Interfaces) -> Interfaces:
    """The interfaces of `first`, then those of `second`."""
    return Interfaces(
        *(np.concatenate([getattr(first, name), getattr(second, name)]) for name in Interfaces.__slots__)
    )


def _interfaces(nics: Sequence[Nic], kind: NDArray[Any], component: NDArray[np.int32]) -> Interfaces:
    def column(values: list[float], dtype: type[np.generic]) -> NDArray[Any]:
        return np.array(values, dtype=dtype)[kind] if values else np.empty(0, dtype=dtype)

    return Interfaces(
        component=component.astype(np.int32, copy=False),
        bandwidth=column([nic.bandwidth for nic in nics], np.float64),
        link_bandwidth=column([nic.link.bandwidth for nic in nics], np.float64),
        link_latency=column([nic.link.latency for nic in nics], np.int64),
        analytical=column([nic.kind == "analytical" for nic in nics], np.uint8),
    )
