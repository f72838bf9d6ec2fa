"""One clock for all ranks: what to add to each process's times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.record.files import RankFile

Int64s = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Correction:
    """Nanoseconds to add at a moment of the process's own clock; between two measurements they change evenly."""

    offset: int
    at: int = 0
    drift: float = 0.0  # nanoseconds a nanosecond
    measured: bool = True

    def apply(self, times: Int64s) -> Int64s:
        moved = np.rint((times - self.at) * self.drift).astype(np.int64) if self.drift else 0
        return times + self.offset + moved


def corrections(parts: Sequence[RankFile]) -> list[Correction]:
    """For every part: nothing where it shares the first one's clock, otherwise what was measured between them."""
    return [_correction(part, parts[0]) for part in parts]


def _correction(part: RankFile, first: RankFile) -> Correction:
    if part.boot and part.boot == first.boot:
        return Correction(0)
    texts = [part.names["clock"].get(moment, b"") for moment in (0, 1)]
    read = [np.frombuffer(text, np.int64) for text in texts if len(text) == 24]
    measured = [one for one in read if (abs(one.astype(float)) < 2.0**60).all()]
    if not measured:  # wall clocks agree to milliseconds at best
        return Correction((part.wall - part.clock) - (first.wall - first.clock), measured=False)
    (begin, _, at), last = measured[0].tolist(), measured[-1].tolist()
    span = last[2] - at
    drift = (last[0] - begin) / span if span > 0 else 0.0
    return Correction(begin, at, drift if abs(drift) < 1e-3 else 0.0)
