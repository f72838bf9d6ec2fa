"""The servers of a parallel file system in a description: how many, on which nodes, and what their disks take."""

from __future__ import annotations

from typing import Any

from striate.cluster.description.software import dirty_bytes, file_system_settings
from striate.interval import Interval
from striate.probe.draft import Draft
from striate.probe.filesystem import FileSystem
from striate.probe.report import ProbeReport
from striate.probe.servers import DISK, REMOTE

_FLUSHED = "written and flushed, servers in turn"


def has_servers(report: ProbeReport) -> bool:
    """Whether the file system is a networked one whose servers were measured."""
    system = report.facts.file_system
    return system is not None and system.networked and _disk_line(report) is not None


def settings_of_servers(report: ProbeReport) -> dict[str, Any]:
    """What the file system tells, and what is known of its kind."""
    system = report.facts.file_system
    assert system is not None
    told = {"stripe_unit": system.stripe_bytes} if system.stripe_bytes else {}
    return told | _known_settings(system)


def servers_of(draft: Draft, report: ProbeReport) -> dict[str, Any]:
    """Equal servers; on compute nodes where the file system says that they are there, or else apart."""
    system, name = report.facts.file_system, _disk_line(report)
    assert system is not None
    assert name is not None
    startup, rate = (report.need(f"{name}: {what}") for what in ("latency", "rate"))
    cache: dict[str, Any] = {"policy": "aggregation-reorder", "keeps_reads": True}
    disk = {"kind": "simple", "rate": draft.rate("server[0].disk.rate", rate.value, rate.samples, _FLUSHED)}
    flush = startup.value, startup.samples, _FLUSHED
    if _known_settings(system):  # it writes back into the server's page cache: a flush has the latency
        cache |= {
            "sync": draft.time("server[0].cache.sync", *flush),
            "dirty": dirty_bytes(report.facts.memory_bytes),
        }
    else:
        disk["access"] = draft.time("server[0].disk.access", *flush)
    place = _place(system.hosts, report.facts.hosts)
    return {"name": "files", "count": system.servers or 1, **place, "cache": cache, "disk": disk}


def names_of(draft: Draft, report: ProbeReport) -> list[dict[str, Any]]:
    """Who knows names, and what one process took to ask for one; every server where names are dealt by a hash."""
    system = report.facts.file_system
    assert system is not None
    kinds = {"open": "open and close", "create": "create", "stat": "stat", "delete": "delete"}
    times = {
        key: draft.time(f"metadata[0].{key}", _each(rate.value), rate.samples, rate.how)
        for key, kind in kinds.items()
        if (rate := report.get(f"metadata, {kind}")) is not None
    }
    if "open" not in times:
        return []
    dealt = _known_settings(system).get("distribution") == "hash"
    place = _place(system.hosts, report.facts.hosts) if dealt else {"on": "nodes", "nodes": [0]}
    return [{"name": "names", "count": (system.servers or 1) if dealt else 1, **place, **times}]


def _each(per_second: Interval) -> Interval:
    return Interval(1 / per_second.high, 1 / per_second.estimate, 1 / per_second.low)


def _known_settings(system: FileSystem) -> dict[str, Any]:
    return file_system_settings(system.kind, sharded=bool(system.stripe_bytes))


def _place(servers: tuple[str, ...], nodes: tuple[str, ...]) -> dict[str, Any]:
    """The `on`, `nodes` and `per_node` of a server table; nodes with several servers must have equally many."""
    found = sorted({nodes.index(host) for host in servers if host in nodes})
    each = {servers.count(host) for host in servers}
    if not servers or not set(servers) <= set(nodes) or len(each) != 1:
        return {"on": "apart", "like": "node"}
    return {"on": "nodes", "nodes": found, "per_node": each.pop()}


def _disk_line(report: ProbeReport) -> str | None:
    """What knows most of the disks: clients on the servers' own nodes, or else those behind a link."""
    return next((name for name in (DISK, REMOTE) if report.get(f"{name}: rate") is not None), None)
