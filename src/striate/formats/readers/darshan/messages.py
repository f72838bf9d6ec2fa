"""Records of AutoPerf (APMPI): how often each rank called each MPI function, for how many bytes and how long."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_PAIRS = (
    *[
        "send",
        "ssend",
        "rsend",
        "bsend",
        "recv",
        "sendrecv",
        "sendrecv_replace",
        "isend",
        "issend",
        "irsend",
        "ibsend",
        "irecv",
    ],
)
_CHECKS = [
    "probe",
    "iprobe",
    "test",
    "testany",
    "testall",
    "testsome",
    "wait",
    "waitany",
    "waitall",
    "waitsome",
]
_TOGETHER = [
    "bcast",
    "gather",
    "gatherv",
    "scatter",
    "scatterv",
    "scan",
    "exscan",
    "allgather",
    "allgatherv",
    "reduce",
    "allreduce",
    "reduce_scatter",
    "alltoall",
    "alltoallv",
    "alltoallw",
]
_MEMORY = ("put", "get", "accumulate", "get_accumulate")
_WINDOWS = [
    "fetch_and_op",
    "compare_and_swap",
    "win_fence",
    "win_start",
    "win_complete",
    "win_post",
    "win_wait",
    "win_test",
    "win_lock",
    "win_unlock",
    "win_unlock_all",
    "win_flush",
    "win_flush_all",
    "win_flush_local",
    "win_flush_local_all",
    "win_sync",
]
_LATER = [f"i{name}" for name in _TOGETHER]
_ORDER = (*_PAIRS, *_CHECKS, "barrier", "ibarrier", *_TOGETHER, *_LATER, *_MEMORY, *_WINDOWS)
_SIZED = frozenset((*_PAIRS, *_TOGETHER, *_LATER, *_MEMORY))
_PARTS = [
    "call_count",
    "total_bytes",
    "msg_size_agg_0_256",
    "msg_size_agg_256_1k",
    "msg_size_agg_1k_8k",
    "msg_size_agg_8k_256k",
    "msg_size_agg_256k_1m",
    "msg_size_agg_1m_plus",
]

COUNTERS = tuple(f"{name}_{part}" for name in _ORDER for part in (_PARTS if name in _SIZED else _PARTS[:1]))
TIMES = (
    *(f"{name}_{part}_time" for name in _ORDER for part in ("total", "min", "max")),
    *(f"{name}_total_sync_time" for name in ("barrier", *_TOGETHER)),
    *("total_comm_time", "total_comm_sync_time"),
)
_HEADER = 48  # id, rank, magic, flag, two variances


@dataclass(frozen=True, slots=True, eq=False)
class Messages:
    """One row per rank."""

    rank: NDArray[np.int64]
    host: list[str]
    numbers: dict[str, NDArray[np.int64]]
    times: dict[str, NDArray[np.float64]]
    whole: bool


def messages(version: int, content: bytes, *, order: str) -> Messages | None:
    """The records after the module's own header; None for a version we do not know."""
    if version != 1:
        return None
    fields = [("id", order + "u8"), ("rank", order + "i8")]
    fields += [(name, order + "i8") for name in COUNTERS] + [(name, order + "f8") for name in TIMES]
    record = np.dtype([*fields, ("host", "S128")])
    content = content[_HEADER:]
    rows = np.frombuffer(content, record, len(content) // record.itemsize)
    return Messages(
        rows["rank"].astype(np.int64),
        [bytes(host).decode("utf-8", "replace") for host in rows["host"].tolist()],
        {name: rows[name].astype(np.int64) for name in COUNTERS},
        {name: rows[name].astype(np.float64) for name in TIMES},
        len(content) % record.itemsize == 0,
    )
