"""The words of a trace: levels an operation can be seen at, and kinds of operations."""

from __future__ import annotations

LEVELS = ("mpi-io", "mpi", "posix", "program")  # program: region markers

ACCESSES = ("read", "write")
METADATA = ("open", "close", "sync", "delete", "view", "seek", "stat", "resize")
MESSAGES = ("send", "recv", "sendrecv", "wait", "probe")
COLLECTIVES = (
    "barrier",
    "bcast",
    "reduce",
    "allreduce",
    "gather",
    "gatherv",
    "scatter",
    "scatterv",
    "allgather",
    "allgatherv",
    "alltoall",
    "alltoallv",
    "scan",
    "reduce_scatter",
)
OTHERS = ("communicator", "init", "finalize", "region", "other")

KINDS = (*ACCESSES, *METADATA, *MESSAGES, *COLLECTIVES, *OTHERS)
IO = (*ACCESSES, *METADATA)
