"""The facts rules look at: counters of every layer, where files lie, who ran where, and what is not known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from striate.advice.count import counted
from striate.advice.layer import Floats, Layer
from striate.advice.wall import wall_seconds
from striate.arrow import as_numpy
from striate.interval import Interval
from striate.trace.records import DATA_MODULES, asked, columns_of
from striate.trace.trace import Trace

LEAST_SHARE = 0.005  # of the run: what is smaller cannot be told from nothing
LEAST_IO_SHARE = 0.02  # of the time in I/O


@dataclass(frozen=True)
class Sample:
    """How well a file's content compresses: the share that is left, and the seconds per byte."""

    share: float
    seconds_per_byte: float
    codec: str


@dataclass(frozen=True)
class Facts:
    """A trace as counters, from a profiler or counted from its rows."""

    trace: Trace
    samples: Mapping[str, Sample] = field(default_factory=dict)

    @property
    def ranks(self) -> int:
        return self.trace.ranks

    @property
    def run_seconds(self) -> float:
        return self.trace.seconds

    @property
    def saw_all_calls(self) -> bool:
        """Whether time without calls is computing: True for traces of MPI and I/O, False for profiles of I/O."""
        missing = ("messages-missing", "metadata-missing", "truncated")
        return not self.trace.records and not any(flag.code in missing for flag in self.trace.header.flags)

    @cached_property
    def layers(self) -> dict[str, Layer]:
        """The layers that move data, by module: MPI-IO, POSIX, STDIO, DFS."""
        files = len(self.trace.header.files)
        if self.trace.records:
            tables = {module: columns_of(table) for module, table in self.trace.records.items()}
            return {module: Layer(module, columns, self.ranks, files) for module, columns in tables.items()}
        found = {}
        for module, level in (("MPI-IO", "mpi-io"), ("POSIX", "posix")):
            if self.trace.at_level(level).any():
                found[module] = Layer(module, counted(self.trace, level), self.ranks, files)
        return found

    def layer(self, module: str) -> Layer | None:
        found = self.layers.get(module)
        return found if found is not None and len(found) else None

    @cached_property
    def storage(self) -> Layer | None:
        """What the file system saw: POSIX, or DAOS where there is no POSIX to speak of; else what comes closest."""
        layers = [one for one in (self.layer("POSIX"), self.layer("DFS")) if one is not None]
        nearest = self.layer("MPI-IO") or self.layer("STDIO")
        return max(layers, key=lambda layer: float(layer.moved().sum()), default=nearest)

    @cached_property
    def asking(self) -> tuple[Layer, ...]:
        """Of every layer that moves data, the records of what the program asked for."""
        layers = [one for one in map(self.layer, DATA_MODULES) if one is not None]
        return tuple(layer.where(self.asked(layer)) for layer in layers)

    def asked(self, layer: Layer) -> NDArray[np.bool_]:
        """Which records of the layer are what the program asked for, not what a layer above made of it."""
        return asked({name: one.columns for name, one in self.layers.items()}, layer.module, layer.files)

    def wall(self, layer: Layer, spent: Floats) -> Interval:
        """Seconds of the run that calls taking `spent` of each record took."""
        return wall_seconds(layer, spent, run_seconds=self.run_seconds or float("inf"))

    @cached_property
    def io_wall(self) -> Interval:
        """Seconds of the run in I/O of any kind that the program asked for."""
        total = np.zeros(3)
        for layer in self.asking:
            part = self.wall(layer, layer.seconds())
            total += (part.low, part.estimate, part.high)
        low, estimate, high = np.minimum(total, self.run_seconds or np.inf).tolist()
        return Interval(low, estimate, high)

    def matters(self, seconds: float) -> bool:
        """False for what takes too small a share of the run, or of its I/O, to be told from nothing."""
        return seconds >= max(LEAST_SHARE * self.run_seconds, LEAST_IO_SHARE * self.io_wall.estimate)

    def name(self, file: int) -> str:
        return str(self.trace.header.files[file].name) if file >= 0 else "unknown"

    def largest(self, weights: Floats, *, most: int = 3) -> tuple[str, ...]:
        """Names of the files with the largest weights."""
        order = np.argsort(-weights, kind="stable")[:most]
        return tuple(self.name(int(file)) for file in order if weights[file] > 0)

    @cached_property
    def standard_streams(self) -> NDArray[np.bool_]:
        """Which files are the standard input, output and error."""
        return np.array([file.name.startswith("<STD") for file in self.trace.header.files], bool)

    @cached_property
    def rank_bytes(self) -> Floats | None:
        """Bytes that each rank asked for, by single records or heat maps; None where merged records hide them."""
        total, hidden = np.zeros(self.ranks), 0.0
        for layer in self.asking:
            size = layer.moved()
            merged = layer.rank < 0
            hidden += float(size[merged].sum())
            total += np.bincount(layer.rank[~merged], size[~merged], self.ranks)
        if self.ranks == 1:
            return total + hidden
        return total if hidden <= 0.1 * (hidden + total.sum()) else self._heat_bytes()

    def _heat_bytes(self) -> Floats | None:
        """Bytes of each rank by the heat map of the layer that the program called; None without one."""
        if "HEATMAP" not in self.trace.records:
            return None
        table = self.trace.records["HEATMAP"]
        above = self.layer("MPI-IO")
        wanted = "MPIIO" if above is not None and above.calls().sum() > 0 else "POSIX"
        rows = [at for at, name in enumerate(table.column("module").to_pylist()) if name == wanted]
        if not rows:
            return None
        total = np.zeros(self.ranks)
        for name in ("read", "written"):
            bins = table.column(name).to_pylist()
            np.add.at(total, as_numpy(table.column("rank"))[rows], [sum(bins[at]) for at in rows])
        return total
