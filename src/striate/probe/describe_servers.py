"""The servers of a parallel file system in a description: how many, on which nodes, and what their disks take."""

from __future__ import annotations

from typing import Any

from striate.probe.draft import Draft
from striate.probe.report import ProbeReport
from striate.probe.samples import Measurement
from striate.probe.servers import DISK, REMOTE


def has_servers(report: ProbeReport) -> bool:
    """Whether the file system is a networked one whose servers were measured."""
    system = report.facts.file_system
    return system is not None and system.networked and _disk_line(report) is not None


def stripe_bytes(report: ProbeReport) -> int | None:
    """Bytes on one server before the next one takes over, where the file system tells."""
    system = report.facts.file_system
    return system.stripe_bytes if system is not None else None


def servers_of(draft: Draft, report: ProbeReport) -> dict[str, Any]:
    """Equal servers; on compute nodes where the file system says that they are there, or else apart."""
    system, name = report.facts.file_system, _disk_line(report)
    assert system is not None
    assert name is not None
    startup, rate = (report.need(f"{name}: {what}") for what in ("start-up", "rate"))
    return {
        "name": "files",
        "count": system.servers or 1,
        **_place(system.hosts, report.facts.hosts),
        "cache": {"policy": "aggregation-reorder", "keeps_reads": True},
        "disk": _disk(draft, startup, rate),
    }


def _place(servers: tuple[str, ...], nodes: tuple[str, ...]) -> dict[str, Any]:
    """The `on`, `nodes` and `per_node` of a server table; nodes with several servers must have equally many."""
    found = sorted({nodes.index(host) for host in servers if host in nodes})
    each = {servers.count(host) for host in servers}
    if not servers or not set(servers) <= set(nodes) or len(each) != 1:
        return {"on": "apart", "like": "node"}
    return {"on": "nodes", "nodes": found, "per_node": each.pop()}


def _disk(draft: Draft, startup: Measurement, rate: Measurement) -> dict[str, Any]:
    how = "written and flushed, servers in turn"
    return {
        "kind": "simple",
        "rate": draft.rate("server[0].disk.rate", rate.value, rate.samples, how),
        "access": draft.time("server[0].disk.access", startup.value, startup.samples, how),
    }


def _disk_line(report: ProbeReport) -> str | None:
    """What knows most of the disks: clients on the servers' own nodes, or else those behind a link."""
    return next((name for name in (DISK, REMOTE) if report.get(f"{name}: rate") is not None), None)
