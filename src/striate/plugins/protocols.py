"""What a plug-in of each kind is asked, and what it answers.

A plug-in is a class with the class attributes `kind` and `name`; its file lists it in `plugins = [...]`. Striate makes
one object of it per run, of the kinds "scheduler", "disk" and "cache" one per server (and disk). An object may keep
what it has seen; it is asked in the order of simulated time.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from striate.cluster.cluster import Network as Network
from striate.layout.distributions.strips import Strip as Strip

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from striate.cluster.cluster import Cluster
    from striate.collectives.draft import ScheduleDraft
    from striate.collectives.schedule import CollectiveSchedule


# ---- collective: what the members of a group send to each other


@dataclass(frozen=True, slots=True, eq=False)
class CollectiveRequest:
    """One collective call. Ranks are positions in the group."""

    call: str  # such as "bcast"; "gather" also for gatherv
    size: int  # ranks in the group
    bytes: Any  # what MPI's count means: a number, or an array per rank (gatherv) or pair (alltoallv)
    root: int
    nodes: NDArray[np.integer[Any]]  # per rank: the node it runs on
    machine: Cluster


class CollectiveAlgorithm(Protocol):
    """An algorithm of one collective call; see `striate.collectives` for drafts of schedules."""

    kind: ClassVar[str] = "collective"
    name: ClassVar[str]
    call: ClassVar[
        str
    ]  # the call it is for: bcast, reduce, allreduce, gather, scatter, allgather, alltoall ...

    def schedule(self, request: CollectiveRequest) -> CollectiveSchedule | ScheduleDraft:
        """Who sends how many bytes to whom, step by step."""
        ...


ANY_RANK = -1  # of a Receive: whatever comes


class Send(NamedTuple):
    """Sends to the rank `peer` of the group."""

    peer: int
    bytes: int


class Receive(NamedTuple):
    """Receives from the rank `peer`, or from whoever comes first; messages of one rank come in order."""

    peer: int = ANY_RANK


class Compute(NamedTuple):
    """Computes before the sends and receives of its step."""

    instructions: int


class Received(NamedTuple):
    """A message that came."""

    peer: int
    bytes: int
    now: float  # seconds


Steps = Generator[Sequence[Send | Receive | Compute], "list[Received]", None]


class ReactiveCollective(Protocol):
    """A collective whose members decide as they go; one object per member."""

    kind: ClassVar[str] = "collective"
    name: ClassVar[str]
    call: ClassVar[str]

    def member(self, request: CollectiveRequest, rank: int) -> Steps:
        """Yields the steps of a rank: what it starts at once. Gets back the messages it received in the step."""
        ...


# ---- layout: which server holds which bytes of a file


@dataclass(frozen=True, slots=True, eq=False)
class FileRequest:
    """A file of the program. Server s of a layout is server f + s (modulo their number) for file number f."""

    name: str
    number: int  # counted over all files of the program
    count: int  # files that share this layout, numbered one after the other
    machine: Cluster


class FileLayout(Protocol):
    """Places the bytes of files."""

    kind: ClassVar[str] = "layout"
    name: ClassVar[str]

    def strips(self, file: FileRequest) -> Sequence[Strip] | None:
        """One round of strips, repeated to the end of the file; None: the file keeps the layout it has."""
        ...


# ---- collective-io: which member of a group accesses which bytes of a file in a collective call


class Piece(NamedTuple):
    """In round `round`, the member at position `rank` accesses these bytes for all who asked for them."""

    round: int
    rank: int
    offset: int
    bytes: int


@dataclass(frozen=True, slots=True, eq=False)
class CollectiveAccess:
    """One collective read or write: what each member asks for."""

    file: int
    write: bool
    runs: Sequence[NDArray[np.int64]]  # per member: rows of offset and bytes, in any order, possibly none
    nodes: NDArray[np.integer[Any]]  # per member: the node it runs on
    machine: Cluster


class CollectiveIO(Protocol):
    """Decides who aggregates what. Members send the bytes that they write to those who access them, round by round."""

    kind: ClassVar[str] = "collective-io"
    name: ClassVar[str]

    def plan(self, access: CollectiveAccess) -> Sequence[Piece]:
        """Pieces that hold every byte asked for exactly once; other bytes in them are left alone."""
        ...


# ---- routing: which links a message takes


class Routing(Protocol):
    """Chooses one route between two components of the network; it serves all messages between them."""

    kind: ClassVar[str] = "routing"
    name: ClassVar[str]

    def __init__(self, network: Network) -> None: ...

    def route(self, source: int, target: int) -> Sequence[int]:
        """The edges from component `source` to component `target`, in order."""
        ...


# ---- scheduler, disk, cache: parts of an I/O server


@dataclass(frozen=True, slots=True, eq=False)
class Server:
    """The I/O server that an object works for."""

    number: int
    name: str
    memory_bytes: int  # for cached data; 0: no end
    machine: Cluster


@dataclass(frozen=True, slots=True)
class ServerRequest:
    """A request that waits before a server's disks; offsets count in the server's own part of the file."""

    number: int  # counted by arrival
    rank: int  # whose bytes these are
    file: int
    offset: int
    bytes: int
    write: bool
    arrived: float  # seconds

    @property
    def end(self) -> int:
        return self.offset + self.bytes


class RequestScheduler(Protocol):
    """Decides which of a server's waiting requests goes to its disks next, and which are served together."""

    kind: ClassVar[str] = "scheduler"
    name: ClassVar[str]

    def __init__(self, server: Server) -> None: ...

    def arrive(self, request: ServerRequest) -> None:
        """The request waits from now on."""
        ...

    def next(self, now: float) -> ServerRequest | Sequence[ServerRequest]:
        """A waiting request, or several that continue each other, as one access of the disks.

        Asked only while a request waits and a disk is free.
        """
        ...


@dataclass(frozen=True, slots=True)
class DiskAccess:
    """One access of a disk, which is idle."""

    file: int
    offset: int
    bytes: int
    write: bool
    now: float  # seconds

    @property
    def end(self) -> int:
        return self.offset + self.bytes


class DiskModel(Protocol):
    """Says how long accesses take; one object per disk."""

    kind: ClassVar[str] = "disk"
    name: ClassVar[str]

    def __init__(self, server: Server, disk: int) -> None: ...

    def seconds(self, access: DiskAccess) -> float:
        """How long the access takes. Accesses come in the order in which the disk serves them."""
        ...


class Page(NamedTuple):
    """Bytes `number` * 64 KiB and on of the server's part of a file."""

    file: int
    number: int


class PageReplacement(Protocol):
    """Decides which page leaves the read cache of a server when another one needs its place."""

    kind: ClassVar[str] = "cache"
    name: ClassVar[str]

    def __init__(self, server: Server, pages: int) -> None: ...

    def added(self, page: Page) -> None:
        """The page is in memory from now on."""
        ...

    def used(self, page: Page) -> None:
        """The page, which is in memory, was read or written again."""
        ...

    def victim(self) -> Page:
        """A page that is in memory; it leaves at once."""
        ...
