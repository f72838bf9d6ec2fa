"""A storage system as a cluster description says it: the rates of its links and disks, without ranges of kinds."""

from __future__ import annotations

from striate.cluster import Cluster
from striate.cluster.description.tables import NodeTable, ServerTable
from striate.cluster.storage import HardDisk, transfer_rate
from striate.errors import PredictionError
from striate.training.system import StorageSystem


def system_of(cluster: Cluster) -> StorageSystem:
    """Hosts are the compute nodes; raises PredictionError for a machine without storage or without a description."""
    description = cluster.description
    if description is None or not description.server:
        raise PredictionError(
            "expected a cluster with I/O servers, from which a training job reads, got a cluster without servers",
            source=cluster.name,
        )
    node, server = description.node[0], description.server[0]
    disks = server.all_disks()
    local = server.on == "nodes"
    nodes = -(-server.count // server.per_node)
    return StorageSystem(
        name=cluster.name,
        hosts=sum(table.count for table in description.node),
        host_memory=float(node.memory),
        host_cores=node.sockets * node.cpus_per_socket,
        host_link=None if local else _uplink(node),
        drives=server.count * len(disks),
        drive_kind="hdd" if isinstance(disks[0], HardDisk) else "nvme",
        drive_rate=float(transfer_rate(disks[0], write=False)),
        drive_write_rate=float(transfer_rate(disks[0], write=True)),
        servers=nodes,
        server_link=None if local else _server_uplink(server, description.node),
        local=local,
        rdma=True,
        described=True,
    )


def _uplink(node: NodeTable) -> float | None:
    return float(node.uplink.bandwidth) if node.uplink else None


def _server_uplink(server: ServerTable, nodes: tuple[NodeTable, ...]) -> float | None:
    if server.node is not None:
        return float(server.node.uplink.bandwidth) if server.node.uplink else None
    alike = next((node for node in nodes if node.name == server.like), None)
    return _uplink(alike) if alike else None
