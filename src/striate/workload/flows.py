"""Work-flow graphs as streams: blocks are read, sent to those who need them, and computed on (paper 004, section 2).

A stream says what is asked for, in bytes and picoseconds of computation; what it costs comes from a cluster. Groups of
graphs wait for each other. Nothing is materialised: a stream of twelve million graphs is a few numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

import striate._core as _core
from striate.errors import WorkloadError
from striate.refusals import translated

MOST_RECEIVERS = 16


@dataclass(frozen=True, slots=True)
class FlowCosts:
    """What a block costs on a machine, in picoseconds."""

    read: int  # T_io: a block from its disk, in sequence
    communication: int  # T_comm: a block to another processor, without contention, on either side
    overlap: bool  # a disk goes on reading while its processor sends
    links: bool = False  # interfaces move blocks; false: processors do the protocol work
    blocks_ahead: int = 8  # how many blocks a disk may be ahead of those who use them


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
    def run(self, rung: str, costs: FlowCosts) -> dict[str, Any]: ...
    def columns(self, costs: FlowCosts) -> dict[str, NDArray[Any]]: ...


@dataclass(frozen=True, slots=True)
class Window:
    """The blocks of one query: columns and rows of the stored area, in layers."""

    columns: int
    rows: int
    layers: int = 1

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
        if self.processors < 1 or self.disks_per_processor < 1 or self.block_bytes < 1:
            raise WorkloadError("expected at least one processor, one disk on each, and blocks of one byte")
        if self.mesh is not None and self.mesh[0] * self.mesh[1] != self.processors:
            raise WorkloadError(
                f"expected a mesh of {self.processors} processors, got {self.mesh[0]} x {self.mesh[1]}"
            )
        if not self.windows or min((w.columns, w.rows, w.layers) for w in self.windows) < (1, 1, 1):
            raise WorkloadError("expected at least one window with at least one block")
        if not 0 <= self.reach <= 1 or not 0 <= self.read_variation < 1 or self.compute_picoseconds < 0:
            raise WorkloadError(
                "expected reach and read variation between 0 and 1, and no negative computation"
            )

    @property
    def groups(self) -> int:
        return len(self.windows)

    @property
    def graphs(self) -> int:
        return sum(window.blocks for window in self.windows)

    def run(self, rung: str, costs: FlowCosts) -> dict[str, Any]:
        """One rung of the core over the whole stream."""
        columns, rows, layers = np.array([(w.columns, w.rows, w.layers) for w in self.windows], np.int64).T
        mesh = self.mesh or (1, 1)
        return _run(
            _core.mesh_queries,
            rung,
            self,
            costs,
            mesh_columns=mesh[0],
            mesh_rows=mesh[1],
            reach=float(self.reach),
            scattered=self.mesh is not None,
            read_ticks=costs.read,
            compute_ticks=self.compute_picoseconds,
            read_variation=float(self.read_variation),
            seed=self.seed,
            columns=np.ascontiguousarray(columns),
            rows=np.ascontiguousarray(rows),
            layers=np.ascontiguousarray(layers),
        )

    def columns(self, costs: FlowCosts) -> dict[str, NDArray[Any]]:
        """Every graph, as the columns of a listed stream; takes room for each."""
        return self.run("list", costs)


@dataclass(frozen=True, slots=True)
class Graph:
    """One graph of a listed stream: a block from `disk`, computed on by its own processor and by `receivers`."""

    disk: int
    receivers: tuple[int, ...] = ()
    local: bool = True
    compute_picoseconds: int = 0
    blocks: float = 1.0  # its size in blocks: reading takes that many times T_io


@dataclass(frozen=True, slots=True, eq=False)
class ListedFlows:
    """Graphs given one by one, group by group; for small streams and for tests."""

    name: str
    processors: int
    disks_per_processor: int
    block_bytes: int
    listed: tuple[tuple[Graph, ...], ...]
    sequential: bool = True
    _columns: dict[str, NDArray[Any]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_columns", self._packed())

    @property
    def groups(self) -> int:
        return len(self.listed)

    @property
    def graphs(self) -> int:
        return sum(len(group) for group in self.listed)

    def _packed(self) -> dict[str, NDArray[Any]]:
        disks = self.processors * self.disks_per_processor
        for number, group in enumerate(self.listed):
            for graph in group:
                if not 0 <= graph.disk < disks:
                    raise WorkloadError(f"no disk {graph.disk}; there are {disks}", at=f"group {number}")
                if len(graph.receivers) > MOST_RECEIVERS:
                    raise WorkloadError(
                        f"a block goes to at most {MOST_RECEIVERS} others", at=f"group {number}"
                    )
        ordered = [sorted(group, key=lambda graph: graph.disk) for group in self.listed]
        counts = [np.bincount([graph.disk for graph in group], minlength=disks) for group in ordered]
        graphs = [graph for group in ordered for graph in group]
        return {
            "first": np.concatenate(
                ([0], np.cumsum(np.concatenate([*counts, np.empty(0, np.int64)])))
            ).astype(np.int64),
            "compute_ticks": np.array([graph.compute_picoseconds for graph in graphs], np.int64),
            "local": np.array([graph.local for graph in graphs], np.uint8),
            "first_receiver": np.concatenate(([0], np.cumsum([len(g.receivers) for g in graphs]))).astype(
                np.int64
            ),
            "receiver": np.array([to for graph in graphs for to in graph.receivers], np.uint32),
            "blocks": np.array([graph.blocks for graph in graphs], np.float64),
        }

    def run(self, rung: str, costs: FlowCosts) -> dict[str, Any]:
        """One rung of the core over the whole stream."""
        return _run(_core.listed_flows, rung, self, costs, **self.columns(costs))

    def columns(self, costs: FlowCosts) -> dict[str, NDArray[Any]]:
        """Every graph: see core/include/striate/flows/flows.hpp for what the columns mean."""
        columns = {name: column for name, column in self._columns.items() if name != "blocks"}
        return columns | {"read_ticks": np.rint(self._columns["blocks"] * costs.read).astype(np.int64)}


def _run(engine: Any, rung: str, flows: Flows, costs: FlowCosts, **columns: Any) -> dict[str, Any]:
    with translated(WorkloadError, source=flows.name):
        result: dict[str, Any] = engine(
            rung,
            disks=flows.processors * flows.disks_per_processor,
            disks_per_processor=flows.disks_per_processor,
            communication_ticks=costs.communication,
            overlap=costs.overlap,
            links=costs.links,
            blocks_ahead=costs.blocks_ahead,
            **columns,
        )
    return result
