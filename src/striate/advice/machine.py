"""The machine that a trace shows: requests take what requests of their size were seen to take.

They do not wait for each other here, for what they waited in the traced run is in their times already.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from striate.advice.clock import seconds_on
from striate.cluster.cluster import Cluster
from striate.cluster.load import cluster_from_tables
from striate.errors import TraceError
from striate.trace.trace import Trace
from striate.workload.application import Application, File
from striate.workload.kinds import Kind
from striate.workload.workload import Workload

SMALL, LARGE = 64 * 2**10, 2**20
QUARTILES = (0.25, 0.5, 0.75)
_FAST = "1 TB/s"
_LIMIT = 1e12


def machines_of(accesses: Trace, workload: Workload) -> tuple[Cluster, Cluster, Cluster]:
    """Three machines on each of which `workload`, the I/O of a program alone, takes as long as its slowest rank.

    They differ in what makes requests slow: on the first it is more their number, on the last more their bytes -
    quartiles of the latency and of the rate that were seen. Raises TraceError without an access with a duration.
    """
    seconds = (accesses.column("end") - accesses.column("start")) / 1e9
    sizes = accesses.column("bytes").astype(float)
    if not (seconds > 0).any():
        raise TraceError("expected accesses with durations, found none to learn the machine from")
    slowest = float(np.bincount(accesses.column("rank"), seconds).max())
    workload.check()
    played = as_traced(workload)
    many, middle, large = (
        _paced(played, slowest, latency, rate)
        for latency, rate in zip(reversed(_latencies(sizes, seconds)), _rates(sizes, seconds), strict=True)
    )
    return many, middle, large


def _paced(workload: Workload, slowest: float, latency: float, rate: float) -> Cluster:
    """The machine scaled so that the prediction of the I/O that was seen is the time that was seen."""
    first = seconds_on(workload, _machine(workload.ranks, latency, rate))
    scale = min(max(slowest / first, 1e-6), 1e6) if first > 0 else 1.0
    return _machine(workload.ranks, latency * scale, rate / scale)


def as_traced(workload: Workload) -> Workload:
    """The workload as such a machine takes it: every rank reads from a store of its own.

    Whoever asks waits for all of it, as in the trace, where no server's memory or queue is told from the rest.
    """
    return Workload(tuple(_application_as_traced(application) for application in workload.applications))


def _application_as_traced(application: Application) -> Application:
    programs = application.programs
    kind, table, stride = programs.kind.copy(), programs.table.copy(), programs.stride.copy()
    constant, per_rank = programs.constant.copy(), programs.per_rank.copy()
    of_files = programs.first_operand[:-1][(kind >= Kind.OPEN) & (kind <= Kind.WRITE_ALL)].astype(np.int64)
    constant[of_files], per_rank[of_files], table[of_files] = 0, 1, -1  # file r for rank r
    for operand in of_files.tolist():
        stride[programs.first_stride[operand] : programs.first_stride[operand + 1]] = 0
    kind[kind == Kind.WRITE] = Kind.READ
    kind[kind == Kind.WRITE_ALL] = Kind.READ_ALL
    changed = replace(programs, kind=kind, constant=constant, per_rank=per_rank, table=table, stride=stride)
    return replace(application, programs=changed, files=(File("{}", 0, application.ranks, "basic"),))


def _latencies(sizes: NDArray[np.float64], seconds: NDArray[np.float64]) -> list[float]:
    """Of small requests; where there are none, nothing is known and nothing assumed."""
    small = seconds[(sizes <= SMALL) & (seconds > 0)]
    return [float(np.quantile(small, share)) if len(small) else 1e-9 for share in QUARTILES]


def _rates(sizes: NDArray[np.float64], seconds: NDArray[np.float64]) -> list[float]:
    """Of large requests, the quickest first; where there are none, of the largest there are, at least."""
    good = (seconds > 0) & (sizes > 0)
    sizes, seconds = sizes[good], seconds[good]
    if not len(sizes):
        return [_LIMIT] * 3
    large = sizes >= min(LARGE, float(sizes.max()))
    rates = sizes[large] / seconds[large]
    return [max(1.0, float(np.quantile(rates, 1 - share))) for share in QUARTILES]


def _machine(ranks: int, latency: float, rate: float) -> Cluster:
    """One node, and a server for every rank."""
    ticks = f"{max(1, round(latency * 1e12))} ps"
    link = {"bandwidth": _FAST}  # what the network took is in the latency of the requests
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
                    "count": ranks,
                    "per_node": ranks,
                    "on": "nodes",
                    "disk": {"kind": "simple", "rate": rate, "access": ticks},
                }
            ],
        }
    )
