"""A simulated run as a `Trace`: what ranks, servers, the network and disks did, in the columns of an observed one."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from striate._core import RecordedRows
from striate.cluster.cluster import Cluster
from striate.cluster.placement import Placement
from striate.engine.input import EngineInput
from striate.engine.recording import DISK, RANK, SERVER, STEP, Recording
from striate.engine.timeline_rows import (
    Families,
    Functions,
    Resources,
    disk_rows,
    network_rows,
    rank_rows,
    server_rows,
    step_rows,
)
from striate.layout.extent_lists import ExtentLists
from striate.provenance import versions
from striate.trace.columns import NONE, operations
from striate.trace.header import COLLECTIVE_HINT, SIMULATED, Flag, Header, TracedFile
from striate.trace.kinds import LEVELS, STEP_LEVEL
from striate.trace.trace import Trace
from striate.workload.application import Application


def timeline_of(recorded: RecordedRows, played: EngineInput) -> Trace:
    """The trace of a run; times are rounded to the nanoseconds that traces count."""
    recording, application, cluster = Recording(recorded), played.application, played.cluster
    resources, families, lists = (
        Resources(cluster, application.ranks),
        Families(application),
        list(application.extents),
    )
    parts = [
        rank_rows(recording.at(RANK), application, families, lists),
        step_rows(recording.at(STEP), application, families),
        server_rows(recording.at(SERVER), resources),
        network_rows(recording.transfers, resources, application.ranks),
        *disk_rows(recording.at(DISK), resources),
    ]
    names = {name for part in parts for name in part}
    columns: dict[str, Any] = {
        name: np.concatenate([part.get(name, np.full(len(part["start"]), NONE)) for part in parts])
        for name in names
    }
    columns["function"] = Functions.column(np.maximum(columns["function"], 0), application)
    columns["instructions"] = np.maximum(columns["instructions"], 0)
    for name in ("start", "end"):
        columns[name] = (columns[name] + 500) // 1000
    header = _header(recording, application, cluster, played.placement)
    header = msgspec.structs.replace(
        header, resources=tuple(resources.names), communicators=families.communicators
    )
    table = operations(len(columns["start"]), columns)
    return Trace.of(table, header, ExtentLists.of(lists), occupancy=recording.occupancy(resources.server))


def _header(recording: Recording, application: Application, cluster: Cluster, placement: Placement) -> Header:
    used, host = np.unique(placement.node, return_inverse=True)
    ends = recording.at(RANK)["end"]
    return Header(
        ranks=application.ranks,
        source=f"{SIMULATED} by striate {versions()['striate']} on {cluster.name}",
        program=application.name,
        duration=(int(ends.max(initial=0)) + 500) // 1000,
        hosts=tuple(f"node {node}" for node in used.tolist()),
        host_of_rank=tuple(host.ravel().tolist()),
        files=tuple(
            TracedFile(application.file_name(number), layout=file.layout, hints=_hints(file.collective))
            for file in application.files
            for number in range(file.first, file.first + file.count)
        ),
        regions=application.regions,
        levels=LEVELS if len(recording.at(STEP)) else tuple(name for name in LEVELS if name != STEP_LEVEL),
        flags=_flags(recording, cluster),
        versions=versions(),
    )


def _hints(collective: str | None) -> dict[str, str]:
    return {} if collective is None else {COLLECTIVE_HINT: collective}


def _flags(recording: Recording, cluster: Cluster) -> tuple[Flag, ...]:
    simulated = Flag("simulated", f"simulated by the fine rung on {cluster.name}; nothing of it was observed")
    if not recording.dropped:
        return (simulated,)
    share = len(recording) / (len(recording) + recording.dropped)
    missing = f"the timeline was full after {len(recording):,} rows, {share:.1%} of all; the rest is missing"
    return simulated, Flag("truncated", missing)
