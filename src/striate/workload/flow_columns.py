"""What the core's rungs over streams of work-flow graphs read: a machine, and graphs or the windows that make them.

`core/include/striate/flows/flows.hpp` says what the columns mean.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Int64s = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class FlowMachine:
    """Disks in the order of their processors, and what it costs to send one block; times in picoseconds."""

    disks: int
    disks_per_processor: int
    communication_ticks: int
    overlap: bool
    links: bool
    one_cpu: bool
    blocks_ahead: int
    read_scale: NDArray[np.float64]  # per disk; empty: all alike
    station_ticks: Int64s
    first_station: Int64s
    station: NDArray[np.uint32]


@dataclass(frozen=True, slots=True, eq=False)
class MeshColumns:
    """Windows of a grid of blocks, mapped onto a mesh of processors."""

    mesh_columns: int
    mesh_rows: int
    reach: float
    scattered: bool
    read_ticks: int
    compute_ticks: int
    read_variation: float
    seed: int
    columns: Int64s  # per window, as all that follow
    rows: Int64s
    layers: Int64s
    left: Int64s
    top: Int64s


@dataclass(frozen=True, slots=True, eq=False)
class GraphColumns:
    """Graphs one by one, sorted by group and disk."""

    first: Int64s
    read_ticks: Int64s
    compute_ticks: Int64s
    local: NDArray[np.uint8]
    write: NDArray[np.uint8]
    size: NDArray[np.float64]  # in blocks
    first_receiver: Int64s
    receiver: NDArray[np.uint32]
