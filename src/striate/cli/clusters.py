"""Finds the cluster a command is about: a description on disk or a bundled machine."""

from __future__ import annotations

from pathlib import Path

from striate.cluster import Cluster, load_cluster
from striate.provenance import hash_file


def find_cluster(name: str) -> tuple[Cluster, dict[str, str]]:
    """The cluster called `name`, and the hash of its description when it is a file."""
    cluster = load_cluster(name)
    path = Path(name)
    return cluster, {path.name: hash_file(path)} if path.is_file() else {}
