"""`Entry`: one result and all that is needed to find it again; `Filter`: which entries are wanted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from striate.interval import Interval
from striate.provenance import versions

KINDS = ("predict", "probe", "validate", "tune")


def now() -> str:
    """This moment as ISO 8601, in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@dataclass(frozen=True, slots=True)
class Entry:
    """One result. `seconds` is what it says about time; `setup` how it was made, `results` all it says."""

    kind: str
    workload: str = ""
    cluster: str = ""
    layout: str = ""
    ranks: int | None = None
    seconds: Interval | None = None
    measured: float | None = None  # seconds that a real run took, where there was one
    setup: Mapping[str, Any] = field(default_factory=dict)
    results: Any = None
    versions: Mapping[str, str] = field(default_factory=versions)
    made: str = field(default_factory=now)
    number: int = 0  # given by the store

    @property
    def about(self) -> tuple[Any, ...]:
        """What makes two entries comparable over time."""
        return (self.kind, self.workload, self.cluster, self.layout, self.ranks)


@dataclass(frozen=True, slots=True)
class Filter:
    """Conditions that an entry must meet, all of them; empty ones ask nothing."""

    kind: str | None = None
    workload: str | None = None
    cluster: str | None = None
    layout: str | None = None
    ranks: int | None = None
    since: str | None = None  # an ISO date or moment
    last: int | None = None  # only this many of the newest entries
