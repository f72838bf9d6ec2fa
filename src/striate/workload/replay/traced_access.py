"""One traced access as operations: as the program asked for it, or as the MPI library is known to carry it out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from striate.layout.extents import Extents
from striate.workload import operations
from striate.workload.operations import Operation
from striate.workload.sieving import ListedRuns, Runs, Sieving, StridedRuns

_RANGE_BYTES = 16  # first and last byte, which ranks tell each other before they decide against an exchange


@dataclass(frozen=True, slots=True)
class TracedAccess:
    """A read or write of `blocks` equal blocks, or of the byte runs `extents` counted from `offset`."""

    kind: str
    file: str
    offset: int
    bytes: int
    blocks: int
    stride: int
    extents: Extents | None
    comm: str | None  # of a collective call
    blocking: bool

    def asked(self) -> Operation:
        """The call as it is."""
        return self._call(self._where(*self._blocks()))

    def done(self, sieving: Sieving, method: str | None) -> Iterator[Operation]:
        """The call, or what data sieving makes of it; a file's `method` of collective access may exchange instead."""
        blocks, size, stride = self._joined()
        first, last = self._span(blocks, size, stride)
        buffer = sieving.read if self.kind == "read" else sieving.write
        gaps = last - first > self.bytes > 0
        if buffer is None or not gaps or (self.comm is not None and method != "direct"):
            yield self._call(self._where(blocks, size, stride))
            return
        if self.comm is not None:
            yield operations.allgather(_RANGE_BYTES, comm=self.comm)
        pieces = list(sieving.pieces(self.kind, self._runs(blocks, size, stride)))
        for number, (kind, offset, length) in enumerate(pieces):
            verb = getattr(operations, kind)
            ends = number == len(pieces) - 1
            yield verb(self.file, offset=offset, size=length, blocking=self.blocking or not ends)

    def _blocks(self) -> tuple[int, int, int]:
        """How many, how long and how far apart; one run where the bytes of a log do not divide."""
        blocks = max(self.blocks, 1)
        return (1, self.bytes, 0) if self.bytes % blocks else (blocks, self.bytes // blocks, self.stride)

    def _joined(self) -> tuple[int, int, int]:
        """The same, blocks without gaps as one."""
        blocks, size, stride = self._blocks()
        return (1, self.bytes, 0) if blocks > 1 and stride == size else (blocks, size, stride)

    def _span(self, blocks: int, size: int, stride: int) -> tuple[int, int]:
        if self.extents is None:
            return self.offset, self.offset + (blocks - 1) * stride + size
        runs = self.extents
        if not len(runs):
            return self.offset, self.offset
        return self.offset + int(runs.offsets.min()), self.offset + int((runs.offsets + runs.sizes).max())

    def _runs(self, blocks: int, size: int, stride: int) -> Runs:
        if self.extents is None:
            return StridedRuns(self.offset, blocks, size, stride)
        return ListedRuns(self.offset + self.extents.offsets, self.extents.sizes)

    def _where(self, blocks: int, size: int, stride: int) -> dict[str, Any]:
        if self.extents is not None:
            return {"offset": self.offset, "extents": self.extents}
        return {"offset": self.offset, "size": size, "count": blocks, "stride": stride}

    def _call(self, where: dict[str, Any]) -> Operation:
        verb = getattr(operations, self.kind + "_all" * (self.comm is not None))
        more: dict[str, Any] = {"blocking": self.blocking}
        if self.comm is not None:
            more["comm"] = self.comm
        return cast(Operation, verb(self.file, **where, **more))
