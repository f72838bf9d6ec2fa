"""Which kind of program on which kind of machine a forecast is about: its model's errors are those of its kind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from striate.cluster.cluster import Cluster
from striate.workload.flows import Flows
from striate.workload.kinds import FILE_CALLS, Kind
from striate.workload.walk import lines
from striate.workload.workload import Workload

PROGRAMS = ("computing", "messages", "files", "stream")
MACHINES = ("one node", "one node, oversubscribed", "cluster", "cluster, oversubscribed")
_ALONE = frozenset((Kind.COMPUTE,))


@dataclass(frozen=True, slots=True, order=True)
class ForecastKind:
    """A row of the calibration: what the program does most characteristically, and what it runs on."""

    program: str
    machine: str

    def __str__(self) -> str:
        return f"{self.program} on {self.machine}"


def kind_of(workload: Workload | Flows, cluster: Cluster) -> ForecastKind:
    """The kind of a program on a machine."""
    if isinstance(workload, Flows):
        return ForecastKind("stream", "one node" if _is_alone(cluster) else "cluster")
    return ForecastKind(_program(workload), _machine(cluster, workload.ranks))


def ranges_measured(cluster: Cluster) -> bool:
    """Whether all ranges of the machine's numbers come from measurements, and none from a table of what is usual."""
    return cluster.description is None or all(table.samples for table in cluster.description.measured)


def _program(workload: Workload) -> str:
    if any(True for one in workload.applications for _ in lines(one, kinds=FILE_CALLS)):
        return "files"
    calls = {line.kind for one in workload.applications for line in lines(one)}
    return "messages" if workload.ranks > 1 and calls - _ALONE else "computing"


def _machine(cluster: Cluster, ranks: int) -> str:
    cpus = np.array([kind.sockets * kind.cpus_per_socket for kind in cluster.node_types])[cluster.node_type]
    placed = np.bincount(cluster.place(ranks).node, minlength=cluster.nodes)
    where = "one node" if _is_alone(cluster) else "cluster"
    return f"{where}, oversubscribed" if bool((placed > cpus).any()) else where


def _is_alone(cluster: Cluster) -> bool:
    """Whether all of it is one node: servers of their own stand behind a network, which one node does not have."""
    return cluster.nodes == 1 and all(server.node == 0 for server in cluster.servers)
