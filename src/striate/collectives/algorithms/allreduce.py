"""Allreduce: everyone gets the combination of all ranks' vectors. Piece i is the i-th part of the vector."""

from __future__ import annotations

from striate.collectives.algorithms import bcast, reduce
from striate.collectives.algorithms.halving import Core
from striate.collectives.draft import ScheduleDraft, join, recv, send
from striate.collectives.shapes import Fold, split


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
