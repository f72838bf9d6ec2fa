"""The verbs a program is written in: `yield compute("12 ms")`, `yield write_all("checkpoint", ...)`.

A peer, root, size or offset is a number; in the SPMD form it may also be an array over ranks or depend on a loop.
Every non-blocking call returns what `wait` takes.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from striate import units
from striate.errors import WorkloadError
from striate.workload.calls.collectives import (
    allgather,
    allgatherv,
    allreduce,
    alltoall,
    alltoallv,
    barrier,
    bcast,
    exscan,
    gather,
    gatherv,
    reduce,
    reduce_scatter,
    scan,
    scatter,
    scatterv,
)
from striate.workload.calls.files import (
    close_file,
    delete_file,
    open_file,
    read,
    read_all,
    stat_file,
    sync_file,
    write,
    write_all,
)
from striate.workload.calls.messages import (
    irecv,
    irsend,
    isend,
    issend,
    recv,
    rsend,
    send,
    sendrecv,
    ssend,
    test,
    testany,
    testsome,
    wait,
    waitall,
    waitany,
    waitsome,
)
from striate.workload.calls.neighbours import (
    cartesian_neighbors,
    comm_create,
    comm_dup,
    comm_split,
    neighbor_allgather,
    neighbor_allgatherv,
    neighbor_alltoall,
    neighbor_alltoallv,
)
from striate.workload.calls.one_sided import (
    accumulate,
    get,
    put,
    raccumulate,
    rget,
    rput,
    win_complete,
    win_create,
    win_fence,
    win_flush,
    win_flush_local,
    win_free,
    win_lock,
    win_post,
    win_start,
    win_unlock,
    win_unlock_all,
    win_wait,
)
from striate.workload.calls.operation import PENDING, Number, Operation, Several
from striate.workload.kinds import ANY, Kind

__all__ = [
    "ANY",
    "PENDING",
    "Number",
    "Operation",
    "Several",
    "accumulate",
    "allgather",
    "allgatherv",
    "allreduce",
    "alltoall",
    "alltoallv",
    "barrier",
    "bcast",
    "cartesian_neighbors",
    "close_file",
    "comm_create",
    "comm_dup",
    "comm_split",
    "compute",
    "delete_file",
    "exscan",
    "gather",
    "gatherv",
    "get",
    "irecv",
    "irsend",
    "isend",
    "issend",
    "neighbor_allgather",
    "neighbor_allgatherv",
    "neighbor_alltoall",
    "neighbor_alltoallv",
    "open_file",
    "put",
    "raccumulate",
    "read",
    "read_all",
    "recv",
    "reduce",
    "reduce_scatter",
    "region_begin",
    "region_end",
    "rget",
    "rput",
    "rsend",
    "scan",
    "scatter",
    "scatterv",
    "send",
    "sendrecv",
    "ssend",
    "stat_file",
    "sync_file",
    "test",
    "testany",
    "testsome",
    "wait",
    "waitall",
    "waitany",
    "waitsome",
    "win_complete",
    "win_create",
    "win_fence",
    "win_flush",
    "win_flush_local",
    "win_free",
    "win_lock",
    "win_post",
    "win_start",
    "win_unlock",
    "win_unlock_all",
    "win_wait",
    "write",
    "write_all",
]

_ticks = lru_cache(maxsize=4096)(units.picoseconds)
_count = lru_cache(maxsize=4096)(units.count)


def compute(duration: Number = 0, *, instructions: Number = 0) -> Operation:
    """Work for a time, or for a number of instructions, or both."""
    if isinstance(duration, np.integer | np.floating):
        duration = duration.item()
    ticks = _ticks(duration) if isinstance(duration, str | int | float) else _ticks_of_array(duration)
    if isinstance(instructions, str | float):
        instructions = round(_count(instructions))
    return Operation(Kind.COMPUTE, (ticks, instructions))


def _ticks_of_array(seconds: Number) -> Number:
    if isinstance(seconds, np.ndarray) and seconds.dtype.kind in "iuf":
        if not ((seconds >= 0) & (seconds < 2**63 / 1e12)).all():
            raise WorkloadError("expected compute times from 0 s to 9.22e6 s, got a time outside this range")
        return np.rint(seconds * 1e12).astype(np.int64)
    raise WorkloadError(f"expected a time such as '12 ms' or an array of seconds, got {seconds!r:.60}")


def region_begin(name: str) -> Operation:
    """Mark the start of a named part of the program."""
    return Operation(Kind.REGION_BEGIN, (name,))


def region_end(name: str) -> Operation:
    """Mark the end of a named part of the program."""
    return Operation(Kind.REGION_END, (name,))
