"""The truth about a lab as a cluster description: what was built, not what was measured."""

from __future__ import annotations

import os
from typing import Any

from striate.cluster.cluster import Cluster
from striate.cluster.description.software import dirty_bytes, file_system_settings, mpi_settings
from striate.cluster.load import cluster_from_tables
from striate.lab.plan import Plan
from striate.units import about_rate, format_picoseconds, format_rate, format_size

_UNLIMITED = 1e9  # stands for a rate without a limit
_ASSUMED = {
    "memory": "4 GB/s",
    "plenty": "16 GB/s",
    "latency": "20 us",
    "cpu": "2 G",
}
_DUPLEX = (
    1.7  # times a link's rate that both directions carry where hosts share CPUs; found with 4 hosts on 2 CPUs
)
# A message between two ranks of a host with one CPU, where hosts share CPUs: what it takes to be back on the CPU, and
# two copies by ranks that run in turn; found with six ranks on three hosts and 2 CPUs, 8 B to 4 MiB.
_TURN, _SHARED_MEMORY = "60 us", "1.4 GB/s"
_PACKET = "16 KiB"  # TCP over a few frames at a time
_SLICE, _PEAK = "100 ms", "180 MB/s"  # of the kernel's block throttle (throtl_slice, HZ / 10); loop devices
_SYNC = "2.5 ms"  # of a small file
# Asking for a name, and making a file, which waits for a disk; found with 1 to 8 ranks on 1 to 4 hosts and 2 CPUs.
_OPEN, _CREATE = "1 ms", "18 ms"


def describe(plan: Plan) -> Cluster:
    """A star of equal hosts; links, disks, servers and shards are exact, the rest is assumed and says so."""
    plenty, shares = _ASSUMED["plenty"], _shares_cpus(plan)
    both_directions = {
        "bandwidth": format_rate(plan.goodput * _DUPLEX),
        "link": {"bandwidth": plenty, "latency": "0 s"},
    }
    places = {
        "count": plan.servers * plan.disks,
        "on": "nodes",
        "nodes": list(range(plan.servers)),
        "per_node": plan.disks,
    }
    tables: dict[str, Any] = {
        "name": plan.name,
        "source": _source(plan),
        "settings": {
            "packet": _PACKET,
            "stripe_unit": format_size(plan.shard_bytes or plan.disk_bytes),
            **file_system_settings("fuse.glusterfs", sharded=plan.shard_bytes > 0),
            **mpi_settings("MPICH"),
            **({"turn": _TURN} if shares else {}),
        },
        "node": [
            {
                "name": "host",
                "count": plan.hosts,
                "cpus_per_socket": plan.cores,
                "instructions_per_second": _ASSUMED["cpu"],
                "memory": _memory_bytes() // plan.hosts,
                "nic": {"bandwidth": plenty, "link": {"bandwidth": plenty, "latency": "1 us"}},
                "socket": {"bandwidth": _SHARED_MEMORY if shares else _ASSUMED["memory"]},
                **({"hub": both_directions} if shares else {}),
                "uplink": {
                    "bandwidth": format_rate(plan.goodput),
                    "latency": _ASSUMED["latency"],
                },
            }
        ],
        "network": {"topology": "star", "switch": {"bandwidth": plenty}},
        "server": [
            {
                "name": "server",
                **places,
                "cache": {
                    "policy": "aggregation-reorder",
                    "keeps_reads": True,
                    "sync": _SYNC,
                    "dirty": dirty_bytes(_memory_bytes()),
                },
                "disk": _disk(plan),
            }
        ],
        "metadata": [
            {"name": "names", **places, "open": _OPEN, "create": _CREATE, "delete": _OPEN},
        ],
        "placement": {"kind": "block"},
    }
    return cluster_from_tables(tables)


def _disk(plan: Plan) -> dict[str, Any]:
    requests = plan.disk_requests_per_second
    access = round(1e12 / requests) if requests else 0
    return {
        "kind": "simple",
        "rate": format_rate(plan.disk_bytes_per_second or _UNLIMITED),
        "access": format_picoseconds(access),
        **({"slice": _SLICE, "peak": _PEAK} if plan.disk_bytes_per_second else {}),
    }


def _shares_cpus(plan: Plan) -> bool:
    return plan.hosts * plan.cores > len(os.sched_getaffinity(0))


def _memory_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _source(plan: Plan) -> str:
    lines = [
        "The practice cluster of `striate lab`, as built, not measured. Exact: hosts, CPUs per host, the bandwidth of "
        "uplinks (without headers), servers, the rate of their disks, shards.",
        "Assumed: latencies, memory bandwidth, CPU rate, caches. The switch itself has no limit.",
        "GlusterFS places shards by a hash of their names, so that each run has another placement.",
    ]
    if plan.disk_requests_per_second:
        lines.append(
            "The limit on requests is described as a time per access; disks obey both limits at once."
        )
    if not plan.disk_bytes_per_second:
        lines.append(f"Disks have no limit in bytes; {format_rate(_UNLIMITED)} stands for it.")
    if plan.outruns_cpus:
        lines.append(
            f"Not described: the CPUs move about {about_rate(plan.file_rate)} of files in all, less than the links "
            "together."
        )
    if _shares_cpus(plan):
        lines.append(
            "Hosts share CPUs, of which there are fewer than hosts x CPUs per host: one that sends and receives at "
            f"once passes {_DUPLEX:g} times the rate of its link, as its `hub.bandwidth` says."
        )
    return "\n".join(lines)
