"""The rung `flow`: the programs, servers and disks of `fine` with messages that flow instead of packets that hop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from striate.cluster.cluster import Cluster
from striate.cluster.storage import HardDisk
from striate.collectives.choice import Choice
from striate.engine.input import EngineInput
from striate.engine.packets import run_packets
from striate.interval import Interval
from striate.rungs.answer import Verdict
from striate.rungs.fine import verdict_of
from striate.rungs.machine_parts import parts_of_files, refuse_parts
from striate.rungs.memory.fit import expect_room
from striate.rungs.program_input import input_of
from striate.workload.kinds import FILE_CALLS
from striate.workload.transforms.merge import merged
from striate.workload.walk import lines
from striate.workload.workload import Workload

NAME = "flow"

# By family, what part of the time that `flow` says the packet-level time lies below and above it at most, in 97 of 100
# cases (`verification/flow.py`).
MEASURED: dict[str, tuple[float, float]] = {
    "messages": (0.15, 0.05),
    "files": (0.12, 0.05),
    "files on disks that seek": (0.15, 0.30),
}


UNMODELLED = ("forwarders", "extent locks")


def predict_flow(
    workload: Workload,
    cluster: Cluster,
    *,
    choice: Choice | None = None,
    given: Callable[[], EngineInput] | None = None,
) -> Verdict:
    """Play the program with messages that flow; the range is the error measured on programs of its family.

    Raises UnfitError for files that go through forwarders, whose turns between many clients are not modelled, and for
    extent locks, for which its error is not measured.
    """
    refuse_parts(workload, tuple(part for part in parts_of_files(workload, cluster) if part in UNMODELLED))
    expect_room(merged(workload.applications), cluster)
    run = run_packets(given() if given else input_of(workload, cluster, choice), flows=True)
    found = verdict_of(run, workload, cluster)
    family = family_of(workload, cluster)
    below, above = MEASURED[family]
    seconds = found.interval.estimate
    notes = (
        f"{run.messages:,} messages simulated, {run.events:,} events",
        f"flow: error measured on other programs, not bounds ({family}): -{below:.0%} to +{above:.0%}",
    )
    return replace(
        found, interval=Interval(seconds * (1 - below), seconds, seconds * (1 + above)), notes=notes
    )


def family_of(workload: Workload, cluster: Cluster) -> str:
    """What decides how good `flow` is: files or none, and disks that care who comes first."""
    if not any(True for one in workload.applications for _ in lines(one, kinds=FILE_CALLS)):
        return "messages"
    seeks = any(isinstance(disk, HardDisk) for server in cluster.servers for disk in server.disks)
    return "files on disks that seek" if seeks else "files"
