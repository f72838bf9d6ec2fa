"""The budget: how much of a domain is handled in one round, and how much goes to one rank in one message."""

from __future__ import annotations

from dataclasses import dataclass

from striate.errors import DatasetError


@dataclass(frozen=True)
class Budget:
    """`buffer_bytes` of memory a rank beyond the caller's own, shared out.

    Half of it are two windows onto the domain (one is filled while the other is written), a quarter is for
    messages going out, a quarter for messages coming in.
    """

    buffer_bytes: int
    chunk_bytes: int
    ranks: int

    def __post_init__(self) -> None:
        if self.buffer_bytes < 4 * self.chunk_bytes:
            raise DatasetError(
                f"expected a buffer of four chunks at least ({4 * self.chunk_bytes} bytes), got {self.buffer_bytes}"
            )

    def window_chunks(self, chunks_per_domain: int) -> int:
        """Chunks of a domain handled in one round; a domain that fits half the buffer needs no second window."""
        if chunks_per_domain * self.chunk_bytes <= self.buffer_bytes // 2:
            return chunks_per_domain
        return max(1, self.buffer_bytes // 4 // self.chunk_bytes)

    def message_records(self, record_bytes: int) -> int:
        """Records one rank sends to one other at once, so that neither side holds more than a quarter."""
        return max(1, self.buffer_bytes // 4 // self.ranks // record_bytes)
