"""A buffer of lines on their way into a mapped file: it decides what is written when, and writes nothing."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from striate.layout.columns import Whole, positive
from striate.layout.extents import Extents
from striate.layout.mapped.record_map import RecordMap
from striate.layout.mapped.slots import fill


@dataclass(frozen=True)
class Batch:
    """What one write puts into the file: `payload` holds the bytes of `extents` in the order of the file."""

    extents: Extents
    payload: bytes


@dataclass
class LineBuffer:
    """Holds the lines of `generations` samples (lambda), then gives them out as one batch (section 6.3.1).

    Nothing is held back at a checkpoint or at the end: a restart finds every sample that its checkpoint
    promises.
    """

    record_map: RecordMap
    generations: int
    _buffered: list[tuple[int, bytes]] = field(default_factory=list)
    _samples: int = 0

    def __post_init__(self) -> None:
        positive(self.generations, "generations buffered")

    def add(self, slot: str, line: bytes, /, **indices: Whole) -> None:
        """Hold a line for its slot; refuses one that does not fit, or a place the map does not have."""
        offset = int(self.record_map.offset(slot, **indices))
        where = ", ".join(f"{name} {index}" for name, index in indices.items())
        self._buffered.append((offset, fill(self.record_map.column(slot).slot, line, at=where or None)))

    def end_sample(self, *, checkpoint: bool = False) -> Batch | None:
        """The batch to write now, or None while there is room and no checkpoint."""
        self._samples += 1
        return self.flush() if checkpoint or self._samples == self.generations else None

    def flush(self) -> Batch | None:
        """All lines held, in the order of the file, and an empty buffer; None when there are none."""
        self._samples = 0
        if not self._buffered:
            return None
        lines = sorted(self._buffered)
        self._buffered = []
        offsets = np.array([offset for offset, _ in lines], np.int64)
        sizes = np.array([len(line) for _, line in lines], np.int64)
        return Batch(Extents.trusted(offsets, sizes), b"".join(line for _, line in lines))
