"""Where lists go: rows are told to their owners, who resolve them and answer where each list begins in global order.

Of lists for one row that of the highest rank counts, and within a rank the last, as for any record.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from striate.runtime.move.communicator.ranks import Ranks

Int64 = npt.NDArray[np.int64]


class ListPlacement:
    """The lists of one variable for `rows` rows, of which each rank owns a run."""

    def __init__(self, ranks: Ranks, rows: int, indices: Int64, counts: Int64) -> None:
        """Collective: tell the owners which rows our lists are for, and how long they are."""
        self.ranks = ranks
        share = -(-max(rows, 1) // ranks.size)
        self.first = min(ranks.rank * share, rows)  # the rows that we own
        self.end = min(self.first + share, rows)
        owner = indices // share
        self.order = np.argsort(owner, kind="stable")
        self.sent = np.bincount(owner, minlength=ranks.size).astype(np.int64)
        self.received = ranks.swap_counts(self.sent)
        self.claimed = ranks.exchange(indices[self.order], self.sent, self.received) - self.first
        told = ranks.exchange(counts[self.order], self.sent, self.received)
        self.winner = np.full(self.end - self.first, -1, np.int64)  # the claim that counts for each row
        self.winner[self.claimed] = np.arange(
            len(self.claimed)
        )  # in the order of ranks: the last assignment stays
        self.counts = np.where(self.winner >= 0, told[self.winner], 0) if len(told) else 0 * self.winner

    @property
    def unclaimed(self) -> Int64:
        """The rows of ours that nobody names."""
        return np.flatnonzero(self.winner < 0) + self.first

    def keep(self, counts: Int64) -> None:
        """Rows that nobody names keep lists of these lengths."""
        self.counts[self.winner < 0] = counts

    def placed(self) -> PlacedLists:
        """Collective: where all lists begin."""
        ends = np.cumsum(self.counts)
        mine = int(ends[-1]) if len(ends) else 0
        totals = self.ranks.gather_rows(np.array([mine], np.int64))[:, 0]
        starts = ends - self.counts + int(totals[: self.ranks.rank].sum())
        answers = starts[self.claimed] if len(self.claimed) else self.claimed
        answers[self.winner[self.claimed] != np.arange(len(self.claimed))] = -1
        begins = np.empty(len(self.order), np.int64)
        begins[self.order] = self.ranks.exchange(answers, self.received, self.sent)
        return PlacedLists(int(totals.sum()), starts, begins)


@dataclass(frozen=True)
class PlacedLists:
    """`starts` are those of the rows we own, `begins` of the lists we brought (-1: another's counts)."""

    elements: int
    starts: Int64
    begins: Int64
