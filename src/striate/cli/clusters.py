"""Finds the cluster a command is about: a description on disk, a bundled machine, or sheets of a machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from striate.cluster import Cluster, load_cluster
from striate.importers.kinds import is_sheet
from striate.provenance import hash_file

if TYPE_CHECKING:
    from striate.training.system import StorageSystem


def find_cluster(name: str) -> tuple[Cluster, dict[str, str]]:
    """The cluster called `name`, and the hash of its description when it is a file; `mlperf:FILE` is a sheet.

    So are `lustre:FILE` (lfs df), `beegfs:FILE`, `gluster:FILE`, `slurm:FILE`, `lstopo:FILE` and `io500:FILE.csv#ROW`,
    joined by ` + `.
    """
    if is_sheet(name):
        from striate.training.as_cluster import cluster_of

        system, hashes = find_system(name)
        return cluster_of(system), hashes
    cluster = load_cluster(name)
    path = Path(name)
    return cluster, {path.name: hash_file(path)} if path.is_file() else {}


def find_system(name: str) -> tuple[StorageSystem, dict[str, str]]:
    """The storage system that a training job reads from: that of a sheet, `mlperf:FILE`, or of a cluster."""
    if not is_sheet(name):
        from striate.training.of_cluster import system_of

        cluster, hashes = find_cluster(name)
        return system_of(cluster), hashes
    from striate.importers.sheets import from_name

    system, paths = from_name(name)
    return system, {path.name: hash_file(path) for path in paths}
