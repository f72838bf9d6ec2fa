"""The report: what an operation did, in bytes, messages, rounds, and seconds per stage."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

STAGES = ("schedule", "load", "exchange", "compress", "write", "read", "wait", "commit")
TRACE_KINDS = dict.fromkeys(STAGES, "region") | {"write": "write", "read": "read"}


@dataclass
class Report:
    """One rank's account of one operation. `seconds` has one entry per stage; stages that overlap both count."""

    operation: str
    rank: int
    records: int = 0  # elements of the caller's array
    moved_bytes: int = 0  # records put into or taken from windows by this rank
    sent_bytes: int = 0  # in messages
    messages: int = 0
    rounds: int = 0
    stored_bytes: int = 0  # written to or read from sub-files by this rank
    saved_bytes: int = 0  # not moved because a cache had them
    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(STAGES, 0.0))
    events: list[tuple[str, int, int]] = field(default_factory=list)  # stage, start and end in nanoseconds

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time of the body to a stage."""
        begin = time.time_ns()
        try:
            yield
        finally:
            end = max(begin, time.time_ns())
            self.seconds[name] += (end - begin) / 1e9
            self.events.append((name, begin, end))

    @property
    def total_seconds(self) -> float:
        """All stages."""
        return sum(self.seconds.values())

    def trace_rows(self) -> list[dict[str, int | str | bool]]:
        """One row per stage in the columns of a trace: times in nanoseconds since the epoch, bytes where known."""
        sizes = {"exchange": self.sent_bytes, "write": self.stored_bytes, "read": self.stored_bytes}
        return [
            {
                "rank": self.rank,
                "level": "program" if TRACE_KINDS[name] == "region" else "posix",
                "kind": TRACE_KINDS[name],
                "function": f"{self.operation}_all: {name}",
                "collective": name in ("exchange", "wait", "commit", "schedule"),
                "bytes": sizes.get(name, 0),
                "start": begin,
                "end": end,
            }
            for name, begin, end in self.events
        ]

    def __str__(self) -> str:
        spent = ", ".join(f"{name} {value * 1e3:.1f} ms" for name, value in self.seconds.items() if value)
        return (
            f"{self.operation} on rank {self.rank}: {self.records:,} records, {self.rounds} rounds, "
            f"{self.messages} messages of {self.sent_bytes:,} B, {self.stored_bytes:,} B stored; {spent}"
        )
