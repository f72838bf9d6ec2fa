"""The order in which PIOsimHD serves events of the same time: its heap looks at times only."""

from __future__ import annotations

from functools import cache


def popped(peers: list[int]) -> list[int]:
    """The order in which sends issued together leave: the original's event heap gives the first, then the last ones.

    Where other ranks' events of the same time lie on the heap, as at the start, the order is simply reversed.
    """
    return peers[:1] + peers[:0:-1]


class TieHeap:
    """A binary heap of (time, what) that looks at times only: equal ones come out as its tree happens to lie."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, tuple[int, int]]] = []

    def push(self, row: tuple[int, tuple[int, int]]) -> None:
        rows, at = self.rows, len(self.rows)
        rows.append(row)
        while at and row[0] < rows[(at - 1) // 2][0]:
            rows[at] = rows[(at - 1) // 2]
            at = (at - 1) // 2
        rows[at] = row

    def pop(self) -> tuple[int, tuple[int, int]]:
        top, last = self.rows[0], self.rows.pop()
        if self.rows:
            self._sink(last)
        return top

    def _sink(self, row: tuple[int, tuple[int, int]]) -> None:
        rows, at = self.rows, 0
        while (child := 2 * at + 1) < len(rows):
            if child + 1 < len(rows) and rows[child + 1][0] < rows[child][0]:
                child += 1
            if row[0] <= rows[child][0]:
                break
            rows[at], at = rows[child], child
        rows[at] = row


@cache
def tangled(size: int) -> list[list[int]]:
    """For each rank the order of its sends, when all ranks issue them to all others at the same time."""
    heap, order = TieHeap(), [[] for _ in range(size)]
    for rank in range(size):
        heap.push((0, (rank, -1)))
    while heap.rows:
        time, (rank, peer) = heap.pop()
        if time == 0 and peer < 0:
            for other in range(size):
                if other != rank:
                    heap.push((0, (rank, other)))
        elif time == 0:
            order[rank].append(peer)
            if len(order[rank]) == 1:
                heap.push((1, (rank, -1)))  # the first message is served; the others wait behind it
    return order
