"""Metropolis coupling: which chain of a run has which heat, decided alike on every rank.

Chains stay where they are; their heats move. Every rank knows all heats and draws the same numbers, so all it needs
of the others is how probable their chains' states are.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

SWAP_STREAM = 1_000_003  # keeps the numbers of swaps apart from those of chains


class Coupling:
    """The heats of all chains of all runs: `order[run, chain]` is 0 for the cold chain."""

    def __init__(
        self,
        runs: int,
        chains: int,
        seed: int,
        temperature: float = 0.1,
        owners: np.ndarray | None = None,
    ) -> None:
        self.order = np.tile(np.arange(chains), (runs, 1))
        self.temperature = temperature
        self.tried, self.accepted = (np.zeros((runs, chains, chains), np.int64) for _ in range(2))  # by heats
        self.between: Counter[tuple[int, int]] = Counter()  # accepted swaps of two processes, by their ranks
        self._owners = np.zeros((runs, chains), np.int64) if owners is None else owners
        self.random = [np.random.default_rng([seed, run, SWAP_STREAM]) for run in range(runs)]

    def heat(self, run: int, chain: int) -> float:
        """Power to which that chain's posterior is raised: 1 / (1 + temperature i), as MrBayes heats."""
        return float(1.0 / (1.0 + self.temperature * self.order[run, chain]))

    def cold_chain(self, run: int) -> int:
        """The chain of a run whose samples count."""
        return int(np.flatnonzero(self.order[run] == 0)[0])

    def swap(self, log_posteriors: np.ndarray) -> None:
        """Try one exchange of heats in every run; `log_posteriors[run, chain]` are those of all chains."""
        for run, random in enumerate(self.random):
            chains = self.order.shape[1]
            if chains == 1:
                continue
            one, other = (int(chain) for chain in random.choice(chains, 2, replace=False))
            chance = math.log(1.0 - random.random())
            heats = self.heat(run, one) - self.heat(run, other)
            pair = (run, *sorted(self.order[run, [one, other]].tolist()))
            self.tried[pair] += 1
            if chance < heats * (log_posteriors[run, other] - log_posteriors[run, one]):
                self.order[run, [one, other]] = self.order[run, [other, one]]
                self.accepted[pair] += 1
                first, second = sorted(self._owners[run, [one, other]].tolist())
                self.between[first, second] += first != second

    def told(self) -> str:
        """How many swaps were tried and accepted, and which processes they were between, as one line."""
        found = f"{self.accepted.sum():,} of {self.tried.sum():,} swaps accepted"
        between = {pair: count for pair, count in self.between.items() if count}
        if not between:
            return f"{found}, none between processes"
        most = sorted(between.items(), key=lambda item: (-item[1], item[0]))
        pairs = ", ".join(f"{one} and {other} {count:,}" for (one, other), count in most[:6])
        more = f", {len(most) - 6} other pairs" if len(most) > 6 else ""
        return f"{found}, {sum(between.values()):,} between processes since the start: {pairs}{more}"
