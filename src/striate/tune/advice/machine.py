"""The machine that a trace shows: every request takes what requests of its size were seen to take.

Requests do not wait for each other here, for what they waited in the traced run is in their times already.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from striate.cluster.cluster import Cluster
from striate.cluster.load import cluster_from_tables
from striate.errors import TraceError
from striate.trace.tables import front
from striate.trace.trace import Trace

SMALL, LARGE = 64 * 2**10, 2**20
QUARTILES = (0.25, 0.5, 0.75)
_FAST = "1 TB/s"


def machines_of(trace: Trace) -> tuple[Cluster, Cluster, Cluster]:
    """A quick, a middling and a slow one: quartiles of the latency and of the rate that were seen.

    Raises TraceError when the trace has no access with a duration.
    """
    asked = trace.where(front(trace))
    seconds = (asked.column("end") - asked.column("start")) / 1e9
    sizes = asked.column("bytes").astype(float)
    if not (seconds > 0).any():
        raise TraceError("expected accesses with durations, found none to learn the machine from")
    quick, middle, slow = (
        _machine(trace.ranks, latency, rate)
        for latency, rate in zip(_latencies(sizes, seconds), _rates(sizes, seconds), strict=True)
    )
    return quick, middle, slow


def _latencies(sizes: NDArray[np.float64], seconds: NDArray[np.float64]) -> list[float]:
    """Of small requests; where there are none, nothing is known and nothing assumed."""
    small = seconds[(sizes <= SMALL) & (seconds > 0)]
    return [float(np.quantile(small, share)) if len(small) else 1e-9 for share in QUARTILES]


def _rates(sizes: NDArray[np.float64], seconds: NDArray[np.float64]) -> list[float]:
    """Of large requests, the quickest first; where there are none, of the largest there are, at least."""
    good = (seconds > 0) & (sizes > 0)
    sizes, seconds = sizes[good], seconds[good]
    if not len(sizes):
        return [1e12] * 3
    large = sizes >= min(LARGE, float(sizes.max()))
    rates = sizes[large] / seconds[large]
    return [max(1.0, float(np.quantile(rates, 1 - share))) for share in QUARTILES]


def _machine(ranks: int, latency: float, rate: float) -> Cluster:
    """One node, and a server that takes a request of every rank at once."""
    ticks = f"{max(1, round(latency * 1e12))} ps"
    link = {"bandwidth": _FAST, "latency": "1 us"}
    return cluster_from_tables(
        {
            "name": "as traced",
            "settings": {
                "packet": "16 MiB",
                "eager": "64 KiB",
                "io_request": "1 TiB",
                "stripe_unit": "1 TiB",
            },
            "node": [
                {
                    "name": "node",
                    "count": 1,
                    "cpus_per_socket": ranks,
                    "instructions_per_second": "1 G",
                    "memory": "1 TiB",
                    "nic": {"bandwidth": _FAST, "link": link},
                    "socket": {"bandwidth": _FAST},
                }
            ],
            "server": [
                {
                    "name": "storage",
                    "count": 1,
                    "on": "nodes",
                    "cache": {"policy": "none", "concurrent_operations": min(ranks, 10**6)},
                    "disk": {
                        "kind": "flash",
                        "read_rate": rate * ranks,
                        "write_rate": rate * ranks,
                        "read_latency": ticks,
                        "write_latency": ticks,
                        "channels": min(ranks, 10**6),
                    },
                }
            ],
        }
    )
