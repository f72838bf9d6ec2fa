"""What does not fit: messages into the memory of the simulated nodes, a run into the memory of this computer."""

from __future__ import annotations

import resource
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from striate.cluster.cluster import Cluster
from striate.collectives.choice import Choice
from striate.errors import MessageTooLargeError
from striate.limits import memory_limit
from striate.rungs.answer import UnfitError
from striate.rungs.memory.estimate import bytes_needed
from striate.units import about_size
from striate.workload.application import Application
from striate.workload.kinds import ACCESSES, OPERANDS
from striate.workload.walk import lines
from striate.workload.workload import Workload

_MESSAGES = frozenset(kind for kind, operands in OPERANDS.items() if "bytes" in operands) - ACCESSES


class NotEnoughMemoryError(UnfitError):
    """A run that this computer has no memory for."""


def expect_messages_fit(workload: Workload, cluster: Cluster) -> None:
    """Raise MessageTooLargeError for the first message that is larger than the memory of its rank's node."""
    nodes, first = cluster.place(workload.ranks).node, 0
    for application in workload.applications:
        _expect_messages_fit(application, cluster, nodes[first : first + application.ranks])
        first += application.ranks


def _expect_messages_fit(application: Application, cluster: Cluster, nodes: NDArray[np.int32]) -> None:
    memory = np.array([float(kind.memory) for kind in cluster.node_types])[cluster.node_type][nodes]
    for line in lines(application, kinds=_MESSAGES):
        size = np.broadcast_to(np.asarray(line.highest("bytes"), float), line.ranks.shape)
        over = size > memory[line.ranks]
        if not over.any():
            continue
        at = int(np.argmax(over))
        rank = int(line.ranks[at])
        raise MessageTooLargeError(
            f"rank {rank}, operation {line.index} ({line.kind.label}): {about_size(int(size[at]))} do not "
            f"fit into the memory of node {int(nodes[rank])}, which has {about_size(int(memory[rank]))}",
            at=application.name,
        )


def expect_room(
    application: Application,
    cluster: Cluster,
    *,
    choice: Choice | None = None,
    timeline_bytes: int = 0,
    collective_steps: bool = False,
) -> None:
    """Raise NotEnoughMemoryError, with the estimate, before a run that would not fit into this computer."""
    free = bytes_free()
    needs = partial(
        bytes_needed,
        application,
        cluster,
        choice=choice,
        timeline_bytes=timeline_bytes,
        collective_steps=collective_steps,
    )
    if free is None or needs(at_once=True) <= free:
        return
    needed = needs()
    if needed > free:
        raise NotEnoughMemoryError(
            f"simulating {application.ranks:,} ranks packet by packet takes about {about_size(needed)} of "
            f"memory, but only {about_size(free)} are free",
            source=application.name,
        )


def bytes_free() -> int | None:
    """What this process may still use, or None where nobody says."""
    limits = []
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    if soft != resource.RLIM_INFINITY:
        limits.append(soft)
    if (most := memory_limit()) is not None:
        limits.append(max(most - _bytes_used(), 0))
    try:
        rows = (line.split() for line in Path("/proc/meminfo").read_text().splitlines())
        limits += [1024 * int(row[1]) for row in rows if row[0] == "MemAvailable:"]
    except (OSError, ValueError, IndexError):
        pass
    return min(limits, default=None)


def _bytes_used() -> int:
    """What counts against the limit of this process by now."""
    try:
        rows = (line.split() for line in Path("/proc/self/status").read_text().splitlines())
        return sum(1024 * int(row[1]) for row in rows if row and row[0] == "VmData:")
    except (OSError, ValueError, IndexError):
        return 0
