"""The core's pass over one application: sums of work per rank and per server, loops by multiplication."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate import _core
from striate._core import Ledger
from striate.cluster.cluster import Cluster, Network
from striate.cluster.placement import Placement
from striate.collectives.choice import Choice
from striate.collectives.sums import CollectiveSums, sums_of
from striate.engine.file_layouts import LayoutTable, layout_table
from striate.engine.names import names_of
from striate.errors import PredictionError
from striate.layout.extent_lists import ExtentLists
from striate.refusals import translated
from striate.workload.application import Application, Groups
from striate.workload.program import ProgramTable


@dataclass(frozen=True, slots=True, eq=False)
class LedgerInput:
    """One application on the ranks of a machine; the core reads the columns by their names."""

    programs: ProgramTable
    communicators: list[Groups]
    extents: ExtentLists
    collectives: CollectiveSums
    network: Network
    rank_component: NDArray[np.int32]
    interface_bandwidth: NDArray[np.float64]  # per rank: the slower of its interface and its link
    interface_latency: NDArray[np.int64]
    stripe_unit: int
    servers: int
    layouts: LayoutTable
    metadata: bool  # count what metadata servers hear
    free_near: bool
    independent_only: bool  # without collective access to files


def sum_up(
    application: Application,
    cluster: Cluster,
    placement: Placement,
    ranks: slice,
    choice: Choice | None = None,
    *,
    independent_only: bool = False,
) -> Ledger:
    """Sums of one application on `ranks`; with `independent_only` without collective access to files."""
    interfaces = [kind.nic for kind in cluster.node_types]
    kind = cluster.node_type[placement.node[ranks]]
    slowest = np.array([min(nic.bandwidth, nic.link.bandwidth) for nic in interfaces])
    latency = np.array([nic.link.latency for nic in interfaces], np.int64)
    with translated(PredictionError, names_of(application, cluster), source=application.name):
        given = LedgerInput(
            programs=application.programs,
            communicators=[application.groups(number) for number in range(len(application.communicators))],
            extents=application.extents,
            collectives=sums_of(application, (choice or Choice()).on(cluster), placement.node[ranks]),
            network=cluster.network,
            rank_component=cluster.socket_component[placement.socket[ranks]],
            interface_bandwidth=slowest[kind],
            interface_latency=latency[kind],
            stripe_unit=int(cluster.settings.stripe_unit),
            servers=len(cluster.servers),
            layouts=layout_table(application, cluster),
            metadata=bool(cluster.metadata),
            free_near=cluster.settings.free_near,
            independent_only=independent_only,
        )
        return _core.sum_up(given)
