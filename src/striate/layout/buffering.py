"""Parallel line buffering: how many generations to keep, and when to write (thesis 003, section 6.3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from striate.errors import LayoutError
from striate.layout.columns import positive

SAFE_PERCENT = 75  # of the largest buffering any node allows, section 6.3.2


def buffer_bytes(local_runs: int, parameter_line: int, tree_line: int, generations: int) -> int:
    """Bytes a process holds before a write: both lines of each of its runs, for every generation buffered."""
    return local_runs * (parameter_line + tree_line) * generations


def write_count(samples: int, generations: int) -> int:
    """Writes that `samples` samples take, `generations` at a time; the rest is written at the end."""
    return -(-samples // positive(generations, "generations buffered"))


@dataclass(frozen=True)
class NodeMemory:
    """The memory of one node and what its processes need of it, in bytes; `local_runs` runs per process."""

    total: int
    swap_threshold: int
    process: int
    line: int
    local_runs: int
    processes: int = 1

    def largest_buffering(self) -> int:
        """lambda_max of equation 6.1, whole and 1 at least: with 1, a node that swaps already swaps no more.

        Processes that share a node share its memory, so each counts with its own size and its own buffer.
        """
        free = self.total - (self.swap_threshold + self.processes * self.process)
        a_generation = (
            positive(self.line, "bytes in a line") * positive(self.local_runs, "runs") * self.processes
        )
        return max(1, free // a_generation)


def safe_buffering(nodes: Iterable[NodeMemory], *, swapping: bool = False) -> int:
    """75 % of the smallest lambda_max of all nodes; 1 when a node swapped in the first generation."""
    limits = [node.largest_buffering() for node in nodes]
    if not limits:
        raise LayoutError("expected the memory of at least one node, got none")
    return 1 if swapping else max(1, min(limits) * SAFE_PERCENT // 100)
