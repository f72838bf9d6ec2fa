"""Who writes when chains move: the temporal patterns of coupled sampling (thesis 003, chapter 5).

Every run has one cold chain, whose samples are written. Chains lie on processes in contiguous blocks; swaps
move the cold state among the processes that hold the run, so the set of writers changes from sample to
sample.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from striate.errors import LayoutError
from striate.layout.columns import Int64, positive

COMPLETE_1, PARTIAL_1, COMPLETE_PLUS, PARTIAL_PLUS = "Complete-1", "Partial-1", "Complete+1", "Partial+1"


def temporal_type(writes: Sequence[int], *, strict: bool = False) -> str:
    """The type of table 5.1 for the number of runs each process writes in one sample.

    Processes that all write the same number of runs are Complete-1, as the thesis calls them in section 5.3
    and chapter 7; `strict` takes table 5.1 by the letter, where Complete-1 means exactly one. Refuses a
    sample that nobody writes.
    """
    counts = [int(count) for count in writes]
    if not counts or min(counts) < 0 or max(counts) == 0:
        raise LayoutError(f"expected writes of at least one process, got {counts[:20]}")
    if min(counts) > 0:
        balanced = max(counts) == 1 if strict else min(counts) == max(counts)
        return COMPLETE_1 if balanced else COMPLETE_PLUS
    return PARTIAL_1 if max(counts) == 1 else PARTIAL_PLUS


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

    @property
    def remainder(self) -> int:
        """P_rem: processes with a rank below it hold one chain more."""
        return self.runs * self.chains % self.processes

    @cached_property
    def chains_of_processes(self) -> Int64:
        """Ch_proc of every process, the remainder included."""
        each, more = divmod(self.runs * self.chains, self.processes)
        return each + (np.arange(self.processes) < more)

    @property
    def runs_on_current_mrbayes(self) -> bool:
        """MrBayes since 3.2.4 refuses a remainder."""
        return self.remainder == 0

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

    @property
    def swaps(self) -> int:
        """Tsio_1, definition 5.2: an I/O swap for every run and process that holds it beside the cold one."""
        return sum(len(hosts) - 1 for hosts in self.hosts)

    @property
    def patterns_by_equation(self) -> int:
        """T_PIO of equation 5.1: an upper bound once a run spans more than two processes."""
        return self.processes if self.runs == 1 else 2**self.swaps

    @property
    def patterns(self) -> int:
        """How many sets of writers there are: each run's cold chain on any of its hosts."""
        return math.prod(len(hosts) for hosts in self.hosts)

    @property
    def first_writes(self) -> list[int]:
        """Runs each process writes in the first sample: a run's first chain is the cold one."""
        owners = self.process_of(np.arange(self.runs) * self.chains)
        return [int(count) for count in np.bincount(owners, minlength=self.processes)]

    def reachable_types(self, *, strict: bool = False) -> dict[str, int]:
        """How many of the `patterns` are of each temporal type."""
        return dict(sorted(_count_types(self, strict).items()))

    def samples(self, count: int, seed: int, *, swap_probability: float = 0.5) -> Iterator[list[int]]:
        """Runs each process writes in each sample; every run moves its cold chain with that probability."""
        random = np.random.default_rng(seed)
        owners = np.array([hosts[0] for hosts in self.hosts])
        for _ in range(count):
            yield [int(writes) for writes in np.bincount(owners, minlength=self.processes)]
            for run, hosts in enumerate(self.hosts):
                if random.random() < swap_probability:
                    owners[run] = random.choice(hosts)


def _count_types(placement: ChainPlacement, strict: bool) -> Counter[str]:
    """Count placements run by run; processes before a run's first host are finished, so few counts are open.

    A state is (least, most) writes of finished processes and the writes of the open ones from `first` on.
    """
    states: Counter[tuple[int, int, tuple[int, ...]]] = Counter({(placement.runs, 0, ()): 1})
    first = 0
    for hosts in [*placement.hosts, [placement.processes]]:
        finished = hosts[0] - first
        first = hosts[0]
        moved: Counter[tuple[int, int, tuple[int, ...]]] = Counter()
        for (least, most, open_), count in states.items():
            padded = open_ + (0,) * (max(finished, hosts[-1] - hosts[0] + 1 + finished) - len(open_))
            done, left = padded[:finished], padded[finished:]
            least, most = min((least, *done)), max((most, *done))
            for host in hosts if hosts[0] < placement.processes else [None]:
                counts = left if host is None else _plus_one(left, host - first)
                moved[least, most, counts] += count
        states = moved
    types: Counter[str] = Counter()
    for (least, most, _), count in states.items():
        types[temporal_type([least, most], strict=strict)] += count
    return types


def _plus_one(counts: tuple[int, ...], index: int) -> tuple[int, ...]:
    return (*counts[:index], counts[index] + 1, *counts[index + 1 :])
