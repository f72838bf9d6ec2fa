"""Pieces: what byte runs become when a layout cuts them at the ends of strips."""

from __future__ import annotations

from dataclasses import dataclass

from striate.layout.columns import Int64
from striate.layout.extents import Extents


@dataclass(frozen=True, eq=False)
class Pieces:
    """Columns, one row per piece.

    Piece i is `size[i]` bytes of run `run[i]`, from byte `offset[i]` of the file, at `physical[i]` of server
    `server[i]`.
    """

    run: Int64
    server: Int64
    physical: Int64
    offset: Int64
    size: Int64

    def __len__(self) -> int:
        return len(self.run)

    def on_server(self, server: int) -> Extents:
        """The runs of that server's own file, in the order of the pieces."""
        chosen = self.server == server
        return Extents(self.physical[chosen], self.size[chosen])
