"""The `[network]` table: one frozen class per topology, told apart by the key `topology`."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from striate.cluster.cluster import Link
from striate.cluster.description.quantities import BytesPerSecond, Ticks

Count = Annotated[int, Meta(ge=1, le=10**12)]
ComponentKind = Literal["store-forward", "memory", "cut-through"]


class Switch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a switch or router passes per second, all ports together."""

    bandwidth: BytesPerSecond
    kind: Literal["store-forward", "cut-through"] = "store-forward"


class _Network(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="topology"):
    pass


class StarNetwork(_Network, frozen=True, kw_only=True, tag="star"):
    """All nodes on one switch."""

    switch: Switch


class TwoLevelNetwork(_Network, frozen=True, kw_only=True, tag="two-level"):
    """Leaf switches with `nodes_per_leaf` nodes each, every leaf joined to every spine."""

    nodes_per_leaf: Count
    spines: Count = 1
    leaf: Switch
    spine: Switch
    link: Link


class FatTreeNetwork(_Network, frozen=True, kw_only=True, tag="fat-tree"):
    """A k-ary fat tree: k pods of k/2 edge and k/2 aggregation switches, (k/2)^2 cores, k^3/4 places."""

    arity: Annotated[int, Meta(ge=2, le=10**6, multiple_of=2)] | None = None  # None: the smallest
    switch: Switch
    link: Link


class TorusNetwork(_Network, frozen=True, kw_only=True, tag="torus"):
    """Routers in a grid of any dimensions, each joined to its neighbours; `wrap = false`: a mesh."""

    dimensions: Annotated[tuple[Count, ...], Meta(min_length=1, max_length=16)]
    nodes_per_router: Count = 1
    wrap: bool = True
    router: Switch
    link: Link


class DragonflyNetwork(_Network, frozen=True, kw_only=True, tag="dragonfly"):
    """Groups of routers, all joined within a group; every pair of groups joined by global links."""

    groups: Count
    routers_per_group: Count
    nodes_per_router: Count
    global_links_per_router: Count
    router: Switch
    local_link: Link
    global_link: Link


class ComponentTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[[network.component]]`: one named component of a graph."""

    name: Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._+()/-]*$", max_length=64)]
    bandwidth: BytesPerSecond
    kind: ComponentKind = "store-forward"
    local_bandwidth: BytesPerSecond | None = None


class EdgeTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[[network.edge]]`: a cable between two components or nodes ("compute.3"); duplex unless told."""

    source: str
    target: str
    bandwidth: BytesPerSecond
    latency: Ticks = Ticks(0)
    duplex: bool = True


class GraphNetwork(_Network, frozen=True, kw_only=True, tag="graph"):
    """Any graph, component by component."""

    component: tuple[ComponentTable, ...] = ()
    edge: tuple[EdgeTable, ...] = ()


NetworkTable = StarNetwork | TwoLevelNetwork | FatTreeNetwork | TorusNetwork | DragonflyNetwork | GraphNetwork
