"""The parallel file of the sampler as a map of records: areas per run, or all runs of a sample together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from striate.layout.extents import Extents
from striate.layout.mapped.record_map import Area, RecordMap, Slot
from striate.layout.mapped.temporal import ChainPlacement

Arrangement = Literal["run", "generation"]


class LineKind(NamedTuple):
    """One kind of record: its header, if any, and its lines."""

    header: tuple[Slot, ...]
    line: Slot


@dataclass(frozen=True)
class SampleFormat:
    """Sizes of what `runs` runs write: `lines` tree and parameter lines each, and a header of each kind.

    A header size of 0 keeps that header outside the file.
    """

    runs: int
    lines: int
    parameter_line: int
    tree_line: int
    parameter_header: int = 0
    tree_header: int = 0
    trees_first: bool = True  # as the listings of appendix A.5 show; section 6.1 names p before t

    def record_map(self, arrangement: Arrangement = "run") -> RecordMap:
        """The map: an area for each run (figure 6.1), or the samples in the order of time (section 8.3.4)."""
        first, second = self._kinds()
        if arrangement == "run":
            areas = [Area("line", self.lines, kind.line) for kind in (first, second)]
            return RecordMap(Area("run", self.runs, *first.header, areas[0], *second.header, areas[1]))
        headers = first.header + second.header
        front = [Area("run", self.runs, *headers)] if headers else []
        return RecordMap(*front, Area("line", self.lines, Area("run", self.runs, first.line, second.line)))

    def _kinds(self) -> tuple[LineKind, LineKind]:
        tree = LineKind(_header("tree_header", self.tree_header), Slot("tree", self.tree_line))
        parameter = LineKind(
            _header("parameter_header", self.parameter_header), Slot("parameter", self.parameter_line)
        )
        return (tree, parameter) if self.trees_first else (parameter, tree)

    def line_extents(self, arrangement: Arrangement, processes: int) -> list[Extents]:
        """The runs of bytes each process writes over the whole sampling, headers left out."""
        record_map = self.record_map(arrangement)
        owners = ChainPlacement(self.runs, 1, processes).process_of(np.arange(self.runs))
        lines = np.arange(self.lines)
        accesses = []
        for process in range(processes):
            mine = np.flatnonzero(owners == process)[:, None]
            trees = record_map.extents("tree", run=mine, line=lines)
            accesses.append(trees.followed_by(record_map.extents("parameter", run=mine, line=lines)))
        return accesses


def _header(name: str, size: int) -> tuple[Slot, ...]:
    return (Slot(name, size, padded=False),) if size else ()
