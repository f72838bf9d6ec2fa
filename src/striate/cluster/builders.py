"""Clusters built in Python, one function per topology; tables take the same keys as a TOML file.

cluster = star(
    node={"count": 16, "cpus_per_socket": 8, ...},
    switch={"bandwidth": "48 GB/s"},
    server={"count": 4, "on": "nodes", "disk": {"kind": "simple", "rate": "100 MB/s"}},
)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack

from striate.cluster.cluster import Cluster
from striate.cluster.load import cluster_from_tables

Table = Mapping[str, Any]
Tables = Table | Sequence[Table]


class Rest(TypedDict, total=False):
    """What every builder takes besides its network."""

    name: str
    source: str
    server: Tables
    forwarder: Tables
    metadata: Tables
    settings: Table
    placement: Table


def star(*, node: Tables, switch: Table, **rest: Unpack[Rest]) -> Cluster:
    """All nodes on one switch."""
    return _build("star", node, rest, {"switch": switch})


def two_level(*, node: Tables, **network_and_rest: Any) -> Cluster:
    """Leaves joined to all spines: give `nodes_per_leaf`, `spines`, `leaf`, `spine` and `link`."""
    return _build("two-level", node, *_sorted_out(network_and_rest))


def fat_tree(
    *, node: Tables, switch: Table, link: Table, arity: int | None = None, **rest: Unpack[Rest]
) -> Cluster:
    """A k-ary fat tree; without `arity`, the smallest that holds the nodes."""
    network = {"switch": switch, "link": link} | ({} if arity is None else {"arity": arity})
    return _build("fat-tree", node, rest, network)


def torus(*, node: Tables, dimensions: Sequence[int], **network_and_rest: Any) -> Cluster:
    """Routers in a grid: give `router` and `link`; `nodes_per_router` is 1 and `wrap` true unless given."""
    rest, network = _sorted_out(network_and_rest)
    return _build("torus", node, rest, network | {"dimensions": list(dimensions)})


def dragonfly(*, node: Tables, **network_and_rest: Any) -> Cluster:
    """Groups of routers: give `groups`, `routers_per_group`, `nodes_per_router`, `global_links_per_router`,
    `router`, `local_link` and `global_link`.
    """
    return _build("dragonfly", node, *_sorted_out(network_and_rest))


def graph(
    *, node: Tables, component: Sequence[Table], edge: Sequence[Table] = (), **rest: Unpack[Rest]
) -> Cluster:
    """Any graph of named components and edges."""
    return _build("graph", node, rest, {"component": list(component), "edge": list(edge)})


def _sorted_out(keys: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    rest = {key: value for key, value in keys.items() if key in Rest.__annotations__}
    return rest, {key: value for key, value in keys.items() if key not in rest}


def _build(topology: str, node: Tables, rest: Rest, network: dict[str, Any]) -> Cluster:
    document: dict[str, Any] = {"name": topology, **rest, "network": {"topology": topology, **network}}
    document["node"] = _listed(node, "node")
    for key in ("server", "forwarder", "metadata"):
        document[key] = _listed(rest.get(key, ()), key)
    return cluster_from_tables(document)


def _listed(tables: Any, name: str) -> list[Any]:
    """A list of tables, each with a name."""
    listed = [tables] if isinstance(tables, Mapping) else list(tables)
    first = {"name": name}
    return [
        first | dict(table) if i == 0 and isinstance(table, Mapping) else table
        for i, table in enumerate(listed)
    ]
