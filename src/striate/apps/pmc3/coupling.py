"""Metropolis coupling: which chain of a run has which heat, decided alike on every rank.

Chains stay where they are; their heats move. Every rank knows all heats and draws the same numbers, so all it needs
of the others is how probable their chains' states are.
"""

from __future__ import annotations

import math

import numpy as np

SWAP_STREAM = 1_000_003  # keeps the numbers of swaps apart from those of chains


class Coupling:
    """The heats of all chains of all runs: `order[run, chain]` is 0 for the cold chain."""

    def __init__(self, runs: int, chains: int, seed: int, temperature: float = 0.1) -> None:
        self.order = np.tile(np.arange(chains), (runs, 1))
        self.temperature = temperature
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
            if chance < heats * (log_posteriors[run, other] - log_posteriors[run, one]):
                self.order[run, [one, other]] = self.order[run, [other, one]]
