"""Counters over time, which viewers draw as curves: use of hosts, occupancy of simulated servers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.trace.trace import Trace

_SHOWN = {  # column of `Trace.resources` -> name, unit, and whether it is shown a second
    "cpu_user": ("CPU: program", "%", False),
    "cpu_system": ("CPU: system", "%", False),
    "cpu_wait": ("CPU: waiting for I/O", "%", False),
    "memory_used": ("memory used", "bytes", False),
    "network_received": ("network: received", "bytes/s", True),
    "network_sent": ("network: sent", "bytes/s", True),
    "disk_read": ("disks: read", "bytes/s", True),
    "disk_written": ("disks: written", "bytes/s", True),
}
_OCCUPANCY = {  # column of `Trace.occupancy` -> name and unit
    "dirty": ("memory: on the way to the disks", "bytes"),
    "cached": ("memory: read cache", "bytes"),
    "waiting": ("requests before the disks", "requests"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Counter:
    """One curve: what it holds from each time, in nanoseconds, to the next."""

    host: str
    name: str
    unit: str
    time: NDArray[np.int64]
    value: NDArray[np.float64]


def counters_of(trace: Trace) -> list[Counter]:
    """A curve a host and resource that was seen; a value holds from the beginning of its stretch."""
    return [*_of_hosts(trace), *_of_servers(trace)]


def _of_servers(trace: Trace) -> list[Counter]:
    server = np.asarray(trace.occupancy.column("server").to_pylist(), object)
    start = np.asarray(trace.occupancy.column("start").to_numpy())
    found = []
    for name in dict.fromkeys(server.tolist()):
        rows = server == name
        for column, (title, unit) in _OCCUPANCY.items():
            values = np.asarray(trace.occupancy.column(column).to_numpy())[rows]
            if values.any():
                found.append(Counter(name, title, unit, start[rows], values))
    return found


def _of_hosts(trace: Trace) -> list[Counter]:
    table = trace.resources()
    host = np.asarray(table.column("host").to_pylist(), object)
    start, end = (np.asarray(table.column(name).to_numpy()) for name in ("start", "end"))
    found = []
    for name in dict.fromkeys(host.tolist()):
        for column, (title, unit, per_second) in _SHOWN.items():
            values = table.column(column).to_numpy().astype(np.float64)
            values = values * 100 if unit == "%" else values / ((end - start) / 1e9) if per_second else values
            rows = (host == name) & ~np.isnan(values) & (start >= 0)
            if rows.any():
                found.append(Counter(name, title, unit, start[rows], values[rows]))
    return found
