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
from striate.workload.flow_columns import GraphColumns, MeshColumns
from striate.workload.flow_costs import DiskPrices
from striate.workload.flow_costs import FlowCosts as FlowCosts

MOST_RECEIVERS = 16
MOST_DISKS = 4096  # per processor
MOST_DISKS_OF_ALL = 2**24 - 1


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
    @property
    def writes(self) -> bool: ...
    def run(self, rung: str, costs: FlowCosts) -> FlowRun: ...
    def graph_columns(self, costs: FlowCosts) -> GraphColumns: ...
    def graph_bytes(self, columns: GraphColumns, costs: FlowCosts) -> NDArray[np.int64]: ...


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
        wanted = "from 0 to 1" if closed else "of at least 0 and below 1"
        raise WorkloadError(f"expected a share, that is a number {wanted}, got {found!r}", at=at)


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
        _expect_disks(self.processors, self.disks_per_processor)
        expect_at_least(1, self.block_bytes, "bytes", at="$.block")
        if self.mesh is not None and self.mesh[0] * self.mesh[1] != self.processors:
            raise WorkloadError(
                f"expected a mesh of {self.processors} processors in all, got {self.mesh[0]} x {self.mesh[1]}",
                at="$.mesh",
            )
        if not self.windows or min(min(w.columns, w.rows, w.layers) for w in self.windows) < 1:
            raise WorkloadError(
                "expected one or more query windows (parts of the data volume) of at least one data block, found none",
                at="$.window",
            )
        expect_share(self.reach, closed=True, at="$.reach")
        expect_share(self.read_variation, closed=False, at="$.read_variation")
        expect_at_least(0, self.compute_picoseconds, "picoseconds of computation", at="$.compute_per_block")

    @property
    def writes(self) -> bool:
        """No: windows are queries."""
        return False

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
            return _core.mesh_graphs(machine, self._queries(costs))

    def graph_bytes(self, columns: GraphColumns, costs: FlowCosts) -> NDArray[np.int64]:
        """A read that takes longer than others is larger."""
        if not costs.read:
            return np.ones(columns.read_ticks.size, np.int64)
        return np.maximum(1, np.rint(self.block_bytes * columns.read_ticks / costs.read)).astype(np.int64)

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
    """One graph of a listed stream: a block from `disk`, computed on by its own processor and by `receivers`.

    One that writes goes the other way: its processors compute, send the block to the disk's own one, and it is written.
    """

    disk: int
    receivers: tuple[int, ...] = ()
    local: bool = True
    compute_picoseconds: int = 0
    blocks: float = 1.0  # its size in blocks: reading takes that many times T_io
    write: bool = False


def _expect_disks(processors: int, per_processor: int) -> None:
    """Refuse more disks than the rungs count."""
    if per_processor > MOST_DISKS:
        found = f"expected at most {MOST_DISKS} disks per processor, got {per_processor}"
        raise WorkloadError(found, at="$.disks_per_processor")
    if processors * per_processor > MOST_DISKS_OF_ALL:
        found = f"expected at most {MOST_DISKS_OF_ALL:,} disks in all, got {processors * per_processor:,}"
        raise WorkloadError(found, at="$.processors")


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
    _disks: NDArray[np.int64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_columns", self._packed())
        disks = [graph.disk for group in self.listed for graph in _by_disk(group)]
        object.__setattr__(self, "_disks", np.array(disks, np.int64))

    @property
    def writes(self) -> bool:
        """Whether any graph writes."""
        return bool(self._columns.write.any())

    @property
    def groups(self) -> int:
        return len(self.listed)

    @property
    def graphs(self) -> int:
        return sum(len(group) for group in self.listed)

    def _packed(self) -> GraphColumns:
        _expect_disks(self.processors, self.disks_per_processor)
        disks = self.processors * self.disks_per_processor
        for number, group in enumerate(self.listed):
            if len({graph.write for graph in group}) > 1:
                raise WorkloadError(
                    "expected a group of work-flow graphs that all read or all write, got both",
                    at=f"group {number}",
                )
            for graph in group:
                if not 0 <= graph.disk < disks:
                    raise WorkloadError(
                        f"expected a disk number below {disks}, the number of disks, got {graph.disk}",
                        at=f"group {number}",
                    )
                if len(graph.receivers) > MOST_RECEIVERS:
                    raise WorkloadError(
                        f"expected at most {MOST_RECEIVERS} receivers (processors) of a data block, "
                        f"got {len(graph.receivers)}",
                        at=f"group {number}",
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
            write=np.array([graph.write for graph in graphs], np.uint8),
            size=np.array([graph.blocks for graph in graphs], np.float64),
            first_receiver=np.concatenate(([0], np.cumsum(receivers))).astype(np.int64),
            receiver=np.array([to for graph in graphs for to in graph.receivers], np.uint32),
        )

    def run(self, rung: str, costs: FlowCosts) -> FlowRun:
        """One rung of the core over the whole stream."""
        with translated(WorkloadError, source=self.name):
            return _core.listed_flows(rung, costs.machine(self), self.graph_columns(costs))

    def graph_columns(self, costs: FlowCosts) -> GraphColumns:
        """Every graph, its access at the price of its disk."""
        if costs.prices is None:
            return replace(
                self._columns, read_ticks=np.rint(self._columns.size * costs.read).astype(np.int64)
            )
        size, writes = self._sizes(), self._columns.write.astype(bool)
        read, write = (one.ticks(self._disks, size) for one in (costs.prices.read, costs.prices.write))
        return replace(self._columns, read_ticks=np.where(writes, write, read))

    def graph_bytes(self, columns: GraphColumns, costs: FlowCosts) -> NDArray[np.int64]:
        """As many blocks as its graph says."""
        return self._sizes()

    @property
    def largest_bytes(self) -> int:
        """Of the largest block."""
        return int(self._sizes().max(initial=0))

    def requests(self, prices: DiskPrices) -> int:
        """Of all reads and writes together."""
        size = self._sizes()
        writes = self._columns.write.astype(bool)
        return int(np.where(writes, prices.write.requests(size), prices.read.requests(size)).sum())

    def _sizes(self) -> NDArray[np.int64]:
        return np.maximum(1, np.rint(self.block_bytes * self._columns.size)).astype(np.int64)
