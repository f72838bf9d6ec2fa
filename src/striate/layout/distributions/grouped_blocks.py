"""Grouped blocks: the group factor divides each process's domain; its blocks go round-robin over the servers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from striate import _core
from striate.errors import LayoutError
from striate.layout.columns import positive
from striate.layout.layout import Layout
from striate.layout.sizes import format_bytes
from striate.units import LARGEST, counted, format_size


@dataclass(frozen=True)
class GroupedBlocks(Layout):
    """The sub-files of collective I/O clustering (paper 002, section 3.3), 1 <= GF <= number of I/O servers.

    The file is the domains of the processes one after another, `domain` bytes each. Factor 1 sends a whole
    domain to one server (most locality), factor `servers` spreads it over all (most parallelism). Blocks are
    slots of one size, ceil(domain / factor) rounded up to `alignment`; what a domain leaves empty at the end
    of a slot is padding, so `physical_size` may exceed the bytes held.
    """

    servers: int
    domain: int
    factor: int
    alignment: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "servers", positive(self.servers, "servers"))
        object.__setattr__(self, "domain", positive(self.domain, "bytes in a domain"))
        object.__setattr__(self, "factor", positive(self.factor, "a group factor"))
        object.__setattr__(self, "alignment", positive(self.alignment, "an alignment"))
        most = min(self.servers, self.domain)
        if self.factor > most:
            why = "the number of servers" if most == self.servers else "the bytes of such a part"
            raise LayoutError(
                f"expected a group factor (blocks per process's part of the file) from 1 to {most} ({why}), "
                f"got {self.factor}"
            )
        if self.block > LARGEST:
            raise LayoutError(
                f"expected blocks, with their alignment, of at most 2^63 - 1 bytes, got {self.block}"
            )

    @property
    def block(self) -> int:
        """Bytes of a slot: ceil(domain / factor), rounded up to the alignment."""
        least = -(-self.domain // self.factor)
        return -(-least // self.alignment) * self.alignment

    @cached_property
    def _native(self) -> Any:
        return _core.GroupedBlocks(self.servers, self.domain, self.factor, self.alignment)

    def describe(self) -> str:
        domain = f"Domains of {format_size(self.domain)} in {counted(self.factor, 'block')} each"
        return f"{domain}, round-robin over {counted(self.servers, 'server')}"

    def __str__(self) -> str:
        aligned = f":{format_bytes(self.alignment)}" if self.alignment > 1 else ""
        return f"grouped:{self.servers}:{format_bytes(self.domain)}:{self.factor}{aligned}"
