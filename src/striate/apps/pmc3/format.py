"""The parallel file of the sampler as a map of records: areas per run, or all runs of a sample together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from striate.layout.columns import Whole
from striate.layout.mapped.record_map import Area, RecordMap, Slot

Arrangement = Literal["run", "generation"]


class LineKind(NamedTuple):
    """One kind of record: its header, if any, and its lines."""

    header: tuple[Slot, ...]
    line: Slot


@dataclass(frozen=True)
class SampleFormat:
    """Sizes of what `runs` runs write: `lines` tree and parameter lines each, and a header of each kind.

    A header size of 0 keeps that header outside the file. In the order of time, `together` samples of a run lie side by
    side, as many as one write holds (lambda): then all that a process writes at a time is one piece of the file, and
    the pieces begin at a whole number of rounds, as strips of the file system do.
    """

    runs: int
    lines: int
    parameter_line: int
    tree_line: int
    parameter_header: int = 0
    tree_header: int = 0
    trees_first: bool = True  # as the listings of appendix A.5 show; section 6.1 names p before t
    together: int = 0  # 0: sample after sample, from where the headers end

    @property
    def round_bytes(self) -> int:
        """Bytes that all runs write at a time."""
        return self.together * self.runs * (self.parameter_line + self.tree_line)

    def indices(self, run: Whole, sample: Whole) -> dict[str, Whole]:
        """The indices of a line in the map."""
        if not self.together:
            return {"run": run, "line": sample}
        block, line = np.divmod(sample, self.together)
        return {"block": block, "run": run, "line": line}

    def record_map(self, arrangement: Arrangement = "run", *, before: int = 0) -> RecordMap:
        """The map: an area for each run (figure 6.1), or the samples in the order of time (section 8.3.4).

        `before`: bytes of the file before what is mapped here, which count where rounds begin.
        """
        first, second = self._kinds()
        if arrangement == "run":
            areas = [Area("line", self.lines, kind.line) for kind in (first, second)]
            return RecordMap(Area("run", self.runs, *first.header, areas[0], *second.header, areas[1]))
        headers = first.header + second.header
        front: list[Slot | Area] = [Area("run", self.runs, *headers)] if headers else []
        if self.together:
            front += _padding(-(before + RecordMap(*front).size if front else before) % self.round_bytes)
            lines = Area("line", self.together, first.line, second.line)
            blocks = -(-self.lines // self.together)
            return RecordMap(*front, Area("block", blocks, Area("run", self.runs, lines)))
        return RecordMap(*front, Area("line", self.lines, Area("run", self.runs, first.line, second.line)))

    def _kinds(self) -> tuple[LineKind, LineKind]:
        tree = LineKind(_header("tree_header", self.tree_header), Slot("tree", self.tree_line))
        parameter = LineKind(
            _header("parameter_header", self.parameter_header), Slot("parameter", self.parameter_line)
        )
        return (tree, parameter) if self.trees_first else (parameter, tree)


def _header(name: str, size: int) -> tuple[Slot, ...]:
    return (Slot(name, size, padded=False),) if size else ()


def _padding(size: int) -> list[Slot]:
    return [Slot("padding", size, padded=False)] if size else []
