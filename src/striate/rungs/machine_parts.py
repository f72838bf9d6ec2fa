"""Which parts of a machine the coarse rungs do not model: they refuse a program that uses one, by name."""

from __future__ import annotations

import numpy as np

from striate.cluster.cluster import Cluster
from striate.engine.file_tables import uses_aggregators
from striate.rungs.answer import UnfitError
from striate.workload.kinds import ACCESSES, BLOCKING, FILE_CALLS, ONE_SIDED, Kind
from striate.workload.walk import lines
from striate.workload.workload import Workload

ONE_SIDED_CALLS, CHOICES = "one-sided communication", "waits for any of several operations"
_PLAYED = frozenset((Kind.WAITANY, *ONE_SIDED))
SUMMED = (
    "metadata servers",
    "flushes on close",
    CHOICES,
)  # sums per resource know them, clocks of graphs do not


def unmodelled_parts(workload: Workload, cluster: Cluster) -> tuple[str, ...]:
    """Names of what sums per resource leave out, of all that the program meets on this machine."""
    left_out = (*plugin_parts(cluster), *parts_of_calls(workload), *parts_of_files(workload, cluster))
    return tuple(part for part in left_out if part not in SUMMED)


def plugin_parts(cluster: Cluster) -> tuple[str, ...]:
    """Names of the plug-ins that the packet engine alone asks."""
    if cluster.plugins is None:
        return ()
    return tuple(f"the plug-in {one.name} ({one.kind})" for one in cluster.plugins.only_fine)


def parts_of_calls(workload: Workload) -> tuple[str, ...]:
    """Names of what a program calls that sums and clocks of graphs do not know."""
    called = {line.kind for one in workload.applications for line in lines(one, kinds=_PLAYED)}
    found = {ONE_SIDED_CALLS: bool(called & ONE_SIDED), CHOICES: Kind.WAITANY in called}
    return tuple(what for what, there in found.items() if there)


def parts_of_files(workload: Workload, cluster: Cluster) -> tuple[str, ...]:
    """Names of what stands between the program and plain disks behind plain servers."""
    if not any(True for one in workload.applications for _ in lines(one, kinds=FILE_CALLS)):
        return ()
    found = {
        "metadata servers": bool(cluster.metadata),
        "forwarders": bool(cluster.forwarders),
        "burst buffers": any(server.burst for server in cluster.servers),
        "parity RAID": any(server.raid == 5 for server in cluster.servers),
        "delayed write-back": delays_write_back(cluster),
        "throttled disks": has_throttles(cluster),
        "windows of clients": has_windows(cluster),
        "extent locks": bool(int(cluster.settings.lock_move)),
        "updates of file sizes": bool(int(cluster.settings.size_update)),
        "locks of inodes": cluster.settings.inode_lock,
        "copies to and from page caches": copies(cluster),
        "threads of non-blocking accesses": starts_threads(workload, cluster),
        "flushes on close": cluster.settings.flush_on_close,
        "aggregators of collective access": any(
            uses_aggregators(one, cluster) for one in workload.applications
        ),
    }
    return tuple(what for what, there in found.items() if there)


def delays_write_back(cluster: Cluster) -> bool:
    """Whether servers keep written data until a sync, or take time for a sync itself."""
    return cluster.settings.sync_alone or any(
        int(server.cache.dirty) or int(server.cache.sync) for server in cluster.servers
    )


def copies(cluster: Cluster) -> bool:
    """Whether CPUs copy what their ranks write or read."""
    return cluster.settings.write_copy is not None or cluster.settings.read_copy is not None


def starts_threads(workload: Workload, cluster: Cluster) -> bool:
    """Whether accesses that do not block wait for a thread."""
    if not int(cluster.settings.io_thread):
        return False
    accesses = (line for one in workload.applications for line in lines(one, kinds=ACCESSES))
    return any(bool((np.asarray(line.highest("request")) != BLOCKING).any()) for line in accesses)


def has_windows(cluster: Cluster) -> bool:
    """Whether a client has a part of a call in flight at once only."""
    return bool(int(cluster.settings.write_window) or int(cluster.settings.read_window))


def has_throttles(cluster: Cluster) -> bool:
    """Whether a disk passes bursts at more than its rate."""
    return any(getattr(disk, "slice", 0) for server in cluster.servers for disk in server.disks)


def refuse_parts(workload: Workload, parts: tuple[str, ...]) -> None:
    """Raise UnfitError naming the parts of the machine that a rung would leave out, where there are any."""
    if parts:
        names = ", ".join(one.name for one in workload.applications)
        raise UnfitError(only_fine_models(parts), source=names)


def only_fine_models(parts: tuple[str, ...]) -> str:
    """Why the coarse rungs do not take a program, in words."""
    return f"only the packet engine models {' and '.join(parts)}"
