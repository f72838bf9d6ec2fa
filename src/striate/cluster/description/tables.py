"""A cluster as a person describes it: the tables and keys of a TOML file, one frozen class per table."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from striate.cluster.cluster import Link, Nic, PlacementKind, Settings
from striate.cluster.description.networks import Count, NetworkTable
from striate.cluster.description.quantities import Bytes, BytesPerSecond, Instructions, PieceBytes, Ticks
from striate.cluster.storage import Burst, Cache, Disk, Raid

NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9 _+()/-]*$"
Name = Annotated[str, Meta(pattern=NAME_PATTERN, max_length=64)]
Index = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Where = Literal["nodes", "apart"]
Selection = str | tuple[Index, ...]  # the name of a [[node]] table, or node numbers


class Socket(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The memory of one socket; `local_bandwidth` holds between two processes of the same socket."""

    bandwidth: BytesPerSecond
    local_bandwidth: BytesPerSecond | None = None  # None: no faster than to elsewhere


class Hub(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What joins a node's sockets (QPI, HyperTransport, an I/O bus), and the link from each socket to it."""

    bandwidth: BytesPerSecond
    link: Link


class Inside(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The inside of a one-socket node that holds I/O servers or forwarders alone."""

    memory: Bytes
    nic: Nic
    socket: Socket
    hub: Hub | None = None
    uplink: Link | None = None


class NodeTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[[node]]`: `count` equal compute nodes."""

    name: Name
    count: Count
    sockets: Count = 1
    cpus_per_socket: Count
    instructions_per_second: Instructions
    memory: Bytes
    nic: Nic
    socket: Socket
    hub: Hub | None = None  # needed for two sockets or more
    uplink: Link | None = None  # needed unless a graph's own edges reach the node
    at: str | tuple[str, ...] | None = None  # graph only: the component each node's uplink leads to


class SeatTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What servers, forwarders and metadata servers share: how many there are, and on which nodes they run."""

    name: Name
    count: Count
    on: Where
    nodes: Selection | None = None  # on = "nodes": which; None: all, in order
    like: str | None = None  # on = "apart": its node has the inside of this [[node]] table
    node: Inside | None = None  # on = "apart": or this inside
    at: str | tuple[str, ...] | None = None
    per_node: Count = 1
    nic: Nic | None = None  # None: the one of its node


class ServerTable(SeatTable, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[[server]]`: `count` equal I/O servers, on compute nodes or on nodes of their own."""

    cache: Cache = Cache()
    disk: Disk | tuple[Disk, ...]
    disks: Count = 1  # how many of `disk`
    raid: Raid = 0  # 0: striped; 5: each disk in turn holds the parity of the others
    chunk: PieceBytes = PieceBytes(64 * 1024)  # on one disk before the next takes over
    burst: Burst | None = None

    def kinds_of_disks(self) -> tuple[Disk, ...]:
        """The disks listed, of which one server has `disks` each."""
        return self.disk if isinstance(self.disk, tuple) else (self.disk,)

    def all_disks(self) -> tuple[Disk, ...]:
        """Every disk of one server."""
        return self.kinds_of_disks() * self.disks


class ForwarderTable(SeatTable, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[[forwarder]]`: `count` relays that carry the I/O of compute nodes to servers."""

    serves: Selection | None = None  # compute nodes, dealt out in equal blocks; None: all
    to: tuple[str, ...] | None = None  # names of [[server]] tables; None: all
    aggregate: Bytes = Bytes(0)  # of a request, gathered before it is passed on


class MetadataTable(SeatTable, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[[metadata]]`: `count` servers that know names and places of files; times of one operation each."""

    open: Ticks
    create: Ticks | None = None  # None: as open
    stat: Ticks | None = None  # None: as open
    delete: Ticks | None = None  # None: as create
    close: Ticks | None = None  # None: nobody tells it
    concurrent_operations: Count = 1


class PlacementTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[placement]`: how ranks go to CPUs; `ranks` gives (node, socket) for each rank when explicit."""

    kind: PlacementKind = "round-robin"
    ranks: tuple[tuple[Index, Index], ...] = ()


class MeasuredTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[[measured]]`: the range that measurements gave for the number at `key`, a path in this file."""

    key: Annotated[str, Meta(max_length=200)]
    low: Annotated[str, Meta(max_length=64)]
    high: Annotated[str, Meta(max_length=64)]
    samples: Annotated[int, Meta(ge=0, le=10**12)] = 1  # 0: nothing was measured, the range is what is usual
    how: Annotated[str, Meta(max_length=400)] = ""


class Description(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A whole file."""

    name: Name
    source: Annotated[str, Meta(max_length=20_000)] = ""
    settings: Settings = Settings()
    node: Annotated[tuple[NodeTable, ...], Meta(min_length=1)]
    network: NetworkTable | None = None  # None: a machine of one node
    server: tuple[ServerTable, ...] = ()
    forwarder: tuple[ForwarderTable, ...] = ()
    metadata: tuple[MetadataTable, ...] = ()
    placement: PlacementTable = PlacementTable()
    measured: Annotated[tuple[MeasuredTable, ...], Meta(max_length=1000)] = ()
