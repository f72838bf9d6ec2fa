"""Who writes when chains move (thesis 003, chapter 5).

Every run has one cold chain, whose samples are written. Chains lie on processes in contiguous blocks; swaps
move the cold state among the processes that hold the run, so the set of writers changes from sample to
sample. `tests/reference/thesis_formulas.py` counts these temporal patterns.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from striate.layout.columns import Int64, positive


def is_balanced(runs: int, processes: int) -> bool:
    """The condition of table 6.1 for pattern pi_1, which never changes: runs mod processes = 0."""
    return positive(runs, "runs") % positive(processes, "processes") == 0


@dataclass(frozen=True)
class ChainPlacement:
    """`runs` runs of `chains` chains each on `processes` processes, in contiguous blocks (section 4.2.3)."""

    runs: int
    chains: int
    processes: int

    def __post_init__(self) -> None:
        for name in ("runs", "chains", "processes"):
            object.__setattr__(self, name, positive(getattr(self, name), name))

    @cached_property
    def chains_of_processes(self) -> Int64:
        """Ch_proc of every process, the remainder included."""
        each, more = divmod(self.runs * self.chains, self.processes)
        return each + (np.arange(self.processes) < more)

    def process_of(self, chain: int | Int64) -> Int64:
        """Rank that holds a chain, by its number over all runs."""
        return np.asarray(np.searchsorted(np.cumsum(self.chains_of_processes), chain, side="right"), np.int64)

    @cached_property
    def hosts(self) -> list[list[int]]:
        """Ranks that hold chains of each run, in order."""
        firsts = self.process_of(np.arange(self.runs) * self.chains)
        lasts = self.process_of(np.arange(1, self.runs + 1) * self.chains - 1)
        return [
            list(range(first, last + 1)) for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True)
        ]
