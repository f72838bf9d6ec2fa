"""The partition: numbered records dealt to ranks as domains, each passing through a window round by round."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Partition:
    """`records` of `record_bytes` each; domains and windows are whole chunks of `chunk` records.

    `rest` are the bytes of the array behind the last whole record: no record of this size, and never to be lost.
    """

    records: int
    record_bytes: int
    chunk: int
    domain: int
    window: int
    ranks: int
    rest: int = 0

    @property
    def rounds(self) -> int:
        """How many windows a domain is."""
        return -(-self.domain // self.window)

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        return -(-self.records // self.chunk)

    @property
    def window_bytes(self) -> int:
        """Bytes of one window."""
        return self.window * self.record_bytes

    def is_in_place(self, segments: npt.NDArray[np.int32]) -> bool:
        """True when a record's place in the windows, which lie as `segments` say, is its own number."""
        return self.rounds == 1 and np.array_equal(segments, np.arange(self.ranks))

    def domain_of(self, rank: int) -> tuple[int, int]:
        """First record of a rank's domain, and one past its last."""
        first = min(rank * self.domain, self.records)
        return first, min(first + self.domain, self.records)

    def position_type(self, entries: int) -> npt.DTypeLike:
        """The smallest type that numbers all records and all entries."""
        return np.int32 if max(self.records, entries, self.window * self.ranks) < 2**31 else np.int64
