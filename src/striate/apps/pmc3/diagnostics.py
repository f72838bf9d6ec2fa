"""What MrBayes' .mcmc files tell: how often moves and swaps are accepted, and how far the runs' trees still differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path
from statistics import stdev

import msgspec
import numpy as np

from striate.apps.pmc3.chain import MOVES
from striate.apps.pmc3.tree import Tree
from striate.whole_file import whole_file

LEAST_FREQUENCY = 0.1  # a split counts when some run has it in so many of its samples, as in MrBayes
HEADER = """[ID: {identity:010d}]
[   Gen                            --  Generation]
[   <name1>(<name2>)$acc_run2      --  Acceptance rate of move <name1> changing <name2> in the cold chain of run 2]
[   Swap(1<>2)$acc(3)              --  Acceptance rate of swaps between chains 1 and 2 in run 3]
[   AvgStdDev(s)                   --  Average standard deviation of split frequencies over all samples]
"""


class RunTally(msgspec.Struct):
    """Counts of one run: of its cold chain's moves (tried, accepted), and of the splits of its samples."""

    moves: dict[str, list[int]] = msgspec.field(default_factory=dict)
    splits: dict[str, int] = msgspec.field(default_factory=dict)
    samples: int = 0

    def move(self, name: str, accepted: bool) -> None:
        """Count a step of the cold chain."""
        counts = self.moves.setdefault(name, [0, 0])
        counts[0] += 1
        counts[1] += accepted

    def sample(self, tree: Tree) -> None:
        """Count a sampled tree."""
        self.samples += 1
        for split in tree.splits():
            name = f"{sum(1 << leaf for leaf in split):x}"
            self.splits[name] = self.splits.get(name, 0) + 1


def joined(parts: Iterable[RunTally]) -> RunTally:
    """The sum of what several ranks counted of one run."""
    total = RunTally()
    for part in parts:
        total.samples += part.samples
        for name, counts in part.moves.items():
            before = total.moves.get(name, [0, 0])
            total.moves[name] = [before[0] + counts[0], before[1] + counts[1]]
        for name, count in part.splits.items():
            total.splits[name] = total.splits.get(name, 0) + count
    return total


def deviation_of_splits(runs: Sequence[RunTally]) -> float | None:
    """The average standard deviation of split frequencies over all samples; None for a single run."""
    if len(runs) < 2 or not all(run.samples for run in runs):
        return None
    found = {
        name: [run.splits.get(name, 0) / run.samples for run in runs] for run in runs for name in run.splits
    }
    counted = [stdev(shares) for shares in found.values() if max(shares) >= LEAST_FREQUENCY]
    return sum(counted) / len(counted) if counted else 0.0


class McmcFile:
    """The .mcmc file: a line of rates at every checkpoint. Rank 0 alone has one."""

    def __init__(self, path: Path, *, identity: int, model: str, runs: int, chains: int) -> None:
        self._path, self._model = path, model
        self._pairs = list(combinations(range(chains), 2))
        self._head = HEADER.format(identity=identity) + "\t".join(self._names(runs)) + "\n"

    def _names(self, runs: int) -> Iterable[str]:
        yield "Gen"
        for run in range(1, runs + 1):
            yield from (f"{name}$acc_run{run}" for name in MOVES[self._model])
            yield from (f"Swap({one + 1}<>{other + 1})$acc({run})" for one, other in self._pairs)
        if runs > 1:
            yield "AvgStdDev(s)"

    def start(self, generation: int | None) -> None:
        """Begin the file, or go on after the line of a generation: what came later is done again."""
        lines = [] if generation is None else self._path.read_text().splitlines(keepends=True)
        kept = [
            line for line in lines if line[:1].isdigit() and line.endswith("\n")
        ]  # a kill may cut the last
        earlier = [line for line in kept if int(line.split("\t")[0]) <= (generation or 0)]
        with whole_file(self._path) as place:
            place.write_text(self._head + "".join(earlier))

    def add(self, generation: int, runs: Sequence[RunTally], tried: np.ndarray, accepted: np.ndarray) -> None:
        """The line of a generation; swaps are counted by run and by the two heats."""
        cells = [str(generation)]
        for number, run in enumerate(runs):
            cells += [_rate(*run.moves.get(name, (0, 0))) for name in MOVES[self._model]]
            cells += [_rate(int(tried[number][pair]), int(accepted[number][pair])) for pair in self._pairs]
        deviation = deviation_of_splits(runs)
        if deviation is not None:
            cells.append(f"{deviation:.6f}")
        elif len(runs) > 1:
            cells.append("NA")
        with self._path.open("a") as file:
            file.write("\t".join(cells) + "\n")


def _rate(tried: int, accepted: int) -> str:
    return f"{accepted / tried:.6f}" if tried else "NA"
