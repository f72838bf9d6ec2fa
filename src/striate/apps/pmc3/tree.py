"""Unrooted binary trees: leaves, inner nodes, branch lengths; random ones, neighbours, and their text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from striate.errors import WorkloadError


@dataclass(frozen=True)
class Tree:
    """Nodes 0 to n - 1 are leaves, n to 2 n - 3 inner nodes; the last hangs at the top and has three children.

    `parents[v]` and `lengths[v]` belong to the branch above v; the top has parent -1 and no branch.
    """

    parents: tuple[int, ...]
    lengths: tuple[float, ...]

    @property
    def leaves(self) -> int:
        return (len(self.parents) + 2) // 2

    @property
    def top(self) -> int:
        return len(self.parents) - 1

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Children of every node, in the order of their numbers."""
        lists: list[list[int]] = [[] for _ in self.parents]
        for node, parent in enumerate(self.parents[:-1]):
            lists[parent].append(node)
        return tuple(tuple(nodes) for nodes in lists)

    @cached_property
    def inner_bottom_up(self) -> tuple[int, ...]:
        """Inner nodes, every one after those below it."""
        order: list[int] = []
        waiting = [self.top]
        while waiting:
            node = waiting.pop()
            if node >= self.leaves:
                order.append(node)
                waiting.extend(self.children[node])
        return tuple(reversed(order))

    @property
    def length(self) -> float:
        """Sum of all branches."""
        return float(sum(self.lengths[:-1]))

    def with_length(self, node: int, length: float) -> Tree:
        lengths = list(self.lengths)
        lengths[node] = length
        return Tree(self.parents, tuple(lengths))

    def interchanged(self, child: int, sibling: int) -> Tree:
        """The neighbour in which a child of an inner node and that node's sibling have changed places."""
        parents = list(self.parents)
        parents[child], parents[sibling] = parents[sibling], parents[child]
        return Tree(tuple(parents), self.lengths)

    def splits(self) -> frozenset[frozenset[int]]:
        """The leaves below each inner branch, on the side without leaf 0: equal for equal topologies."""
        below: dict[int, frozenset[int]] = {leaf: frozenset([leaf]) for leaf in range(self.leaves)}
        for node in self.inner_bottom_up:
            below[node] = frozenset().union(*(below[child] for child in self.children[node]))
        everything = below[self.top]
        sides = (below[node] for node in self.inner_bottom_up if node != self.top)
        return frozenset(everything - side if 0 in side else side for side in sides)

    def newick(self, precision: int = 6) -> str:
        """The tree as MrBayes writes it: leaves by number from 1, lengths in scientific notation."""
        parts = [str(leaf + 1) for leaf in range(self.leaves)] + [""] * (self.leaves - 2)
        for node in self.inner_bottom_up:
            inside = ",".join(
                f"{parts[child]}:{self.lengths[child]:.{precision}e}" for child in self.children[node]
            )
            parts[node] = f"({inside})"
        return parts[self.top]


def random_tree(leaves: int, random: np.random.Generator, length: float = 0.1) -> Tree:
    """A topology drawn uniformly, by adding leaves to branches drawn by lot; all branches of one length."""
    if leaves < 3:
        raise WorkloadError(f"expected at least 3 taxa (leaves of a tree), got {leaves}")
    top = 2 * leaves - 3
    parents = [-1] * (2 * leaves - 2)
    for leaf in range(3):
        parents[leaf] = top
    branches = [0, 1, 2]
    for leaf in range(3, leaves):
        inner, below = leaves + leaf - 3, branches[int(random.integers(len(branches)))]
        parents[inner], parents[below], parents[leaf] = parents[below], inner, inner
        branches += [inner, leaf]
    return Tree(tuple(parents), (length,) * (2 * leaves - 3) + (0.0,))
