"""What machines can do: `Cluster`, from TOML files, from builders, or bundled."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from striate.cluster import builders as builders
    from striate.cluster.cluster import Cluster as Cluster
    from striate.cluster.description.dump import cluster_to_toml as cluster_to_toml
    from striate.cluster.load import bundled as bundled
    from striate.cluster.load import load_cluster as load_cluster

_HOME = {
    "Cluster": "cluster",
    "Placement": "cluster",
    "bundled": "load",
    "cluster_to_toml": "description.dump",
    "load_cluster": "load",
}

__all__ = ["Cluster", "Placement", "builders", "bundled", "cluster_to_toml", "load_cluster"]


def __getattr__(name: str) -> Any:
    """Import what is asked for, when it is asked for."""
    if name in _HOME:
        return getattr(importlib.import_module(f"striate.cluster.{_HOME[name]}"), name)
    if name == "builders":
        return importlib.import_module("striate.cluster.builders")
    raise AttributeError(f"module 'striate.cluster' has no attribute {name!r}")
