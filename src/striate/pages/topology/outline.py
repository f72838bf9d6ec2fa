"""What was understood of a machine, as sections of lines for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from striate.cluster import measures
from striate.cluster.cluster import Cluster, Link, Nic, Settings
from striate.cluster.description.quantities import Bytes, Ticks
from striate.cluster.description.tables import (
    Description,
    ForwarderTable,
    MetadataTable,
    NodeTable,
    SeatTable,
    ServerTable,
)
from striate.cluster.placement import Placement
from striate.cluster.storage import Cache, capacity_bytes
from striate.pages.topology.inside import at_once, disk_details, disk_words
from striate.units import about_count, about_rate, about_seconds, about_size, counted, format_size

Lines = list[tuple[str, str]]


def sections(cluster: Cluster, placement: Placement | None) -> list[tuple[str, Lines]]:
    """Titles, each with lines of a label and its value."""
    description = cluster.description
    assert description is not None
    found = [("Machine", _machine(cluster))]
    found += [(f"Node {table.name} x {table.count}", _node(table)) for table in description.node]
    found += [("Network", _network(cluster, description))]
    found += [
        (f"Server {table.name} x {table.count}", _server(cluster, table)) for table in description.server
    ]
    found += [
        (f"Forwarder {table.name} x {table.count}", _forwarder(table)) for table in description.forwarder
    ]
    found += [
        (f"Metadata {table.name} x {table.count}", _metadata(cluster, table))
        for table in description.metadata
    ]
    found += [("Settings", _settings(description)), ("Placement", _placement(cluster, placement))]
    return [
        *found,
        ("Empty message, one way (48 B of headers, no CPU time), and long-message rate", _routes(cluster)),
    ]


def _machine(cluster: Cluster) -> Lines:
    disks = sum(len(server.disks) for server in cluster.servers)
    reads, writes = (measures.disk_bytes_per_second(cluster, write=write) for write in (False, True))
    lines = [
        (
            "nodes",
            f"{cluster.nodes:,} with {counted(cluster.sockets, 'socket')}, {counted(cluster.cpus, 'CPU')}",
        ),
        ("memory", about_size(measures.memory_bytes(cluster))),
        ("I/O servers", f"{len(cluster.servers):,} with {counted(disks, 'disk')}"),
        ("all disks", f"read {about_rate(reads)}, write {about_rate(writes)}"),
    ]
    if cluster.description is not None and cluster.description.network is not None:
        sent = measures.node_uplinks_bytes_per_second(cluster)
        taken = measures.server_uplinks_bytes_per_second(cluster)
        lines.append(("all uplinks", f"nodes {about_rate(sent)}, nodes with servers {about_rate(taken)}"))
    return lines


def _node(table: NodeTable) -> Lines:
    sockets = f"{table.sockets} socket{'s' * (table.sockets > 1)} x {table.cpus_per_socket} CPUs"
    memory = about_rate(table.socket.bandwidth)
    if table.socket.local_bandwidth is not None:
        memory += f", {about_rate(table.socket.local_bandwidth)} within the socket"
    lines = [
        ("CPUs", f"{sockets}, {about_count(table.instructions_per_second)} instructions/s each"),
        ("memory", about_size(table.memory)),
        ("interface", _nic(table.nic)),
        ("socket memory", memory),
    ]
    if table.hub is not None:
        lines.append(("hub", f"{about_rate(table.hub.bandwidth)}, link {_link(table.hub.link)}"))
    return [*lines, ("uplink", _link(table.uplink))] if table.uplink is not None else lines


def _network(cluster: Cluster, description: Description) -> Lines:
    lines = [("topology", topology(cluster))]
    if description.network is not None:
        for field in msgspec.structs.fields(description.network):
            lines.append((field.name.replace("_", " "), _plain(getattr(description.network, field.name))))
    graph = cluster.network
    return [
        *lines,
        ("graph", f"{counted(graph.components, 'component')}, {counted(graph.edges, 'directed edge')}"),
    ]


def _server(cluster: Cluster, table: ServerTable) -> Lines:
    disks = table.all_disks()
    first = next(server for server in cluster.servers if server.name == f"{table.name}.0")
    cache = table.cache
    disk_jobs = counted(at_once(table), "request")
    ahead = f"reads ahead {about_size(cache.read_ahead)}" if cache.read_ahead else "no read-ahead"
    kept = "keeps what it read" if cache.keeps_reads else "keeps no reads"
    lines = [
        ("where", _where(table)),
        ("interface", _nic(first.nic)),
        ("cache", f"{cache.policy}, {about_size(first.memory)}, {disk_jobs} at the disks"),
        ("", ", ".join((ahead, kept, *_write_back(cache)))),
    ]
    if table.burst is not None:
        kept = f"{about_size(table.burst.capacity)}, drains above {about_size(table.burst.threshold)}"
        lines.append(("burst buffer", f"{kept}; {disk_words(table.burst.disk)}"))
    if len(disks) > 1:
        lines.append(("array", f"RAID {table.raid}, chunks of {about_size(table.chunk)}"))
    if capacity := capacity_bytes(disks, table.raid):
        lines.append(("capacity", f"{about_size(capacity)} of data"))
    kinds = list(dict.fromkeys(disks))
    return lines + [
        (f"disk x {disks.count(kind)}", f"{disk_words(kind)}; {disk_details(kind)}") for kind in kinds
    ]


def _write_back(cache: Cache) -> Iterator[str]:
    """What a server does with written data, where it is not the default."""
    if cache.dirty:
        yield f"writes back above {about_size(cache.dirty)}"
    if cache.sync:
        yield f"a sync takes {about_seconds(cache.sync / 1e12)} more"
    if cache.ready is not None and cache.fresh_rate is not None:
        yield f"{about_size(cache.ready)} ready, more at {about_rate(cache.fresh_rate)}"


def _forwarder(table: ForwarderTable) -> Lines:
    served = "all nodes" if table.serves is None else _plain(table.serves)
    targets = "all servers" if table.to is None else ", ".join(table.to)
    lines = [("where", _where(table)), ("serves", f"{served}, in equal blocks"), ("to", targets)]
    return [*lines, ("gathers", about_size(table.aggregate))] if table.aggregate else lines


def _metadata(cluster: Cluster, table: MetadataTable) -> Lines:
    first = next(server for server in cluster.metadata if server.name == f"{table.name}.0")
    times = {"open": first.open, "create": first.create, "stat": first.stat, "delete": first.delete}
    words = [f"{name} {about_seconds(ticks / 1e12)}" for name, ticks in times.items()]
    words.append("close is free" if first.close is None else f"close {about_seconds(first.close / 1e12)}")
    return [("where", _where(table)), ("times", ", ".join(words)), ("at once", str(first.concurrent))]


def _where(table: SeatTable) -> str:
    if table.on == "apart":
        return f"nodes of their own, {table.per_node} on each"
    chosen = "" if table.nodes is None else f" {_plain(table.nodes)}"
    return f"compute nodes{chosen}, {table.per_node} on each"


# Settings that are shown even where they have their default values.
_ALWAYS = (
    "packet",
    "eager",
    "io_request",
    "stripe_unit",
    "collective_buffer",
    "routing",
    "collective",
    "aggregators",
)


def _settings(description: Description) -> Lines:
    settings, default = description.settings, Settings()
    values = {key: getattr(settings, key) for key in settings.__struct_fields__}
    shown = [key for key, value in values.items() if key in _ALWAYS or value != getattr(default, key)]
    lines = [(key.replace("_", " "), _setting(values[key])) for key in shown]
    return [*lines, ("others", "as by default")]


def _setting(value: object) -> str:
    """A setting in words: a size, a time, a number, a choice, or a list of rules."""
    match value:
        case bool():
            return "yes" if value else "no"
        case Bytes():
            return format_size(value)
        case Ticks():
            return about_seconds(value / 1e12)
        case float():
            return f"{value:.3g}"
        case tuple():
            return "; ".join(value)
    return str(value)


def _placement(cluster: Cluster, placement: Placement | None) -> Lines:
    lines: Lines = [("kind", cluster.placement)]
    if placement is None:
        return lines
    shown = min(placement.ranks, 16)
    sockets = (placement.socket - cluster.first_socket[placement.node])[:shown].tolist()
    triples = zip(placement.node[:shown].tolist(), sockets, placement.cpu[:shown].tolist(), strict=True)
    for rank, (node, socket, cpu) in enumerate(triples):
        lines.append((f"rank {rank}", f"node {node}, socket {socket}, CPU {cpu}"))
    return lines if shown == placement.ranks else [*lines, ("", f"and {placement.ranks - shown} ranks more")]


def _routes(cluster: Cluster) -> Lines:
    return [
        (name, f"{about_time(route.empty_message_seconds)}, {about_rate(route.bytes_per_second)}")
        for name, route in measures.route_measures(cluster).items()
    ]


def about_time(seconds: float) -> str:
    """Five digits: latencies are compared with each other."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.5g} {unit}"
    return f"{seconds * 1e9:.5g} ns"


def topology(cluster: Cluster) -> str:
    """The kind of network, "none" for a lone node."""
    network = cluster.description.network if cluster.description else None
    return str(type(network).__struct_config__.tag) if network is not None else "none"


def _plain(value: Any) -> str:
    """A value of the network table in words."""
    if isinstance(value, Link):
        return _link(value)
    if isinstance(value, msgspec.Struct):
        return about_rate(getattr(value, "bandwidth", 0.0))
    if isinstance(value, tuple):
        if value and isinstance(value[0], msgspec.Struct):
            return str(len(value))
        return ", ".join(map(str, value[:8])) + (", ..." if len(value) > 8 else "")
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "chosen to fit" if value is None else str(value)


def _link(link: Link) -> str:
    return (
        f"{about_rate(link.bandwidth)}, {about_time(link.latency / 1e12) if link.latency else 'no latency'}"
    )


def _nic(nic: Nic) -> str:
    return f"{about_rate(nic.bandwidth)} ({nic.kind}), link {_link(nic.link)}"
