"""What every engine of the core takes: programs of ranks on a machine, as columns with names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.cluster.cluster import Cluster, Network
from striate.cluster.placement import Placement
from striate.collectives.columns import CollectiveBook
from striate.engine.file_servers import FileServers, file_servers
from striate.engine.interfaces import Interfaces, joined, rank_interfaces, service_interfaces
from striate.engine.names import names_of
from striate.engine.oversubscription import (
    background_slowness,
    compute_lags,
    cpus_to_share,
    message_waits,
    waiting_slowness,
)
from striate.layout.extent_lists import ExtentLists
from striate.refusals import Names
from striate.workload.application import Application, Groups
from striate.workload.kinds import Kind
from striate.workload.program import ProgramTable
from striate.workload.transforms.slowed import slowed

Int64s = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class EngineInput:
    """One program on one machine. The core reads the columns by their names; the rest says what they were made from."""

    application: Application  # all applications as one
    parts: tuple[Application, ...]  # those it was merged from
    cluster: Cluster
    placement: Placement

    programs: ProgramTable
    communicators: list[Groups]
    collectives: CollectiveBook
    extents: ExtentLists
    rank_node: NDArray[np.int32]
    rank_start: Int64s | None  # picoseconds; None: all at once
    rank_wait: Int64s | None
    rank_lag: NDArray[np.float64] | None
    longest_lag: int
    node_cpus: NDArray[np.int32]
    node_speed: NDArray[np.float64]
    network: Network
    interfaces: Interfaces  # of ranks, then of servers
    files: FileServers | None
    eager_bytes: int
    packet_bytes: int
    round_robin: bool
    free_near: bool

    @property
    def names(self) -> Names:
        return names_of(self.application, self.cluster, self.parts)


def engine_input(
    application: Application,
    cluster: Cluster,
    placement: Placement,
    collectives: CollectiveBook,
    *,
    parts: tuple[Application, ...] = (),
    rank_start: Int64s | None = None,
) -> EngineInput:
    """Rank r of `application` begins at `rank_start[r]` picoseconds; all work takes its share of slow nodes longer."""
    slowness = background_slowness(cluster, placement) * waiting_slowness(cluster, placement)
    speed = np.array([kind.instructions_per_second for kind in cluster.node_types], np.float64)
    settings = cluster.settings
    return EngineInput(
        application=application,
        parts=parts or (application,),
        cluster=cluster,
        placement=placement,
        programs=slowed(application.programs, slowness),
        communicators=[application.groups(number) for number in range(len(application.communicators))],
        collectives=collectives,
        extents=application.extents,
        rank_node=placement.node.astype(np.int32, copy=False),
        rank_start=rank_start,
        rank_wait=message_waits(cluster, placement),
        rank_lag=compute_lags(
            cluster, placement, flushed=bool((application.programs.kind == Kind.SYNC).any())
        ),
        longest_lag=int(settings.longest_lag),
        node_cpus=cpus_to_share(cluster, placement),
        node_speed=speed[cluster.node_type] / slowness,
        network=cluster.network,
        interfaces=joined(rank_interfaces(cluster, placement), service_interfaces(cluster)),
        files=file_servers(cluster, application, placement) if cluster.servers else None,
        eager_bytes=int(settings.eager),
        packet_bytes=int(settings.packet),
        round_robin=settings.routing == "round-robin",
        free_near=settings.free_near,
    )
