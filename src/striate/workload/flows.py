"""Work-flow graphs as streams: blocks are read, sent to those who need them, and computed on (paper 004, section 2).

A stream says what is asked for, in bytes and picoseconds of computation; what it costs comes from a cluster. Groups of
graphs wait for each other. Nothing is materialised: a stream of twelve million graphs is a few numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from striate import _core, units
from striate._core import FlowRun
from striate.errors import UnitError, WorkloadError
from striate.refusals import translated
from striate.workload.flow_columns import FlowMachine, GraphColumns, MeshColumns

MOST_RECEIVERS = 16
MOST_DISKS = 4096  # per processor

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class SharedParts:
    """Network components that several processors share: a block's time on each, and which ones each pair passes."""

    names: tuple[str, ...]
    ticks: NDArray[np.int64]
    first: NDArray[np.int64]  # per pair of processors (from * processors + to) and one more
    part: NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class FlowCosts:
    """What a block costs on a machine, in picoseconds."""

    read: int  # T_io: a block from its disk, in sequence
    communication: int  # T_comm: a block to another processor, without contention, on either side
    overlap: bool  # a disk goes on reading while its processor sends
    links: bool = False  # interfaces move blocks; false: processors do the protocol work
    blocks_ahead: int = 8  # how many blocks a disk may be ahead of those who use them
    read_scale: Floats | None = None  # per disk, how many times `read` it takes; None: all alike
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
            blocks_ahead=self.blocks_ahead,
            read_scale=np.empty(0) if self.read_scale is None else self.read_scale,
            station_ticks=np.empty(0, np.int64) if shared is None else shared.ticks,
            first_station=np.empty(0, np.int64) if shared is None else shared.first,
            station=np.empty(0, np.uint32) if shared is None else shared.part,
        )


@runtime_checkable
class Flows(Protocol):
    """A stream of graphs."""

    @property
    def name(self) -> str: ...
    @property
    def processors(self) -> int: ...
    @property
    def disks_per_processor(self) -> int: ...
    @property
    def block_bytes(self) -> int: ...
    @property
    def groups(self) -> int: ...
    @property
    def graphs(self) -> int: ...
    @property
    def sequential(self) -> bool: ...
    def run(self, rung: str, costs: FlowCosts) -> FlowRun: ...
    def graph_columns(self, costs: FlowCosts) -> GraphColumns: ...


def expect_at_least(least: int, found: Any, what: str, *, at: str) -> None:
    """Refuse anything but a whole number of at least `least`."""
    if isinstance(found, bool) or not isinstance(found, int | np.integer) or found < least:
        raise WorkloadError(f"expected a whole number of {what}, at least {least}, got {found!r}", at=at)


def read_at(at: str, read: Callable[[units.Quantity], int], value: units.Quantity) -> int:
    """A size or a time with its unit; a refusal names the key."""
    try:
        return read(value)
    except UnitError as error:
        raise WorkloadError(error.message, at=at) from None


def expect_share(found: float, *, closed: bool, at: str) -> None:
    """Refuse anything but a number from 0 to 1, with 1 itself only where `closed`."""
    if not (0 <= found < 1 or (closed and found == 1)):
        raise WorkloadError(
            f"expected a number from 0 to {'1' if closed else 'below 1'}, got {found!r}", at=at
        )


@dataclass(frozen=True, slots=True)
class Window:
    """The blocks of one query: columns and rows of the stored area, in layers.

    A window with a `place` (its first column and row in the stored area) reads its blocks from the disks where they
    lie: the disks hold the area's blocks in turn, row after row shifted, so that a small window uses them unevenly.
    Without one the blocks are dealt evenly to all disks.
    """

    columns: int
    rows: int
    layers: int = 1
    place: tuple[int, int] | None = None

    @property
    def blocks(self) -> int:
        return self.columns * self.rows * self.layers


@dataclass(frozen=True, slots=True)
class BlockFlows:
    """Windows of a grid of blocks that are dealt to all disks; each window is a group.

    With a `mesh` of processors a block is used by the cells that its footprint touches (`reach` blocks beyond its
    own place); without one it is used where its disk is. Reads differ by up to `read_variation` of their time.
    """

    name: str
    processors: int
    disks_per_processor: int
    block_bytes: int
    windows: tuple[Window, ...]
    compute_picoseconds: int
    mesh: tuple[int, int] | None = None
    reach: float = 0.0
    read_variation: float = 0.0
    sequential: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        if self.mesh is not None:
            for number, side in enumerate(self.mesh):
                expect_at_least(1, side, "processors along a side", at=f"$.mesh[{number}]")
        expect_at_least(1, self.processors, "processors", at="$.processors")
        expect_at_least(1, self.disks_per_processor, "disks", at="$.disks_per_processor")
        if self.disks_per_processor > MOST_DISKS:
            found = f"expected at most {MOST_DISKS} disks per processor, got {self.disks_per_processor}"
            raise WorkloadError(found, at="$.disks_per_processor")
        expect_at_least(1, self.block_bytes, "bytes", at="$.block")
        if self.mesh is not None and self.mesh[0] * self.mesh[1] != self.processors:
            raise WorkloadError(
                f"expected a mesh of {self.processors} processors, got {self.mesh[0]} x {self.mesh[1]}",
                at="$.mesh",
            )
        if not self.windows or min(min(w.columns, w.rows, w.layers) for w in self.windows) < 1:
            raise WorkloadError("expected at least one window with at least one block", at="$.window")
        expect_share(self.reach, closed=True, at="$.reach")
        expect_share(self.read_variation, closed=False, at="$.read_variation")
        expect_at_least(0, self.compute_picoseconds, "time of computation", at="$.compute_per_block")

    @property
    def groups(self) -> int:
        return len(self.windows)

    @property
    def graphs(self) -> int:
        return sum(window.blocks for window in self.windows)

    def run(self, rung: str, costs: FlowCosts) -> FlowRun:
        """One rung of the core over the whole stream."""
        with translated(WorkloadError, source=self.name):
            return _core.mesh_queries(rung, costs.machine(self), self._queries(costs))

    def graph_columns(self, costs: FlowCosts) -> GraphColumns:
        """Every graph, as the columns of a listed stream, on disks all alike; takes room for each."""
        machine = replace(costs, read_scale=None).machine(self)
        with translated(WorkloadError, source=self.name):
            return GraphColumns(**_core.mesh_graphs(machine, self._queries(costs)))

    def _queries(self, costs: FlowCosts) -> MeshColumns:
        mesh = self.mesh or (1, 1)
        places = [window.place or (-1, -1) for window in self.windows]
        return MeshColumns(
            mesh_columns=mesh[0],
            mesh_rows=mesh[1],
            reach=float(self.reach),
            scattered=self.mesh is not None,
            read_ticks=costs.read,
            compute_ticks=self.compute_picoseconds,
            read_variation=float(self.read_variation),
            seed=self.seed,
            columns=np.array([window.columns for window in self.windows], np.int64),
            rows=np.array([window.rows for window in self.windows], np.int64),
            layers=np.array([window.layers for window in self.windows], np.int64),
            left=np.array([left for left, _ in places], np.int64),
            top=np.array([top for _, top in places], np.int64),
        )


@dataclass(frozen=True, slots=True)
class Graph:
    """One graph of a listed stream: a block from `disk`, computed on by its own processor and by `receivers`."""

    disk: int
    receivers: tuple[int, ...] = ()
    local: bool = True
    compute_picoseconds: int = 0
    blocks: float = 1.0  # its size in blocks: reading takes that many times T_io


def _by_disk(group: tuple[Graph, ...]) -> list[Graph]:
    return sorted(group, key=lambda graph: graph.disk)


@dataclass(frozen=True, slots=True, eq=False)
class ListedFlows:
    """Graphs given one by one, group by group; for small streams and for tests."""

    name: str
    processors: int
    disks_per_processor: int
    block_bytes: int
    listed: tuple[tuple[Graph, ...], ...]
    sequential: bool = True
    _columns: GraphColumns = field(init=False, repr=False)
    _blocks: Floats = field(init=False, repr=False)  # the size of every graph

    def __post_init__(self) -> None:
        object.__setattr__(self, "_columns", self._packed())
        sizes = [graph.blocks for group in self.listed for graph in _by_disk(group)]
        object.__setattr__(self, "_blocks", np.array(sizes, np.float64))

    @property
    def groups(self) -> int:
        return len(self.listed)

    @property
    def graphs(self) -> int:
        return sum(len(group) for group in self.listed)

    def _packed(self) -> GraphColumns:
        disks = self.processors * self.disks_per_processor
        for number, group in enumerate(self.listed):
            for graph in group:
                if not 0 <= graph.disk < disks:
                    raise WorkloadError(f"no disk {graph.disk}; there are {disks}", at=f"group {number}")
                if len(graph.receivers) > MOST_RECEIVERS:
                    raise WorkloadError(
                        f"a block goes to at most {MOST_RECEIVERS} other processors", at=f"group {number}"
                    )
        ordered = [_by_disk(group) for group in self.listed]
        counts = [np.bincount([graph.disk for graph in group], minlength=disks) for group in ordered]
        graphs = [graph for group in ordered for graph in group]
        counted = np.concatenate([*counts, np.empty(0, np.int64)])
        receivers = [len(graph.receivers) for graph in graphs]
        return GraphColumns(
            first=np.concatenate(([0], np.cumsum(counted))).astype(np.int64),
            read_ticks=np.empty(0, np.int64),
            compute_ticks=np.array([graph.compute_picoseconds for graph in graphs], np.int64),
            local=np.array([graph.local for graph in graphs], np.uint8),
            first_receiver=np.concatenate(([0], np.cumsum(receivers))).astype(np.int64),
            receiver=np.array([to for graph in graphs for to in graph.receivers], np.uint32),
        )

    def run(self, rung: str, costs: FlowCosts) -> FlowRun:
        """One rung of the core over the whole stream."""
        with translated(WorkloadError, source=self.name):
            return _core.listed_flows(rung, costs.machine(self), self.graph_columns(costs))

    def graph_columns(self, costs: FlowCosts) -> GraphColumns:
        """Every graph, its reads at the price of a block."""
        return replace(self._columns, read_ticks=np.rint(self._blocks * costs.read).astype(np.int64))
