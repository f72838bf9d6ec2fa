"""The budget: how much of a domain is handled in one round, and how much goes to one rank in one message."""

from __future__ import annotations

from dataclasses import dataclass

from striate.errors import DatasetError

PIPELINED_ROUNDS = 5  # more hide little more, and ranks meet in each
SMALLEST_ROUND = 2**19  # bytes of a domain: below, a round is latency


@dataclass(frozen=True)
class Budget:
    """`buffer_bytes` of memory a rank beyond the caller's own, shared out.

    Between nodes half of it are two windows onto the domain (one is filled while the other is written), a quarter
    is for messages going out, a quarter for messages coming in. On one node, where nothing is compressed, only sums
    travel: an eighth is for messages, and the rest for windows. `pipelined` is a write whose exchange takes long enough
    to hide files behind it: of a domain that fits, one window is filled while the one before is written.
    """

    buffer_bytes: int
    chunk_bytes: int
    ranks: int
    one_node: bool = False
    pipelined: bool = False

    def __post_init__(self) -> None:
        if self.buffer_bytes < 4 * self.chunk_bytes:
            raise DatasetError(
                f"expected a buffer of at least four chunks ({4 * self.chunk_bytes} bytes), got {self.buffer_bytes}"
            )

    @property
    def message_bytes(self) -> int:
        """For messages in one direction."""
        return self.buffer_bytes // (16 if self.one_node else 4)

    def window_chunks(self, chunks_per_domain: int) -> int:
        """Chunks of a domain handled in one round; a domain that fits the windows needs no second one."""
        windows = self.buffer_bytes - 2 * self.message_bytes
        if chunks_per_domain * self.chunk_bytes <= windows:
            return self._pipelined_chunks(chunks_per_domain) if self.pipelined else chunks_per_domain
        most = max(1, windows // 2 // self.chunk_bytes)
        return -(-chunks_per_domain // -(-chunks_per_domain // most))  # rounds of one size

    def _pipelined_chunks(self, chunks_per_domain: int) -> int:
        """Chunks of a round of PIPELINED_ROUNDS at most, of which none is small."""
        least = -(-SMALLEST_ROUND // self.chunk_bytes)
        return min(chunks_per_domain, max(least, -(-chunks_per_domain // PIPELINED_ROUNDS)))

    def has_spare_chunk(self, chunks_per_domain: int) -> bool:
        """True when there is room for one chunk more beside windows and messages."""
        window = self.window_chunks(chunks_per_domain)
        halves = min(2, -(-chunks_per_domain // window))
        used = 2 * self.message_bytes + halves * window * self.chunk_bytes
        return used + self.chunk_bytes <= self.buffer_bytes

    def message_records(self, record_bytes: int) -> int:
        """Records one rank sends to one other at once, so that neither side holds more than its share."""
        return max(1, self.message_bytes // self.ranks // record_bytes)
