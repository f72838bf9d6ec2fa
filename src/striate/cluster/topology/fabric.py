"""`Fabric`: the switches of a network, the cables between them, and the switch each host hangs on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.cluster.cluster import COMPONENT_KINDS, Floats, Link, TickColumn
from striate.cluster.description.networks import Switch
from striate.cluster.names import Block
from striate.cluster.placement import Indices

Integers = NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Cables:
    """Links between pairs of components, columns over cables."""

    source: Indices
    target: Indices
    bandwidth: Floats
    latency: TickColumn

    def __len__(self) -> int:
        return len(self.source)


@dataclass(frozen=True, slots=True, eq=False)
class FabricComponents:
    """Switches or memories: kind, rate and local rate, columns over components."""

    kind: NDArray[np.uint8]
    bandwidth: Floats
    local_bandwidth: Floats

    def __len__(self) -> int:
        return len(self.kind)


@dataclass(frozen=True, slots=True, eq=False)
class Fabric:
    """Components are numbered from 0; those of the hosts come after them."""

    components: FabricComponents
    cables: Cables
    one_way: Cables
    attach: Indices  # per host: the component its uplink leads to, or -1
    names: tuple[Block, ...]


def cables(source: Integers, target: Integers, link: Link) -> Cables:
    """Equal cables from each source to each target."""
    count = len(source)
    return Cables(
        source.astype(np.int32, copy=False),
        target.astype(np.int32, copy=False),
        np.full(count, float(link.bandwidth)),
        np.full(count, int(link.latency), np.int64),
    )


def no_cables() -> Cables:
    """None at all."""
    return cables(np.empty(0, np.int32), np.empty(0, np.int32), Link(1.0, 0))  # type: ignore[arg-type]


def join_cables(*parts: Cables) -> Cables:
    """All cables of all parts, in order."""
    return Cables(
        np.concatenate([part.source for part in parts]),
        np.concatenate([part.target for part in parts]),
        np.concatenate([part.bandwidth for part in parts]),
        np.concatenate([part.latency for part in parts]),
    )


def switches(count: int, switch: Switch) -> FabricComponents:
    """`count` equal switches."""
    kind = COMPONENT_KINDS.index(switch.kind)
    return FabricComponents(
        np.full(count, kind, np.uint8), np.full(count, float(switch.bandwidth)), np.zeros(count)
    )


def join_components(*parts: FabricComponents) -> FabricComponents:
    """All components of all parts, in order."""
    return FabricComponents(
        np.concatenate([part.kind for part in parts]),
        np.concatenate([part.bandwidth for part in parts]),
        np.concatenate([part.local_bandwidth for part in parts]),
    )
