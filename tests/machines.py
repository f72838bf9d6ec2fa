"""Small tables from which tests build machines."""

from typing import Any

from striate.cluster.cluster import Cluster
from striate.cluster.placement import Placement
from striate.collectives.columns import CollectiveBook
from striate.engine.input import engine_input
from striate.engine.packets import PacketRun, run_packets
from striate.workload.application import Application

LINK = {"bandwidth": "1 GB/s", "latency": "1 us"}
SWITCH = {"bandwidth": "10 GB/s"}
DISK = {"kind": "simple", "rate": "100 MB/s", "access": "1 ms"}


def node(count: int, *, sockets: int = 1, cpus: int = 1, **more: Any) -> dict[str, Any]:
    """A `[[node]]` table."""
    table: dict[str, Any] = {
        "name": "compute",
        "count": count,
        "sockets": sockets,
        "cpus_per_socket": cpus,
        "instructions_per_second": "1 G",
        "memory": "1 GiB",
        "nic": {"bandwidth": "20 GB/s", "link": {"bandwidth": "4 GB/s", "latency": "100 ns"}},
        "socket": {"bandwidth": "4 GB/s", "local_bandwidth": "5 GB/s"},
        "uplink": LINK,
    }
    if sockets > 1:
        table["hub"] = {"bandwidth": "8 GB/s", "link": {"bandwidth": "3 GB/s", "latency": "50 ns"}}
    return table | more


def server(count: int, **more: Any) -> dict[str, Any]:
    """A `[[server]]` table on the compute nodes."""
    return {"name": "storage", "count": count, "on": "nodes", "disk": DISK} | more


def run_application(
    application: Application,
    cluster: Cluster,
    placement: Placement,
    *,
    collectives: CollectiveBook,
    **options: Any,
) -> PacketRun:
    """`run_packets` of one application."""
    return run_packets(engine_input(application, cluster, placement, collectives), **options)
