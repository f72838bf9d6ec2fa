"""How busy the hosts were while a program ran: counters sampled now and then, and what they say between samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from striate.arrow import empty
from striate.errors import TraceError

# Counters since a host was started: nanoseconds of all its CPUs, bytes of the rest; -1 where not known.
CPU = ("cpu_user", "cpu_system", "cpu_wait", "cpu_idle")
MEMORY = ("memory_total", "memory_used")  # bytes at the moment, no counters
MOVED = ("network_received", "network_sent", "disk_read", "disk_written")
COUNTERS = (*CPU, *MEMORY, *MOVED)
NAMES = ("host", "time", *COUNTERS)
SCHEMA = pa.schema([("host", pa.int32()), *((name, pa.int64()) for name in NAMES[1:])])


def no_samples() -> pa.Table:
    """What a trace holds for which nobody looked at the hosts."""
    return empty(SCHEMA)


def ordered(samples: pa.Table) -> pa.Table:
    """By host, then time."""
    return samples.sort_by([("host", "ascending"), ("time", "ascending")]).combine_chunks()


def checked(samples: pa.Table, hosts: int) -> pa.Table:
    """The same table with exactly our columns; raises TraceError where it does not hold together."""
    if samples.schema.names != list(NAMES):
        raise TraceError(f"expected columns {', '.join(NAMES)}", at="resources")
    try:
        table = samples.cast(SCHEMA)
    except pa.ArrowException as error:
        raise TraceError(f"expected whole numbers: {str(error)[:100]}", at="resources") from None
    if any(column.null_count for column in table.columns):
        raise TraceError(
            "expected a value in every row of the samples of hosts, found an empty cell", at="resources"
        )
    host, time = (np.asarray(table.column(name).to_numpy()) for name in ("host", "time"))
    if (wrong := (host < 0) | (host >= hosts)).any():
        raise TraceError(
            f"expected host numbers below {hosts} in the samples of hosts, got {host[wrong][0]}",
            at="resources",
        )
    if (wrong := (time < -(2**62)) | (time > 2**62)).any():
        raise TraceError(
            f"expected samples of hosts within 146 years of the trace's start, got {time[wrong][0]} ns",
            at="resources",
        )
    return ordered(table)


def use(samples: pa.Table, hosts: Sequence[str]) -> pa.Table:
    """One row per interval between two samples of a host: shares of its CPUs, memory at the end, bytes moved in it.

    Times are nanoseconds since the trace's start; a value is null where the host does not tell.
    """
    column = {name: np.asarray(samples.column(name).to_numpy()) for name in NAMES}
    last = np.flatnonzero((np.diff(column["host"]) == 0) & (np.diff(column["time"]) > 0)) + 1
    first = last - 1
    made: dict[str, Any] = {
        "host": pa.array([hosts[number] for number in column["host"][last].tolist()], pa.string()),
        "start": pa.array(column["time"][first]),
        "end": pa.array(column["time"][last]),
    }
    spent = np.stack([column[name][last] - column[name][first] for name in CPU])
    known = np.all([_known(column[name], first, last) for name in CPU], axis=0)
    whole = spent.sum(axis=0)
    for name, part in zip(CPU, spent, strict=True):
        share = part / np.where(whole > 0, whole, 1)
        made[name] = pa.array(share, mask=~known | (whole <= 0))
    for name in MEMORY:
        made[name] = pa.array(column[name][last], mask=column[name][last] < 0)
    for name in MOVED:
        moved = column[name][last] - column[name][first]
        made[name] = pa.array(moved, mask=~_known(column[name], first, last))
    return pa.table(made)


def _known(counter: Any, first: Any, last: Any) -> Any:
    """Where both ends are known and the counter was not set back."""
    return (counter[first] >= 0) & (counter[last] >= counter[first])
