"""Recursive halving and doubling inside a folded group: the two halves of Rabenseifner's algorithms.

The vector has one part per member of the core. Halving leaves each member with its part, combined over all ranks;
doubling gives every member all parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from striate.collectives.draft import ScheduleDraft, recv, send
from striate.collectives.shapes import Fold, Sizes, totals


@dataclass(frozen=True)
class Core:
    """The members of a folded group and the bytes of each member's part."""

    fold: Fold
    parts: Sizes

    @property
    def total(self) -> int:
        return int(self.parts.sum())

    @property
    def members(self) -> np.ndarray:
        return np.arange(self.fold.power)

    def owned(self, member: np.ndarray, count: int) -> Sizes:
        """Bytes of the aligned run of `count` parts that `member` is in."""
        return totals(self.parts, member & -count, count)

    def rounds(self) -> Iterator[int]:
        """1, 2, 4, ... below the number of members."""
        return iter(1 << level for level in range(self.fold.power.bit_length() - 1))

    def fold_in(self, draft: ScheduleDraft, tag: int) -> None:
        """Folded ranks give their whole vector to the rank that acts for them."""
        draft.step(send(self.fold.folded, self.fold.kept, self.total, tag))
        draft.step(recv(self.fold.kept, self.fold.folded, self.total, tag))
        draft.combine(self.fold.kept, self.total)

    def fold_out(self, draft: ScheduleDraft, tag: int) -> None:
        """They get the whole result back."""
        draft.step(send(self.fold.kept, self.fold.folded, self.total, tag))
        draft.step(recv(self.fold.folded, self.fold.kept, self.total, tag))

    def halve(self, draft: ScheduleDraft, tag: int) -> None:
        """Partners exchange halves of what they hold and combine the half they keep."""
        for turn, distance in enumerate(reversed(list(self.rounds()))):
            partner = self.members ^ distance
            kept = self.owned(self.members, distance)
            self._exchange(draft, partner, (self.owned(partner, distance), kept), tag + turn)
            draft.combine(self.fold.core, kept)

    def double(self, draft: ScheduleDraft, tag: int) -> None:
        """Partners exchange all they hold."""
        for turn, distance in enumerate(self.rounds()):
            partner = self.members ^ distance
            sizes = self.owned(self.members, distance), self.owned(partner, distance)
            self._exchange(draft, partner, sizes, tag + turn)

    def _exchange(
        self, draft: ScheduleDraft, partner: np.ndarray, sizes: tuple[Sizes, Sizes], tag: int
    ) -> None:
        peers = self.fold.core[partner]
        draft.step(send(self.fold.core, peers, sizes[0], tag), recv(self.fold.core, peers, sizes[1], tag))

    def halving_carries(self, receiver: int, turn: int) -> range:
        """The parts that reach `receiver` in a round of halving: those it keeps."""
        count = self.fold.power >> (turn + 1)
        first = self.fold.member(receiver) & -count
        return range(first, first + count)

    def doubling_carries(self, sender: int, turn: int) -> range:
        """The parts `sender` gives in a round of doubling: those it holds."""
        first = self.fold.member(sender) & -(1 << turn)
        return range(first, first + (1 << turn))
