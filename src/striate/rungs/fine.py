"""The finest rung: every packet of every message, and every job of every disk (paper 001)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from striate.cluster.cluster import Cluster
from striate.cluster.part_names import component_name, link_name
from striate.collectives.choice import Choice
from striate.engine.input import EngineInput
from striate.engine.packets import PacketRun, run_packets
from striate.engine.timeline import timeline_of
from striate.interval import Interval
from striate.rungs.answer import Share, Use, Verdict
from striate.rungs.memory.fit import expect_room
from striate.rungs.program_input import input_of
from striate.rungs.server_use import forwarder_uses, metadata_uses, server_uses
from striate.units import about_seconds
from striate.workload.transforms.merge import first_ranks, labels_of, merged
from striate.workload.workload import Workload

NAME = "fine"


def predict_fine(
    workload: Workload,
    cluster: Cluster,
    *,
    choice: Choice | None = None,
    timeline_bytes: int = 0,
    collective_steps: bool = False,
    given: Callable[[], EngineInput] | None = None,
) -> Verdict:
    """Play the program packet by packet; section 5.5 of paper 004 takes its bounds to be of no width.

    With `timeline_bytes` above 0 the answer has a timeline, made of what fits into so much memory; it looks into
    collective calls with `collective_steps`. `given` has the engine's input for a caller who needs it for other
    rungs, too.
    """
    application = merged(workload.applications)
    expect_room(
        application,
        cluster,
        choice=choice,
        timeline_bytes=timeline_bytes,
        collective_steps=collective_steps,
    )
    engine = given() if given else input_of(workload, cluster, choice)
    run = run_packets(engine, timeline_bytes=timeline_bytes, collective_steps=collective_steps)
    found = verdict_of(run, workload, cluster)
    timeline = timeline_of(run.recorded, engine) if run.recorded else None
    return replace(found, notes=_notes(run), timeline=timeline)


def verdict_of(run: PacketRun, workload: Workload, cluster: Cluster) -> Verdict:
    """What a run of the engine says: its time, and the load of everything."""
    return Verdict(
        interval=Interval.exactly(int(run.rank_end.max()) / 1e12),
        uses=_uses(run, cluster),
        applications=_shares(workload, run),
        servers=server_uses(run, cluster),
        metadata=metadata_uses(run, cluster),
        forwarders=forwarder_uses(run, cluster),
    )


def _shares(workload: Workload, run: PacketRun) -> tuple[Share, ...]:
    applications = workload.applications
    return tuple(
        Share(
            label,
            application.ranks,
            application.start_picoseconds / 1e12,
            int(run.rank_end[first : first + application.ranks].max()) / 1e12,
        )
        for application, label, first in zip(
            applications, labels_of(applications), first_ranks(applications), strict=True
        )
    )


def _notes(run: PacketRun) -> tuple[str, ...]:
    ended = int(run.rank_end.max())
    notes = [
        f"{run.messages:,} messages, {run.events - run.skipped:,} events simulated, {run.skipped:,} skipped exactly"
    ]
    jobs = int(run.disk_operations.sum())
    if jobs:
        near, still = int(run.disk_near_seeks.sum()), int(run.disk_sequential.sum())
        notes.append(
            f"{jobs:,} disk jobs: {still:,} in sequence, {near:,} short seeks, {jobs - near - still:,} long ones"
        )
    if run.end > ended:
        notes.append(
            f"servers go on writing for {about_seconds((run.end - ended) / 1e12)} after the last rank has ended"
        )
    return tuple(notes)


def play(workload: Workload, cluster: Cluster, *, choice: Choice | None = None) -> PacketRun:
    """The run itself, all applications at once; refuses what this rung cannot play."""
    expect_room(merged(workload.applications), cluster, choice=choice)
    return run_packets(input_of(workload, cluster, choice))


def skewed_seconds(engine: EngineInput, skew_seconds: float, seed: int) -> float:
    """Seconds from the first rank's start to the last one's end when ranks begin at random up to a skew apart."""
    ranks = len(engine.rank_node)
    late = np.random.default_rng(seed).integers(0, round(skew_seconds * 1e12), ranks, np.int64, endpoint=True)
    late -= late.min()
    starts = late if engine.rank_start is None else engine.rank_start + late
    return int(run_packets(replace(engine, rank_start=starts)).rank_end.max()) / 1e12


def _cpus_in_use(cluster: Cluster, ranks: int) -> NDArray[np.int64]:
    """Per node: its CPUs that have a rank to run, at least one."""
    cpus = np.array([kind.sockets * kind.cpus_per_socket for kind in cluster.node_types])[cluster.node_type]
    placed = np.bincount(cluster.place(ranks).node, minlength=cluster.nodes)
    return np.clip(placed, 1, cpus)


def _uses(run: PacketRun, cluster: Cluster) -> tuple[Use, ...]:
    """Mean busy time of each node's CPUs in use and of servers; of components and links, also their queues."""
    middle = cluster.network.components
    last = middle + cluster.network.edges
    queue = run.station_waited / (run.end / 1e12) if run.end else run.station_waited
    parts = (
        ("node", run.node_busy / _cpus_in_use(cluster, len(run.rank_end)), None, None),
        (
            "component",
            run.station_busy[:middle],
            queue[:middle],
            lambda number: component_name(cluster, number),
        ),
        (
            "link",
            run.station_busy[middle:last],
            queue[middle:last],
            lambda number: link_name(cluster, number),
        ),
        ("disk", run.server_busy if run.server_busy.any() else run.server_busy[:0], None, None),
        ("burst buffer", run.burst_busy if run.burst_busy.any() else run.burst_busy[:0], None, None),
        (
            "metadata server",
            run.metadata_busy / np.array([one.concurrent for one in cluster.metadata] or [1]),
            None,
            None,
        ),
    )
    return tuple(Use.of(kind, busy / 1e12, queue, name) for kind, busy, queue, name in parts if len(busy))
