"""The kinds of operations and the operands each carries; core/include/striate/programs/program.hpp lists the same."""

from __future__ import annotations

from enum import IntEnum


class Kind(IntEnum):
    """What an operation does. `LOOP` and `END` bracket a repeated block."""

    COMPUTE = 0
    SEND = 1
    SSEND = 2
    RECV = 3
    SENDRECV = 4
    WAIT = 5
    WAITALL = 6
    TEST = 7
    BARRIER = 8
    BCAST = 9
    REDUCE = 10
    ALLREDUCE = 11
    GATHER = 12
    GATHERV = 13
    SCATTER = 14
    SCATTERV = 15
    ALLGATHER = 16
    ALLGATHERV = 17
    ALLTOALL = 18
    ALLTOALLV = 19
    SCAN = 20
    REDUCE_SCATTER = 21
    OPEN = 22
    CLOSE = 23
    STAT = 24
    SYNC = 25
    ERASE = 26
    READ = 27
    WRITE = 28
    READ_ALL = 29
    WRITE_ALL = 30
    REGION_BEGIN = 31
    REGION_END = 32
    LOOP = 33
    END = 34

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
    Kind.SSEND: ("peer", "tag", "bytes", "request"),
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
