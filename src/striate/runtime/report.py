"""The report: what an operation did, in bytes, messages, rounds, and seconds a stage."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

STAGES = ("schedule", "load", "exchange", "compress", "write", "read", "wait", "commit")


@dataclass
class Report:
    """One rank's account of one operation. `seconds` has one entry a stage; stages that overlap both count."""

    operation: str
    rank: int
    records: int = 0
    moved_bytes: int = 0  # records put into or taken from windows by this rank
    sent_bytes: int = 0  # in messages
    messages: int = 0
    rounds: int = 0
    stored_bytes: int = 0  # written to or read from sub-files by this rank
    saved_bytes: int = 0  # not moved because a cache had them
    started: float = 0.0  # seconds since the epoch
    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(STAGES, 0.0))

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time of the body to a stage."""
        begin = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] += time.perf_counter() - begin

    @property
    def total_seconds(self) -> float:
        """All stages."""
        return sum(self.seconds.values())

    def __str__(self) -> str:
        spent = ", ".join(f"{name} {value * 1e3:.1f} ms" for name, value in self.seconds.items() if value)
        return (
            f"{self.operation} on rank {self.rank}: {self.records:,} records, {self.rounds} rounds, "
            f"{self.messages} messages of {self.sent_bytes:,} B, {self.stored_bytes:,} B stored; {spent}"
        )
