"""The likelihood of a tree: Felsenstein's pruning over the distinct columns of a matrix."""

from __future__ import annotations

import numpy as np

from striate.apps.pmc3.model import Floats, SubstitutionModel
from striate.apps.pmc3.nexus import Matrix
from striate.apps.pmc3.tree import Tree


class Likelihood:
    """Bound to one matrix: what does not change with tree or model is computed once."""

    def __init__(self, matrix: Matrix) -> None:
        patterns, self.weights = matrix.patterns()
        bits = (patterns[:, None, :] >> np.arange(4, dtype=np.uint8)[None, :, None]) & 1
        self.tips: Floats = bits.astype(np.float64)  # [taxon, state, pattern]

    def log(self, tree: Tree, model: SubstitutionModel) -> float:
        """Natural logarithm of the probability of the matrix.

        Partial likelihoods are divided by their largest at every inner node, so that thousands of taxa do not
        underflow.
        """
        chances = model.transitions(np.array(tree.lengths))
        partials: dict[int, Floats] = {}
        scale = np.zeros(len(self.weights))
        for node in tree.inner_bottom_up:
            partial = np.ones(())
            for child in tree.children[node]:
                below = self.tips[child] if child < tree.leaves else partials.pop(child)
                partial = partial * (chances[child] @ below)
            largest = partial.max(axis=(0, 1))
            partials[node] = partial / np.where(largest > 0, largest, 1.0)
            with np.errstate(divide="ignore"):
                scale += np.log(largest)
        at_top = np.tensordot(np.array(model.frequencies), partials[tree.top], axes=(0, 1)).mean(axis=0)
        with np.errstate(divide="ignore"):
            return float((self.weights * (np.log(at_top) + scale)).sum())
