"""What accesses to disks and messages of a stream of work-flow graphs cost on a machine, in picoseconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from striate.errors import WorkloadError
from striate.workload.flow_columns import FlowMachine

if TYPE_CHECKING:
    from striate.workload.flows import Flows

Floats = NDArray[np.float64]
MOST_TICKS = 2**61  # of one access


@dataclass(frozen=True, slots=True, eq=False)
class SharedParts:
    """Network components that several processors share: a block's time on each, and which ones each pair passes."""

    names: tuple[str, ...]
    ticks: NDArray[np.int64]
    first: NDArray[np.int64]  # per pair of processors (from * processors + to) and one more
    part: NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class AccessPrices:
    """What accesses in sequence take, per disk: so much per request, and so much per byte."""

    request_ticks: NDArray[np.int64]
    bytes_per_second: Floats
    request_bytes: int  # of the largest request

    def ticks(self, disk: NDArray[np.int64], size: NDArray[np.int64]) -> NDArray[np.int64]:
        """Picoseconds that accesses of these sizes take their disks at least."""
        moved = np.rint(size / self.bytes_per_second[disk] * 1e12)
        before = self.requests(size) * self.request_ticks[disk].astype(np.float64)
        if float((before + moved).max(initial=0.0)) > MOST_TICKS:
            raise WorkloadError(
                "expected disk accesses of at most 26 days per data block, got a longer access"
            )
        return np.asarray(self.requests(size) * self.request_ticks[disk] + moved.astype(np.int64), np.int64)

    def requests(self, size: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.asarray(-(-size // self.request_bytes), np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class DiskPrices:
    """What reads and writes take."""

    read: AccessPrices
    write: AccessPrices


@dataclass(frozen=True, slots=True, eq=False)
class FlowCosts:
    """What a block costs on a machine, in picoseconds."""

    read: int  # T_io: a block from its disk, in sequence
    communication: int  # T_comm: a block to another processor, without contention, on either side
    overlap: bool  # a disk goes on reading while its processor sends
    links: bool = False  # interfaces move blocks; false: processors do the protocol work
    one_cpu: bool = True  # a processor computes and does the protocol work of its disks in turn
    blocks_ahead: int = 8  # how many blocks a disk may be ahead of those who use them
    read_scale: Floats | None = None  # per disk, how many times `read` it takes; None: all alike
    prices: DiskPrices | None = (
        None  # of accesses of any size; None: as many times `read` as there are blocks
    )
    shared: SharedParts | None = None  # components that messages of several processors pass

    def machine(self, flows: Flows) -> FlowMachine:
        """What the core is told of a machine with these costs and the stream's processors."""
        shared = self.shared
        return FlowMachine(
            disks=flows.processors * flows.disks_per_processor,
            disks_per_processor=flows.disks_per_processor,
            communication_ticks=self.communication,
            overlap=self.overlap,
            links=self.links,
            one_cpu=self.one_cpu,
            blocks_ahead=self.blocks_ahead,
            read_scale=np.empty(0) if self.read_scale is None else self.read_scale,
            station_ticks=np.empty(0, np.int64) if shared is None else shared.ticks,
            first_station=np.empty(0, np.int64) if shared is None else shared.first,
            station=np.empty(0, np.uint32) if shared is None else shared.part,
        )
