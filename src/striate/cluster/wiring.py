"""Wiring: the columns of a network from its fabric and the insides of its hosts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from striate.cluster.cluster import MEMORY, STORE_FORWARD, Network
from striate.cluster.hosts import HostGroup
from striate.cluster.names import Block, ComponentNames
from striate.cluster.placement import Indices
from striate.cluster.topology.fabric import (
    Cables,
    Fabric,
    FabricComponents,
    cables,
    join_cables,
    join_components,
    no_cables,
)


def wire(fabric: Fabric, groups: Sequence[HostGroup]) -> Network:
    """Fabric first, then host after host; cables become pairs of edges, one-way edges come last."""
    base = len(fabric.components)
    parts = join_components(fabric.components, *(_inside(group) for group in groups))
    both = join_cables(
        fabric.cables, *(_inner_cables(group, base) for group in groups), _uplinks(fabric, groups)
    )
    network = Network(
        parts.kind,
        parts.bandwidth,
        parts.local_bandwidth,
        np.concatenate((_interleave(both.source, both.target), fabric.one_way.source)),
        np.concatenate((_interleave(both.target, both.source), fabric.one_way.target)),
        np.concatenate((both.bandwidth.repeat(2), fabric.one_way.bandwidth)),
        np.concatenate((both.latency.repeat(2), fabric.one_way.latency)),
    )
    for column in network.__slots__:
        getattr(network, column).flags.writeable = False
    return network


def _interleave(first: Indices, second: Indices) -> Indices:
    """A cable is two edges, 2i one way and 2i + 1 the other."""
    return np.stack((first, second), axis=1).ravel()


def _inside(group: HostGroup) -> FabricComponents:
    """Memories of the sockets, then the hub, for every host of the group."""
    hubs = 1 if group.hub else 0
    local = float(group.socket.local_bandwidth or group.socket.bandwidth)
    kind = [MEMORY] * group.sockets + [STORE_FORWARD] * hubs
    rate = [float(group.socket.bandwidth)] * group.sockets + (
        [float(group.hub.bandwidth)] if group.hub else []
    )
    return FabricComponents(
        np.tile(np.array(kind, np.uint8), group.count),
        np.tile(rate, group.count),
        np.tile([local] * group.sockets + [0.0] * hubs, group.count),
    )


def _inner_cables(group: HostGroup, base: int) -> Cables:
    if group.hub is None:
        return no_cables()
    sockets = socket_components(group, base)
    return cables(sockets.ravel(), np.repeat(top_components(group, base), group.sockets), group.hub.link)


def _uplinks(fabric: Fabric, groups: Sequence[HostGroup]) -> Cables:
    parts = [no_cables()]
    for group in groups:
        attach = fabric.attach[group.first_host : group.first_host + group.count]
        if group.uplink is not None:
            tops = top_components(group, len(fabric.components))
            parts.append(cables(tops[attach >= 0], attach[attach >= 0], group.uplink))
    return join_cables(*parts)


def socket_components(group: HostGroup, base: int) -> Indices:
    """Memory components of the group, a row per host."""
    start = base + group.first_component + np.arange(group.count, dtype=np.int32) * group.width
    return (start[:, None] + np.arange(group.sockets, dtype=np.int32)).astype(np.int32, copy=False)


def top_components(group: HostGroup, base: int) -> Indices:
    """The component of each host that the network sees: its hub, or its only memory."""
    return socket_components(group, base)[:, 0] + np.int32(group.width - 1)


def component_names(fabric: Fabric, groups: Sequence[HostGroup]) -> ComponentNames:
    """A name for every component of the wired network."""
    blocks = list(fabric.names)
    for group in groups:
        parts = tuple(f".socket.{i}" for i in range(group.sockets)) + ((".hub",) if group.hub else ())
        blocks.append(Block(group.name, group.count, parts))
    return ComponentNames.of(blocks)
