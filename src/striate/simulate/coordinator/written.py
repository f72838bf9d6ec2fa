"""Collective calls as operations of a workload: what mpi4py and MPI libraries make of each call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from striate.simulate.coordinator.meetings import Meeting
from striate.workload import operations
from striate.workload.kinds import BLOCKING, DEFAULT_ALGORITHM, ROOTED, Kind
from striate.workload.operations import PENDING, Operation

SIZE = 8  # bytes in which mpi4py says how long a pickled object is
ALIKE = (
    "dup",
    "cart",
    "graph",
    "window",
)  # ways to make a communicator in which ranks need not tell a colour
# Of pickled objects sizes differ, and are told first.
_VARYING = {"gather": "gatherv", "scatter": "scatterv", "allgather": "allgatherv", "alltoall": "alltoallv"}


def begun(
    kind: str, root: int, given: Any, comm: str, *, pickled: bool, blocking: bool, members: int
) -> tuple[Operation, ...]:
    """The operations of one member's call; sizes that it does not know are 0 until `fill_sizes`."""
    if kind == "barrier":
        return (operations.barrier(comm=comm, blocking=blocking),)
    if pickled and kind in (*_VARYING, "bcast"):
        ahead = _operation(kind, SIZE, root, comm, blocking=True)
        last = _VARYING.get(kind, kind)
        if kind == "alltoall":
            return ahead, _listed(Kind.ALLTOALLV, given, comm, blocking)
        return ahead, _operation(last, 0, root, comm, blocking=blocking)
    if kind == "alltoallv":
        return (_listed(Kind.ALLTOALLV, given, comm, blocking),)
    if kind == "reduce_scatter":
        return (_listed(Kind.REDUCE_SCATTER, given, comm, blocking),)
    return (_operation(kind, 0, root, comm, blocking=blocking),)


def made(how: str, comm: str) -> tuple[Operation, ...]:
    """What the making of a communicator is: the members tell colour and key, and agree on a number."""
    made = operations.comm_dup if how in ALIKE else operations.comm_split
    return made(comm=comm).operations


def _operation(kind: str, size: int, root: int, comm: str, *, blocking: bool) -> Operation:
    end = (DEFAULT_ALGORITHM, BLOCKING if blocking else PENDING)
    number = Kind[kind.upper()]
    rooted = (root,) if number in ROOTED else ()
    return Operation(number, (size, *rooted, *end), comm)


def _listed(kind: Kind, given: Sequence[bytes], comm: str, blocking: bool) -> Operation:
    sizes = np.array([len(one) for one in given], np.int64)
    end = (DEFAULT_ALGORITHM, BLOCKING if blocking else PENDING)
    return Operation(kind, (int(sizes.sum()), sizes, *end), comm)


def fill_sizes(meeting: Meeting) -> None:
    """Write the sizes of a call down, now that all members have come."""
    kind, members = meeting.kind, len(meeting.group.members)
    if kind in ("bcast",):
        _set_sizes(meeting, [len(meeting.joined[meeting.root].given)] * members)
    elif kind in ("scatter", "scatterv"):
        _set_varying(meeting, [len(one) for one in meeting.joined[meeting.root].given])
    elif kind in ("gather", "gatherv", "allgather", "allgatherv"):
        _set_varying(meeting, [len(one) for one in meeting.given()])
    elif kind == "alltoall":
        _set_alltoall(meeting)
    elif kind in ("reduce", "allreduce", "scan", "exscan"):
        _set_sizes(meeting, [max(len(one) for one in meeting.given())] * members)


def _last(meeting: Meeting, at: int) -> Operation:
    return meeting.joined[at].operations[-1]


def _set_sizes(meeting: Meeting, sizes: Sequence[int]) -> None:
    for at, size in enumerate(sizes):
        operation = _last(meeting, at)
        operation.operands = (size, *operation.operands[1:])


def _set_varying(meeting: Meeting, sizes: Sequence[int]) -> None:
    """Sizes by member; where they differ, the call is what MPI has for that."""
    _set_sizes(meeting, sizes)
    if len(set(sizes)) > 1:
        for at in range(len(sizes)):
            operation = _last(meeting, at)
            operation.kind = Kind[_VARYING.get(meeting.kind, meeting.kind).upper()]


def _set_alltoall(meeting: Meeting) -> None:
    rows = meeting.given()
    sizes = {len(one) for row in rows for one in row}
    for at, row in enumerate(rows):
        operation = _last(meeting, at)
        if operation.kind is Kind.ALLTOALLV:
            continue
        if len(sizes) == 1:
            operation.operands = (len(row[0]), *operation.operands[1:])
        else:
            counts = np.array([len(one) for one in row], np.int64)
            operation.kind = Kind.ALLTOALLV
            operation.operands = (int(counts.sum()), counts, *operation.operands[1:])
