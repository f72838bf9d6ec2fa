"""What was understood of a machine, as one document for programs: bytes, bytes per second, seconds."""

from __future__ import annotations

from typing import Any

from striate.cluster import measures
from striate.cluster.cluster import Cluster, MetadataServer
from striate.cluster.description.quantities import Bytes, Ticks
from striate.cluster.placement import Placement
from striate.cluster.storage import capacity_bytes
from striate.pages.topology.outline import topology

SCHEMA = "striate.cluster/1"


def document(cluster: Cluster, placement: Placement | None) -> dict[str, Any]:
    """Plain data that JSON can hold; `schema` changes when a key changes its meaning."""
    return {
        "schema": SCHEMA,
        "name": cluster.name,
        "source": cluster.source.strip(),
        "nodes": cluster.nodes,
        "sockets": cluster.sockets,
        "cpus": cluster.cpus,
        "memory_bytes": measures.memory_bytes(cluster),
        "node_types": [_node_document(cluster, kind) for kind in range(len(cluster.node_types))],
        "network": {
            "topology": topology(cluster),
            "components": cluster.network.components,
            "edges": cluster.network.edges,
        },
        "servers": [_server_document(cluster, index) for index in range(len(cluster.servers))],
        "forwarders": [
            {"name": relay.name, "nodes": len(relay.nodes), "servers": len(relay.servers)}
            for relay in cluster.forwarders
        ],
        "metadata": [_metadata_document(server) for server in cluster.metadata],
        "settings": _settings_document(cluster),
        "placement": _placement_document(cluster, placement),
        "derived": _derived_document(cluster),
    }


def _placement_document(cluster: Cluster, placement: Placement | None) -> dict[str, Any]:
    if placement is None:
        return {"kind": cluster.placement}
    return {
        "kind": cluster.placement,
        "ranks": placement.ranks,
        "node": placement.node.tolist(),
        "socket": (placement.socket - cluster.first_socket[placement.node]).tolist(),
        "cpu": placement.cpu.tolist(),
    }


def _node_document(cluster: Cluster, index: int) -> dict[str, Any]:
    kind = cluster.node_types[index]
    return {
        "name": kind.name,
        "count": int((cluster.node_type == index).sum()),
        "sockets": kind.sockets,
        "cpus_per_socket": kind.cpus_per_socket,
        "instructions_per_second": float(kind.instructions_per_second),
        "memory_bytes": int(kind.memory),
    }


def _server_document(cluster: Cluster, index: int) -> dict[str, Any]:
    server = cluster.servers[index]
    return {
        "name": server.name,
        "node": server.node,
        "component": server.component,
        "memory_bytes": server.memory,
        "cache": server.cache.policy,
        "disks": len(server.disks),
        "raid": server.raid,
        "capacity_bytes": capacity_bytes(server.disks, server.raid) or None,
        "burst_bytes": None if server.burst is None else int(server.burst.capacity),
    }


def _metadata_document(server: MetadataServer) -> dict[str, Any]:
    times = {"open": server.open, "create": server.create, "stat": server.stat, "delete": server.delete}
    seconds = {f"{name}_seconds": ticks / 1e12 for name, ticks in times.items()}
    closing = {"close_seconds": None if server.close is None else server.close / 1e12}
    return {"name": server.name, "concurrent_operations": server.concurrent} | seconds | closing


def _settings_document(cluster: Cluster) -> dict[str, Any]:
    settings = cluster.settings
    return dict(_setting_item(key, getattr(settings, key)) for key in settings.__struct_fields__)


def _setting_item(key: str, value: Any) -> tuple[str, Any]:
    """A setting's name with its unit, and its value."""
    match value:
        case bool():
            return key, value
        case Bytes():
            return f"{key}_bytes", int(value)
        case Ticks():
            return f"{key}_seconds", value / 1e12
        case float():
            return ("background_processes" if key == "background" else key), float(value)
    return key, value


def _derived_document(cluster: Cluster) -> dict[str, Any]:
    routes = {
        name: {
            "empty_message_seconds": route.empty_message_seconds,
            "latency_seconds": route.latency_seconds,
            "bytes_per_second": route.bytes_per_second,
        }
        for name, route in measures.route_measures(cluster).items()
    }
    return {
        "routes": routes,
        "disk_read_bytes_per_second": measures.disk_bytes_per_second(cluster, write=False),
        "disk_write_bytes_per_second": measures.disk_bytes_per_second(cluster, write=True),
        "node_uplinks_bytes_per_second": measures.node_uplinks_bytes_per_second(cluster),
        "server_uplinks_bytes_per_second": measures.server_uplinks_bytes_per_second(cluster),
    }
