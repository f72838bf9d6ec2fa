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
    OFFER = 8
    WAITANY = 9
    PUT = 10
    GET = 11
    ACCUMULATE = 12
    FLUSH = 13
    LOCK = 14
    UNLOCK = 15
    BARRIER = 16
    BCAST = 17
    REDUCE = 18
    ALLREDUCE = 19
    GATHER = 20
    GATHERV = 21
    SCATTER = 22
    SCATTERV = 23
    ALLGATHER = 24
    ALLGATHERV = 25
    ALLTOALL = 26
    ALLTOALLV = 27
    SCAN = 28
    EXSCAN = 29
    REDUCE_SCATTER = 30
    OPEN = 31
    CLOSE = 32
    STAT = 33
    SYNC = 34
    ERASE = 35
    READ = 36
    WRITE = 37
    READ_ALL = 38
    WRITE_ALL = 39
    REGION_BEGIN = 40
    REGION_END = 41
    LOOP = 42
    END = 43

    @property
    def label(self) -> str:
        """The name a program writes: `write_all`, `delete`."""
        return "delete" if self is Kind.ERASE else self.name.lower()


_ROOTED = ("bytes", "root", "algorithm", "request")
_UNROOTED = ("bytes", "algorithm", "request")
_COUNTED = ("bytes", "counts", "algorithm", "request")
_REMOTE = ("peer", "bytes", "request")
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
    Kind.OFFER: ("last", "request"),  # one that the next waitany looks at; last: surely over after it
    Kind.WAITANY: ("least", "most"),  # waits until `least` are over, takes up to `most`; 0: all
    Kind.PUT: _REMOTE,
    Kind.GET: _REMOTE,
    Kind.ACCUMULATE: _REMOTE,
    Kind.FLUSH: ("peer", "local"),
    Kind.LOCK: ("peer", "exclusive"),
    Kind.UNLOCK: ("peer",),
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
    Kind.EXSCAN: _UNROOTED,
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
        Kind.EXSCAN,
    )
)

# Collectives whose sizes may differ by rank.
VARYING = frozenset((Kind.GATHERV, Kind.SCATTERV, Kind.ALLGATHERV, Kind.ALLTOALLV, Kind.REDUCE_SCATTER))

# Access to the memory of another rank, and what completes it.
ONE_SIDED = frozenset((Kind.PUT, Kind.GET, Kind.ACCUMULATE, Kind.FLUSH, Kind.LOCK, Kind.UNLOCK))
REMOTE_ACCESSES = frozenset((Kind.PUT, Kind.GET, Kind.ACCUMULATE))

ANY = -1  # any source, any tag
NO_PEER = -1  # a neighbour that is not there
# Tags of messages that other calls are made of: who receives any tag does not receive these.
TAGS_OF_CALLS = NEIGHBOUR_TAG, POST_TAG, COMPLETE_TAG = -1_000_001, -1_000_002, -1_000_003
BLOCKING = -1  # no request: the call returns when the operation is complete
NO_EXTENTS = -1
NO_COUNTS = -1  # reduce_scatter: equal parts
DEFAULT_ALGORITHM = -1  # the one that the size and the group decide


# By number, for walks over many rows: making a Kind of a number is slow. Where each operand of a kind stands.
KINDS = tuple(Kind)
POSITIONS = tuple({name: at for at, name in enumerate(OPERANDS[kind])} for kind in KINDS)


def position(kind: Kind, operand: str) -> int:
    """Where `operand` stands among the operands of `kind`."""
    return POSITIONS[kind][operand]
