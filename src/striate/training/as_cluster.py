"""A storage system as a cluster description with ranges: every program can be forecast on a sheet."""

from __future__ import annotations

import math
import re
from typing import Any

from striate.cluster import Cluster
from striate.cluster.load import cluster_from_tables
from striate.training.system import Rates, StorageSystem, rates_of
from striate.training.uncertain import Uncertain
from striate.units import format_rate, format_size

SWITCH = "100 TB/s"  # no sheet says what lies between; it is not what binds
SOCKET = "200 GB/s"
LATENCY = "2 us"


def cluster_of(system: StorageSystem) -> Cluster:
    """Hosts on a switch with the storage servers, or with drives of their own; `[[measured]]` holds the ranges.

    Numbers of drives and servers that the sheet does not say widen the range of the rate of a drive, and of a server's
    link: a description has no ranges of counts.
    """
    rates = rates_of(system, "other")
    return cluster_from_tables(_tables(system, rates))


def _tables(system: StorageSystem, rates: Rates) -> dict[str, Any]:
    servers = round(rates.servers.middle) if rates.servers else 1
    drives = max(1, round(rates.drive_count.middle / servers))
    read = _product(rates.drive_rate, rates.delivered, *_counted(rates.drive_count))
    write = _product(read, rates.write_share)
    memory = format_size(int(system.host_memory or 256 * 2**30))
    inside = {"nic": {"bandwidth": SOCKET, "link": {"bandwidth": SOCKET}}, "socket": {"bandwidth": SOCKET}}
    node: dict[str, Any] = {
        "name": "host",
        "count": system.hosts or 1,
        "cpus_per_socket": round(rates.cores.middle),
        "instructions_per_second": "2.5 G",
        "memory": memory,
        **inside,
    }
    server: dict[str, Any] = {
        "name": "storage",
        "count": servers,
        "on": "nodes" if system.local else "apart",
        "disks": drives,
        "disk": {
            "kind": "flash",
            "read_rate": format_rate(read[1]),
            "write_rate": format_rate(write[1]),
            "read_latency": "100 us",
            "write_latency": "30 us",
            "channels": 8,
        },
    }
    measured = [_measured("server[0].disk.read_rate", read, rates.drive_rate, rates.delivered)]
    measured.append(_measured("server[0].disk.write_rate", write, rates.write_share))
    if rates.host_link and rates.server_link and rates.link_share:
        host, stored = (
            _product(rates.host_link, rates.link_share),
            _product(rates.server_link, rates.link_share, *_counted(rates.servers)),
        )
        node["uplink"] = {"bandwidth": format_rate(host[1]), "latency": LATENCY}
        server["node"] = {
            **inside,
            "memory": memory,
            "uplink": {"bandwidth": format_rate(stored[1]), "latency": LATENCY},
        }
        measured.append(_measured("node[0].uplink.bandwidth", host, rates.host_link, rates.link_share))
        measured.append(
            _measured("server[0].node.uplink.bandwidth", stored, rates.server_link, rates.link_share)
        )
    elif node["count"] > 1:
        node["uplink"] = {"bandwidth": "25 GB/s", "latency": LATENCY}
    network = {"network": {"topology": "star", "switch": {"bandwidth": SWITCH}}} if "uplink" in node else {}
    return {
        "name": re.sub(r"[^A-Za-z0-9 _+()/-]", "_", system.name).lstrip(" _+()/-")[:64] or "sheet",
        "source": f"sheets of the machine. Not said there: {', '.join(system.missing()) or 'nothing'}.",
        "settings": {"io_request": "4 MiB", "stripe_unit": "1 MiB"},
        "node": [node],
        "server": [server],
        "measured": [table for table in measured if table["low"] != table["high"]],
        **network,
    }


def _counted(number: Uncertain | None) -> list[Uncertain]:
    """A count that is a range, by which the rate of one part is made as uncertain as that of all."""
    return [number] if number is not None and number.low != number.high else []


def _product(*factors: Uncertain | tuple[float, float, float]) -> tuple[float, float, float]:
    """Low, middle and high of a product: independent factors, whose log-widths add in squares; counts widen alone."""
    ends = [(one.low, one.middle, one.high) if isinstance(one, Uncertain) else one for one in factors]
    middle = math.prod(end[1] for end, one in zip(ends, factors, strict=True) if not _is_count(one))
    down = math.sqrt(sum(math.log(end[1] / end[0]) ** 2 for end in ends))
    up = math.sqrt(sum(math.log(end[2] / end[1]) ** 2 for end in ends))
    return middle * math.exp(-down), middle, middle * math.exp(up)


def _is_count(one: object) -> bool:
    return isinstance(one, Uncertain) and one.name.startswith("number of")


def _measured(key: str, span: tuple[float, float, float], *numbers: Uncertain) -> dict[str, str | int]:
    how = "; ".join(f"{one.name}: {one.source}" for one in numbers)
    ends = {"low": format_rate(span[0]), "high": format_rate(span[2])}
    return {"key": key, **ends, "samples": 0, "how": how[:400]}
