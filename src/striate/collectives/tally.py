"""What a collective call asks of each rank in all: bytes, messages and instructions, without their order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Int64s = NDArray[np.int64]
Ranks = NDArray[np.integer]

SUMS = ("sent_bytes", "received_bytes", "sent_messages", "received_messages", "instructions")


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Sums over one call or many, one entry per rank of the group."""

    sent_bytes: Int64s
    received_bytes: Int64s
    sent_messages: Int64s
    received_messages: Int64s
    instructions: Int64s

    @classmethod
    def zeros(cls, size: int) -> Tally:
        return cls(*np.zeros((len(SUMS), size), np.int64))

    @classmethod
    def of(cls, size: int, **sums: ArrayLike) -> Tally:
        """The sums given, each one number for all ranks or one per rank; what is not named is 0."""
        return cls(*(np.broadcast_to(np.asarray(sums.get(name, 0), np.int64), (size,)) for name in SUMS))

    def columns(self) -> tuple[Int64s, ...]:
        return tuple(getattr(self, name) for name in SUMS)

    def add_messages(self, rank: Ranks, size_bytes: ArrayLike, *, sent: bool) -> None:
        """Count one message of each of `rank`, while the tally is being made."""
        _add(self.sent_bytes if sent else self.received_bytes, rank, size_bytes)
        _add(self.sent_messages if sent else self.received_messages, rank, 1)

    def add_instructions(self, rank: Ranks, count: ArrayLike) -> None:
        _add(self.instructions, rank, count)

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(one + more for one, more in zip(self.columns(), other.columns(), strict=True)))

    def __mul__(self, times: int) -> Tally:
        return Tally(*(column * times for column in self.columns()))

    def rolled(self, places: int) -> Tally:
        """The same for a group that is turned by `places`: what rank 0 had is then rank `places`'s."""
        return Tally(*(np.roll(column, places) for column in self.columns()))

    def with_header(self, header_bytes: int) -> Tally:
        """The same with every message longer by what the library puts before the data."""
        return Tally(
            self.sent_bytes + header_bytes * self.sent_messages,
            self.received_bytes + header_bytes * self.received_messages,
            *self.columns()[2:],
        )


def _add(column: Int64s, rank: Ranks, values: ArrayLike) -> None:
    if (rank[1:] > rank[:-1]).all():  # no rank twice, as a rule: much faster
        column[rank] += np.asarray(values, np.int64)
    else:
        np.add.at(column, rank, values)
