"""`Cluster`: what a machine can do - nodes, sockets, CPUs, any network graph, I/O servers, caches, disks.

Large machines have large graphs, so everything counted in thousands is a column (a NumPy array); what comes
in a few kinds (node types, servers) is a small frozen object. A process has a network interface of its
own that hangs on its socket's memory component; interfaces appear when ranks are placed, not before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from striate.cluster.description.quantities import (
    Bytes,
    BytesPerSecond,
    Instructions,
    Load,
    PieceBytes,
    Ticks,
)
from striate.cluster.placement import Indices, Placement, place
from striate.cluster.storage import Burst, Cache, Disk, Raid

if TYPE_CHECKING:
    from striate.cluster.description.tables import Description
    from striate.plugins.loading import Plugins

Floats = NDArray[np.float64]
TickColumn = NDArray[np.int64]

# What a network component does with a packet.
STORE_FORWARD, MEMORY, CUT_THROUGH = 0, 1, 2
COMPONENT_KINDS = ("store-forward", "memory", "cut-through")

PlacementKind = Literal["round-robin", "block", "explicit"]
RoutingKind = Literal["shortest", "round-robin"]
ProtocolKind = Literal["interface", "processor"]
CollectiveKind = Literal["direct", "two-phase", "pipelined", "automatic"]
OpenKind = Literal["first", "all"]
NicKind = Literal["packet", "analytical"]
DistributionKind = Literal["round-robin", "hash"]
DomainKind = Literal["contiguous", "cyclic", "equal"]
AGGREGATORS = r"^(all|nodes|stripes( *[x*] *[1-9][0-9]{0,5})?)$"


class Link(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A directed edge's speed; a cable is two of them."""

    bandwidth: BytesPerSecond
    latency: Ticks = Ticks(0)


class Nic(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The network interface of one process or I/O server, and the link that joins it to its socket."""

    bandwidth: BytesPerSecond
    link: Link
    kind: NicKind = "packet"


class NodeType(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of node: every socket has the same number of equal CPUs."""

    name: str
    sockets: int
    cpus_per_socket: int
    instructions_per_second: Instructions
    memory: Bytes
    nic: Nic


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Software knobs of a machine: how its MPI and its file system cut data."""

    packet: PieceBytes = PieceBytes(100 * 1024)
    eager: Bytes = Bytes(100 * 1024)  # larger messages wait for the receiver (rendezvous)
    io_request: PieceBytes = PieceBytes(10 * 1024 * 1024)
    write_window: Bytes = Bytes(0)  # of a call, sent before the first bytes are acknowledged; 0: all of it
    read_window: Bytes = Bytes(0)  # of a call, asked for at once: read-ahead of clients; 0: all of it
    # Of an extent lock from one node to another that writes to the same object; 0: no locks, or lock-ahead.
    lock_move: Ticks = Ticks(0)
    # Of a request that writes new bytes, where the file begins: its size is counted there; 0: no requests for that.
    size_update: Ticks = Ticks(0)
    inode_lock: bool = False  # writes of a node's ranks to one file take turns, as Linux makes them
    # Between a process and the page cache, by the process's own CPU; None: copies take no time.
    write_copy: BytesPerSecond | None = None
    read_copy: BytesPerSecond | None = None
    # The same for programs that use one buffer again and again, of `cached_buffer` bytes at most: it stays in a CPU's
    # cache; None: as fast as others.
    write_copy_cached: BytesPerSecond | None = None
    read_copy_cached: BytesPerSecond | None = None
    cached_buffer: PieceBytes = PieceBytes(1024 * 1024)
    # CPU time of a byte run of a collective access through aggregators, each time a rank handles it: the rank that
    # asks for it lists it, and the aggregator merges it with those of the others.
    piece_cpu: Ticks = Ticks(0)
    # Between messages and an aggregator's buffer, by the aggregator's own CPU; None: copies take no time.
    exchange_copy: BytesPerSecond | None = None
    # Until the thread that makes a rank's non-blocking accesses has begun; it ends after `THREAD_IDLE_SECONDS`.
    io_thread: Ticks = Ticks(0)
    open_by: OpenKind = (
        "first"  # who asks for the file of a collective open: one rank, which tells the others, or all
    )
    stripe_unit: PieceBytes = PieceBytes(64 * 1024)
    distribution: DistributionKind = "round-robin"  # of a file's strips over the servers
    distribution_draw: Annotated[int, Meta(ge=0, le=2**31 - 1)] = 0  # hash: which of the possible placements
    collective_algorithms: tuple[str, ...] = ()  # of the MPI library: rules as `--collective` takes them
    collective_buffer: PieceBytes = PieceBytes(16 * 1024 * 1024)
    collective: CollectiveKind = "direct"  # how collective calls access files, unless a file says otherwise
    # Ranks that access files for the others; "stripes x 4": a multiple of a file's stripes.
    aggregators: Annotated[int, Meta(ge=1, le=2**31 - 1)] | Annotated[str, Meta(pattern=AGGREGATORS)] = "all"
    # Of aggregators: parts that begin at a stripe; cyclic: stripes in turn, as ROMIO on Lustre; equal: as many bytes
    # each, wherever stripes begin, as ROMIO where a file system does not tell it the stripes.
    file_domains: DomainKind = "contiguous"
    data_sieving: bool = False  # independent accesses with gaps go through buffers, as ROMIO does
    routing: RoutingKind = "shortest"
    protocol: ProtocolKind = (
        "interface"  # who moves messages: interfaces, or processors, which compute less then
    )
    io_overlap: bool = True  # a node's disks go on while it communicates; false: they wait for its sends
    io_cpu: Ticks = Ticks(0)  # T_io_cpu of paper 004: CPU time an I/O call takes from its process
    sync_alone: bool = False  # each rank flushes and goes on by itself, as fsync does; else one flush for all
    flush_on_close: bool = False  # closing a file writes back what the servers hold, as a sync does
    free_near: bool = (
        False  # ranks and servers on one socket reach each other in no time: its disks are its own
    )
    io_variation: Ticks = Ticks(0)  # T_io_diff of paper 004: spread of a request's time between processors
    turn: Ticks = Ticks(
        0
    )  # ranks that outnumber CPUs: until a waiting one is back on its CPU, for each further rank
    time_slice: Ticks = Ticks(0)  # how long a background process keeps a CPU that a rank waits for
    # CPU share of a rank that waits for a message, as a fraction of that of a computing rank, with twice and four
    # times as many ranks as CPUs: 0 when waiting ranks sleep.
    waiting_double: Load = Load(0)
    waiting_fourfold: Load = Load(0)
    # Scheduling delay of the next message, as a fraction of the rank's compute time since the previous one, with twice
    # and four times as many ranks as CPUs; and its upper limit. Ranks that leave a collective call first occupy CPUs
    # that others need to complete it.
    lag_double: Load = Load(0)
    lag_fourfold: Load = Load(0)
    flushed_lag_double: Load = Load(
        0
    )  # the same in programs that flush files, and so put their ranks to sleep
    flushed_lag_fourfold: Load = Load(0)
    longest_lag: Ticks = Ticks(0)
    background: Load = Load(0)  # processes of others that want a CPU of each node, on average


THREAD_IDLE_SECONDS = 1.0  # without work, of a thread for asynchronous I/O: aio_idle_time of glibc
CROWD_SHARES = (
    *("waiting_double", "waiting_fourfold"),
    *("lag_double", "lag_fourfold", "flushed_lag_double", "flushed_lag_fourfold"),
)
_DEFAULT_SETTINGS = Settings()


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """A directed graph of components; every cable is two edges."""

    kind: NDArray[np.uint8]  # per component: STORE_FORWARD, MEMORY or CUT_THROUGH
    bandwidth: Floats  # per component, bytes per second through it
    local_bandwidth: Floats  # per component: the faster rate between two neighbours of a memory, else 0
    edge_source: Indices
    edge_target: Indices
    edge_bandwidth: Floats
    edge_latency: TickColumn

    @property
    def components(self) -> int:
        return len(self.kind)

    @property
    def edges(self) -> int:
        return len(self.edge_source)


@dataclass(frozen=True, slots=True)
class IOServer:
    """A storage server: where it hangs in the network, its interface, its cache layer and its disks."""

    name: str
    component: int
    nic: Nic
    cache: Cache
    disks: tuple[Disk, ...]
    memory: int  # bytes of its node for cached data
    node: int = -1  # the compute node it shares, or -1 when it stands apart
    raid: Raid = 0
    chunk: int = 64 * 1024  # bytes on one disk before the next
    burst: Burst | None = None


@dataclass(frozen=True, slots=True)
class Forwarder:
    """Relays the I/O of `nodes` to `servers` (indices); hangs at `component`."""

    name: str
    component: int
    nic: Nic
    nodes: tuple[int, ...]
    servers: tuple[int, ...]
    aggregate: int = 0  # bytes of a request that it gathers before it passes them on


@dataclass(frozen=True, slots=True)
class MetadataServer:
    """Answers opens, stats and deletes, `concurrent` at a time; file f belongs to number f modulo their number."""

    name: str
    component: int
    nic: Nic
    open: int  # this and the next: picoseconds an operation takes
    create: int
    stat: int
    delete: int
    close: int | None  # None: no request is sent
    concurrent: int


@dataclass(frozen=True, slots=True, eq=False)
class Cluster:
    """One machine. `socket_component[first_socket[n] + s]` is where processes of node n, socket s attach."""

    name: str
    source: str  # where the numbers come from
    node_types: tuple[NodeType, ...]
    node_type: Indices  # per node: index into node_types
    first_socket: Indices  # per node, and one past the end
    socket_component: Indices
    network: Network
    servers: tuple[IOServer, ...] = ()
    forwarders: tuple[Forwarder, ...] = ()
    metadata: tuple[MetadataServer, ...] = ()
    settings: Settings = _DEFAULT_SETTINGS
    placement: PlacementKind = "round-robin"
    explicit_placement: tuple[tuple[int, int], ...] = ()  # per rank: node, socket
    component_names: Sequence[str] = field(default=(), repr=False)  # empty: made from their index
    description: Description | None = field(default=None, repr=False)  # what it was built from
    plugins: Plugins | None = field(default=None, repr=False)  # a user's own algorithms for its parts
    _placed: dict[int, Placement] = field(
        default_factory=dict, init=False, repr=False
    )  # the last one asked for

    @property
    def nodes(self) -> int:
        return len(self.node_type)

    @property
    def sockets(self) -> int:
        return len(self.socket_component)

    @property
    def cpus(self) -> int:
        per_type = [kind.sockets * kind.cpus_per_socket for kind in self.node_types]
        return int(np.bincount(self.node_type, minlength=len(per_type)) @ per_type)

    def place(self, ranks: int) -> Placement:
        """Where each of `ranks` processes runs; refuses an explicit placement that is too short."""
        if ranks not in self._placed:
            placement = place(self, ranks)
            self._placed.clear()
            self._placed[ranks] = placement
        return self._placed[ranks]
