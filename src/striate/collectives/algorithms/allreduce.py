"""Allreduce: everyone gets the combination of all ranks' vectors. Piece i is the i-th part of the vector."""

from __future__ import annotations

from collections.abc import Sequence

from striate.collectives.algorithms import bcast, reduce
from striate.collectives.algorithms.halving import Core
from striate.collectives.draft import ScheduleDraft, join, recv, send
from striate.collectives.shapes import Fold, NodeTrees, distances, split


def recursive_doubling(size: int, size_bytes: int) -> ScheduleDraft:
    """Partners exchange and combine whole vectors, at distances 1, 2, 4, ...; other sizes than 2^k are folded."""
    fold = Fold(size)
    core = Core(fold, split(size_bytes, 1))
    draft = ScheduleDraft(size, lambda sender, receiver, tag: (0,))
    core.fold_in(draft, 0)
    members = core.members
    rounds = list(core.rounds())
    for turn, distance in enumerate(rounds):
        partner = fold.core[members ^ distance]
        draft.step(
            send(fold.core, partner, size_bytes, turn + 1), recv(fold.core, partner, size_bytes, turn + 1)
        )
        draft.combine(fold.core, size_bytes)
    core.fold_out(draft, len(rounds) + 1)
    return draft


def rabenseifner(size: int, size_bytes: int) -> ScheduleDraft:
    """Recursive halving leaves everyone a combined part, recursive doubling spreads the parts."""
    fold = Fold(size)
    core = Core(fold, split(size_bytes, fold.power))
    rounds = len(list(core.rounds()))

    def parts(sender: int, receiver: int, tag: int) -> range:
        if tag in (0, 2 * rounds + 1):
            return range(fold.power)
        if tag <= rounds:
            return core.halving_carries(receiver, tag - 1)
        return core.doubling_carries(sender, tag - rounds - 1)

    draft = ScheduleDraft(size, parts)
    core.fold_in(draft, 0)
    core.halve(draft, 1)
    core.double(draft, rounds + 1)
    core.fold_out(draft, 2 * rounds + 1)
    return draft


def smp_rabenseifner(size: int, size_bytes: int, *, nodes: Sequence[int] | None = None) -> ScheduleDraft:
    """Rabenseifner among the first ranks of the nodes, between binomial trees inside each node; as MPICH does.

    `nodes` gives the node of each rank of the group; without it every rank is alone on its node.
    """
    trees = NodeTrees.of(size, nodes)
    parts = range(Fold(len(trees.leaders)).power)
    before, after = (ScheduleDraft(size, lambda sender, receiver, tag: parts) for _ in range(2))
    for distance in distances(trees.largest):
        above, below = trees.edges_at(distance)
        before.step(send(below, above, size_bytes))
        before.step(recv(above, below, size_bytes))
        before.combine(above, size_bytes)
    for distance in reversed(distances(trees.largest)):
        above, below = trees.edges_at(distance)
        after.step(send(above, below, size_bytes))
        after.step(recv(below, above, size_bytes))
    between = rabenseifner(len(trees.leaders), size_bytes).among(trees.leaders, size)
    return join(before, between, after)


def ring(size: int, size_bytes: int) -> ScheduleDraft:
    """Twice around a ring: first each part collects all contributions, then the combined parts go round."""
    parts = split(size_bytes, size)
    draft = ScheduleDraft(size, lambda sender, receiver, tag: ((sender - tag) % size,))
    ranks = draft.everyone
    left, right = (ranks - 1) % size, (ranks + 1) % size
    for turn in range(2 * (size - 1)):
        incoming = parts[(left - turn) % size]
        draft.step(
            send(ranks, right, parts[(ranks - turn) % size], turn),
            recv(ranks, left, incoming, turn),
        )
        if turn < size - 1:
            draft.combine(ranks, incoming)
    return draft


def reduce_bcast(size: int, size_bytes: int) -> ScheduleDraft:
    """A reduction to rank 0, then a broadcast from it, both along binomial trees."""
    return join(reduce.binomial(size, size_bytes), bcast.binomial(size, size_bytes))
