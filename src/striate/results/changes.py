"""What changed over time: entries about the same thing, the first and the last of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from striate.results.entry import Entry


@dataclass(frozen=True, slots=True)
class ResultChange:
    """Entries that differ only in when they were made; `share` is last / first - 1 of their seconds."""

    kind: str
    workload: str
    cluster: str
    layout: str
    ranks: int | None
    entries: int
    first: Entry
    last: Entry
    median_seconds: float | None

    @property
    def share(self) -> float | None:
        """How much longer the last one takes than the first; None where one of them has no time."""
        first, last = _seconds(self.first), _seconds(self.last)
        return None if not first or last is None else last / first - 1


def changes(found: Sequence[Entry]) -> list[ResultChange]:
    """One row for each thing that entries are about, in the order they first appear."""
    groups: dict[tuple[object, ...], list[Entry]] = {}
    for entry in found:
        groups.setdefault(entry.about, []).append(entry)
    return [_change(group) for group in groups.values()]


def _change(group: list[Entry]) -> ResultChange:
    known = [time for entry in group if (time := _seconds(entry)) is not None]
    one = group[0]
    middle = median(known) if known else None
    return ResultChange(
        one.kind, one.workload, one.cluster, one.layout, one.ranks, len(group), one, group[-1], middle
    )


def _seconds(entry: Entry) -> float | None:
    """What a run really took, or else what was forecast."""
    if entry.measured is not None:
        return entry.measured
    return None if entry.seconds is None else entry.seconds.estimate
