"""The words of a trace: levels an operation can be seen at, and kinds of operations."""

from __future__ import annotations

RANK_LEVELS = ("mpi-io", "mpi", "posix", "program")  # program: what it marks or computes between calls
RESOURCE_LEVELS = ("server", "network", "disk")  # seen in simulations: what machines did for the ranks
STEP_LEVEL = "step"  # what ranks do inside collective calls, in simulations and on demand
LEVELS = (*RANK_LEVELS, *RESOURCE_LEVELS, STEP_LEVEL)

ACCESSES = ("read", "write")
METADATA = ("open", "close", "sync", "delete", "view", "seek", "stat", "resize", "rename", "map", "unmap")
MESSAGES = ("send", "recv", "sendrecv", "wait", "probe", "neighbor", "rma", "fence")
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
OTHERS = ("communicator", "init", "finalize", "region", "other", "compute", "transfer")

KINDS = (*ACCESSES, *METADATA, *MESSAGES, *COLLECTIVES, *OTHERS)
IO = (*ACCESSES, *METADATA)
