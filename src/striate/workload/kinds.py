"""The kinds of operations and the operands each carries; core/include/striate/programs/program.hpp lists the same."""

from __future__ import annotations

from enum import IntEnum


class Kind(IntEnum):
    """What an operation does. `LOOP` and `END` bracket a repeated block."""

    COMPUTE = 0
    SEND = 1
    RECV = 2
    SENDRECV = 3
    WAIT = 4
    WAITALL = 5
    TEST = 6
    BARRIER = 7
    BCAST = 8
    REDUCE = 9
    ALLREDUCE = 10
    GATHER = 11
    GATHERV = 12
    SCATTER = 13
    SCATTERV = 14
    ALLGATHER = 15
    ALLGATHERV = 16
    ALLTOALL = 17
    ALLTOALLV = 18
    SCAN = 19
    REDUCE_SCATTER = 20
    OPEN = 21
    CLOSE = 22
    STAT = 23
    SYNC = 24
    ERASE = 25
    READ = 26
    WRITE = 27
    READ_ALL = 28
    WRITE_ALL = 29
    REGION_BEGIN = 30
    REGION_END = 31
    LOOP = 32
    END = 33

    @property
    def label(self) -> str:
        """The name a program writes: `write_all`, `delete`."""
        return "delete" if self is Kind.ERASE else self.name.lower()


_ROOTED = ("bytes", "root", "algorithm", "request")
_UNROOTED = ("bytes", "algorithm", "request")
_COUNTED = ("bytes", "counts", "algorithm", "request")
_ACCESS = ("file", "offset", "bytes", "count", "stride", "extents", "request")

OPERANDS: dict[Kind, tuple[str, ...]] = {
    Kind.COMPUTE: ("picoseconds", "instructions"),
    Kind.SEND: ("peer", "tag", "bytes", "request"),
    Kind.RECV: ("peer", "tag", "bytes", "request"),
    Kind.SENDRECV: ("peer", "tag", "bytes", "source", "source_tag", "source_bytes"),
    Kind.WAIT: ("request",),
    Kind.WAITALL: (),
    Kind.TEST: ("request",),
    Kind.BARRIER: ("algorithm", "request"),
    Kind.BCAST: _ROOTED,
    Kind.REDUCE: _ROOTED,
    Kind.ALLREDUCE: _UNROOTED,
    Kind.GATHER: _ROOTED,
    Kind.GATHERV: _ROOTED,
    Kind.SCATTER: _ROOTED,
    Kind.SCATTERV: _ROOTED,
    Kind.ALLGATHER: _UNROOTED,
    Kind.ALLGATHERV: _UNROOTED,
    Kind.ALLTOALL: _UNROOTED,
    Kind.ALLTOALLV: _COUNTED,  # bytes: what this rank sends in all; counts: to whom
    Kind.SCAN: _UNROOTED,
    Kind.REDUCE_SCATTER: _COUNTED,  # bytes: the whole vector; counts: who gets how much of it
    Kind.OPEN: ("file", "create"),
    Kind.CLOSE: ("file",),
    Kind.STAT: ("file",),
    Kind.SYNC: ("file",),
    Kind.ERASE: ("file",),
    Kind.READ: _ACCESS,
    Kind.WRITE: _ACCESS,
    Kind.READ_ALL: _ACCESS,
    Kind.WRITE_ALL: _ACCESS,
    Kind.REGION_BEGIN: ("region",),
    Kind.REGION_END: ("region",),
    Kind.LOOP: ("count",),
    Kind.END: (),
}

COLLECTIVES = frozenset(
    kind
    for kind in Kind
    if Kind.BARRIER <= kind <= Kind.REDUCE_SCATTER or kind in (Kind.READ_ALL, Kind.WRITE_ALL)
)
ROOTED = frozenset(kind for kind, names in OPERANDS.items() if "root" in names)
ACCESSES = frozenset((Kind.READ, Kind.WRITE, Kind.READ_ALL, Kind.WRITE_ALL))
WRITES = frozenset((Kind.WRITE, Kind.WRITE_ALL))
FILE_CALLS = ACCESSES | {Kind.OPEN, Kind.CLOSE, Kind.STAT, Kind.SYNC, Kind.ERASE}
# Collectives in which every rank names the same number of bytes.
EQUAL_BYTES = frozenset(
    (
        Kind.BCAST,
        Kind.REDUCE,
        Kind.ALLREDUCE,
        Kind.GATHER,
        Kind.SCATTER,
        Kind.ALLGATHER,
        Kind.ALLTOALL,
        Kind.SCAN,
    )
)

# Collectives whose sizes may differ by rank.
VARYING = frozenset((Kind.GATHERV, Kind.SCATTERV, Kind.ALLGATHERV, Kind.ALLTOALLV, Kind.REDUCE_SCATTER))

ANY = -1  # any source, any tag
BLOCKING = -1  # no request: the call returns when the operation is complete
NO_EXTENTS = -1
NO_COUNTS = -1  # reduce_scatter: equal parts
DEFAULT_ALGORITHM = -1  # the one that the size and the group decide


def position(kind: Kind, operand: str) -> int:
    """Where `operand` stands among the operands of `kind`."""
    return OPERANDS[kind].index(operand)
