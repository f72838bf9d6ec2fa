"""CPUs that ranks share with each other and with processes of others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from striate.cluster.cluster import Cluster
from striate.cluster.placement import Placement

Floats = NDArray[np.float64]


def background_slowness(cluster: Cluster, placement: Placement) -> float:
    """How much longer a computing rank takes because of the background, beyond what ranks take from each other.

    Ranks and background share CPUs fairly; the engine itself shares them among ranks. The mean over all ranks.
    """
    background = float(cluster.settings.background)
    if background == 0:
        return 1.0
    cpus, placed = _cpus_and_ranks(cluster, placement)
    slowness = np.maximum((placed + background) / np.maximum(placed, cpus), 1.0)
    return float(slowness[placement.node].mean())


def cpus_to_share(cluster: Cluster, placement: Placement) -> NDArray[np.int32]:
    """CPUs of each node that the engine shares among the ranks that compute, each `waiting_slowness` times slower.

    Where ranks that wait take as much of a CPU as those that compute, every rank has always its own slow CPU; where
    they take nothing, all CPUs are there for those that compute.
    """
    cpus, placed = _cpus_and_ranks(cluster, placement)
    settings = cluster.settings
    shares = (float(settings.waiting_double), float(settings.waiting_fourfold))
    share = np.minimum(np.interp(placed / cpus, (1.0, 2.0, 4.0), (0.0, *shares)), 1.0)
    return np.asarray(np.rint(cpus + share * np.maximum(placed - cpus, 0.0)), np.int32)


def waiting_slowness(cluster: Cluster, placement: Placement) -> float:
    """How much longer a rank computes because of ranks that wait, when no other computes. The mean over all ranks."""
    cpus, _ = _cpus_and_ranks(cluster, placement)
    return float((cpus_to_share(cluster, placement) / cpus)[placement.node].mean())


def message_waits(cluster: Cluster, placement: Placement) -> NDArray[np.int64] | None:
    """Picoseconds that a message to each rank waits until the rank is on a CPU; None where none waits.

    Ranks that wait give their CPU to the next one: `turn` for each further rank of a CPU. A background process keeps
    it for a `time_slice`: the rank finds its CPU taken for the share 1 - CPUs / processes of the time, and the taker
    is of the background the more often the more there are.
    """
    settings = cluster.settings
    cpus, placed = _cpus_and_ranks(cluster, placement)
    background = float(settings.background)
    taken = np.maximum(1 - cpus / np.maximum(placed + background, cpus), 0.0)
    waits = settings.turn * np.maximum(placed / cpus - 1, 0.0)
    waits += settings.time_slice * taken * background / (background + 1)
    return np.rint(waits).astype(np.int64)[placement.node] if waits.any() else None


def compute_lags(cluster: Cluster, placement: Placement, *, flushed: bool) -> Floats | None:
    """Scheduling delay of a rank's next message as a fraction of its compute time; None without oversubscription.

    Ranks that leave a collective call first start to compute, on CPUs that other ranks need to complete it; in
    programs that flush files the system's fairness makes it worse. The fraction is known for twice and four times as
    many ranks as CPUs; between it is on a line, and beyond as at four times.
    """
    settings = cluster.settings
    cpus, placed = _cpus_and_ranks(cluster, placement)
    shares = (settings.lag_double, settings.lag_fourfold)
    if flushed:
        shares = (settings.flushed_lag_double, settings.flushed_lag_fourfold)
    lags = np.interp(placed / cpus, (1.0, 2.0, 4.0), (0.0, *map(float, shares)))
    lags = (lags * cpus / cpus_to_share(cluster, placement))[placement.node]  # of work that is slowed already
    return lags if lags.any() and settings.longest_lag else None


def _cpus_and_ranks(cluster: Cluster, placement: Placement) -> tuple[Floats, Floats]:
    """Per node."""
    counts = np.array([kind.sockets * kind.cpus_per_socket for kind in cluster.node_types], np.float64)
    placed = np.bincount(placement.node, minlength=cluster.nodes).astype(np.float64)
    return counts[cluster.node_type], placed
