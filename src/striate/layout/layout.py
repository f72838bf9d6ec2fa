"""The noun: which server holds each byte of a file, and where in that server's own file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from striate import _core
from striate.errors import LayoutError
from striate.layout.columns import Int64, Whole, together, whole_numbers
from striate.layout.extents import Extents
from striate.layout.pieces import Pieces

MOST_PIECES = 2**27  # a split beyond this would fill memory before it filled a disk


class Layout(ABC):
    """A frozen rule that places every byte from 0 to 2^63 - 1 on one of `servers` servers.

    Every method takes numbers, lists or arrays and answers in the same shape. `str(layout)` is the text that
    `layout.parse` reads back.
    """

    servers: int

    @property
    @abstractmethod
    def _native(self) -> Any:
        """The same rule in the core."""

    @abstractmethod
    def describe(self) -> str:
        """The rule in a few words, for people."""

    def locate(self, offsets: Whole) -> tuple[Int64, Int64]:
        """Server and physical position of each byte; refuses offsets below zero."""
        wanted = whole_numbers(offsets, "offsets")
        servers, physical = np.empty_like(wanted), np.empty_like(wanted)
        if not self._native.locate(wanted.reshape(-1), servers.reshape(-1), physical.reshape(-1)):
            _refuse_negative(wanted, "an offset")
            raise LayoutError(
                "expected positions of bytes up to 2^63 - 1 on a server, "
                f"got a larger position with the layout {self}"
            )
        return servers[()], physical[()]

    def logical(self, server: Whole, physical: Whole) -> Int64:
        """Which byte of the file lives there; refuses places that hold none."""
        servers, places = together(
            whole_numbers(server, "servers"), whole_numbers(physical, "physical positions")
        )
        offsets = np.empty_like(places)
        if not self._native.logical(servers.reshape(-1), places.reshape(-1), offsets.reshape(-1)):
            self._refuse_servers(servers)
            _refuse_negative(places, "a physical position")
            first = np.flatnonzero(offsets.reshape(-1) < 0)[0]
            found = f"position {places.reshape(-1)[first]} of server {servers.reshape(-1)[first]}"
            raise LayoutError(
                "expected a position on a server that stores a byte of the file below 2^63, "
                f"got {found} with the layout {self}"
            )
        return offsets[()]

    def run_length(self, offsets: Whole) -> Int64:
        """Bytes from each offset to the end of its strip: contiguous in the file and on the server."""
        wanted = whole_numbers(offsets, "offsets")
        lengths = np.empty_like(wanted)
        if not self._native.run_length(wanted.reshape(-1), lengths.reshape(-1)):
            _refuse_negative(wanted, "an offset")
        return lengths[()]

    def strip_number(self, offsets: Whole) -> Int64:
        """How many strips come before each byte's own, from the start of the file."""
        wanted = whole_numbers(offsets, "offsets")
        numbers = np.empty_like(wanted)
        if not self._native.strip_number(wanted.reshape(-1), numbers.reshape(-1)):
            _refuse_negative(wanted, "an offset")
        return numbers[()]

    def split(self, extents: Extents) -> Pieces:
        """The byte runs cut at the ends of strips, in order: every byte in exactly one piece."""
        try:
            columns = self._native.split(extents.offsets, extents.sizes, MOST_PIECES)
        except _core.RefusalError:
            total = extents.total_bytes
            raise LayoutError(
                f"expected at most {MOST_PIECES} pieces of byte runs, each within one strip, "
                f"got more from {total} bytes with the layout {self}"
            ) from None
        pieces = Pieces(*columns)
        if len(pieces) and int(pieces.physical.min()) < 0:
            raise LayoutError(
                "expected positions of bytes up to 2^63 - 1 on a server, "
                f"got a larger position with the layout {self}"
            )
        return pieces

    def physical_size(self, server: Whole, logical_size: Whole) -> Int64:
        """Length of the server's own file when the whole file has `logical_size` bytes and no holes."""
        servers, sizes = together(whole_numbers(server, "servers"), whole_numbers(logical_size, "sizes"))
        lengths = np.empty_like(sizes)
        if not self._native.physical_size(servers.reshape(-1), sizes.reshape(-1), lengths.reshape(-1)):
            self._refuse_servers(servers)
            _refuse_negative(sizes, "a size")
            raise LayoutError(
                "expected positions of bytes up to 2^63 - 1 on a server, "
                f"got a larger position with the layout {self}"
            )
        return lengths[()]

    def physical_sizes(self, logical_size: int) -> Int64:
        """`physical_size` of every server."""
        return self.physical_size(np.arange(self.servers), logical_size)

    def logical_size(self, physical_sizes: Whole) -> int:
        """Length of the whole file, as the file system tells it from the lengths of the servers' files."""
        return self.end(physical_sizes)

    def end(self, physical_sizes: Whole) -> int:
        """One past the last byte that lies in servers' files of these lengths, holes or not."""
        sizes = self._one_a_server(physical_sizes)
        used = np.flatnonzero(sizes)
        if not len(used):
            return 0
        return int(self.logical(used, sizes[used] - 1).max()) + 1

    def _one_a_server(self, physical_sizes: Whole) -> Int64:
        sizes = whole_numbers(physical_sizes, "physical sizes")
        if sizes.shape != (self.servers,):
            raise LayoutError(
                f"expected {self.servers} physical sizes (bytes on a server), one per server, got shape {sizes.shape}"
            )
        _refuse_negative(sizes, "a physical size")
        return sizes

    def _refuse_servers(self, servers: Int64) -> None:
        wrong = servers[(servers < 0) | (servers >= self.servers)]
        if wrong.size:
            raise LayoutError(f"expected a server from 0 to {self.servers - 1}, got {int(wrong.flat[0])}")

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_native"}


def _refuse_negative(values: Int64, what: str) -> None:
    wrong = values[values < 0]
    if wrong.size:
        raise LayoutError(f"expected {what} from 0 to 2^63 - 1, got {int(wrong.flat[0])}")


def sum_of(layout: Layout, physical_sizes: Whole) -> int:
    """The bytes the servers hold in all; refuses more than 2^63 - 1."""
    total = sum(int(size) for size in layout._one_a_server(physical_sizes))
    if total > 2**63 - 1:
        raise LayoutError(f"expected at most 2^63 - 1 bytes on all servers, got {total}")
    return total
