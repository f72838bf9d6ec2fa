"""An explicit graph: named components and edges; hosts hang where `at` says, or are named by edges."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from striate.cluster.cluster import COMPONENT_KINDS, MEMORY, Floats
from striate.cluster.description.networks import ComponentTable, EdgeTable, GraphNetwork
from striate.cluster.hosts import HostGroup
from striate.cluster.names import Block
from striate.cluster.placement import Indices
from striate.cluster.topology.fabric import Cables, Fabric, FabricComponents
from striate.errors import ClusterError


def size(network: GraphNetwork) -> tuple[int, int]:
    """Components, and cables between them."""
    return len(network.component), len(network.edge)


def fabric(network: GraphNetwork, groups: Sequence[HostGroup]) -> Fabric:
    """Components in the order of the file; one-way edges come after all cables."""
    place = {table.name: i for i, table in enumerate(network.component)}
    ends = np.array([_ends(edge, i, place, groups) for i, edge in enumerate(network.edge)], np.int32).reshape(
        -1, 2
    )
    duplex = np.array([edge.duplex for edge in network.edge], bool)
    return Fabric(
        _components(network.component),
        _cables(network.edge, ends, duplex),
        _cables(network.edge, ends, ~duplex),
        _attach(place, groups),
        tuple(Block(table.name, 1, numbered=False) for table in network.component),
    )


def _components(tables: Sequence[ComponentTable]) -> FabricComponents:
    kinds = np.array([COMPONENT_KINDS.index(table.kind) for table in tables], np.uint8)
    rates = np.array([float(table.bandwidth) for table in tables])
    local = np.array([float(table.local_bandwidth or table.bandwidth) for table in tables])
    return FabricComponents(kinds, rates, np.where(kinds == MEMORY, local, 0.0))


def _cables(edges: Sequence[EdgeTable], ends: Indices, chosen: np.ndarray) -> Cables:
    rates: Floats = np.array([float(edge.bandwidth) for edge in edges])
    latencies = np.array([int(edge.latency) for edge in edges], np.int64)
    return Cables(ends[chosen, 0], ends[chosen, 1], rates[chosen], latencies[chosen])


def _ends(edge: EdgeTable, index: int, place: dict[str, int], groups: Sequence[HostGroup]) -> tuple[int, int]:
    path = f"$.network.edge[{index}]"
    source = _find(edge.source, place, groups, f"{path}.source")
    target = _find(edge.target, place, groups, f"{path}.target")
    if source == target:
        raise ClusterError(
            f"expected an edge between two different components, got {edge.source!r} twice",
            at=f"{path}.target",
        )
    return source, target


def _find(name: str, place: dict[str, int], groups: Sequence[HostGroup], path: str) -> int:
    """The component of that name, or the top component of the host of that name ("compute.3")."""
    if name in place:
        return place[name]
    group_name, _, digits = name.rpartition(".")
    for group in groups:
        if group.name == group_name and digits.isdecimal() and len(digits) < 10 and int(digits) < group.count:
            return len(place) + group.first_component + int(digits) * group.width + group.width - 1
    raise ClusterError(f"no component or node is named {name!r}", at=path)


def _attach(place: dict[str, int], groups: Sequence[HostGroup]) -> Indices:
    parts = [_attach_group(place, group) for group in groups]
    return np.concatenate(parts).astype(np.int32)


def _attach_group(place: dict[str, int], group: HostGroup) -> Indices:
    if group.at is None:
        return np.full(group.count, -1, np.int32)
    listed = (group.at,) * group.count if isinstance(group.at, str) else group.at
    if len(listed) != group.count:
        found = f"expected one component for all or one for each of {group.count} nodes, got {len(listed)}"
        raise ClusterError(found, at=f"{_table(group)}.at")
    for i, name in enumerate(listed):
        if name not in place:
            path = f"{_table(group)}.at" + ("" if isinstance(group.at, str) else f"[{i}]")
            raise ClusterError(f"no component is named {name!r}", at=path)
    return np.array([place[name] for name in listed], np.int32)


def _table(group: HostGroup) -> str:
    return group.at_path.removesuffix(".node")
