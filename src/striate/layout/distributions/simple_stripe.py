"""Simple stripe: equal strips, round-robin over the servers (thesis 003, section 3.2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from striate import _core
from striate.layout.columns import positive
from striate.layout.layout import Layout
from striate.layout.sizes import format_bytes
from striate.units import counted, format_size


@dataclass(frozen=True)
class SimpleStripe(Layout):
    """Strip i of `unit` bytes lives on server i mod `servers`: PVFS2's simple_stripe, Lustre's striping."""

    servers: int
    unit: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "servers", positive(self.servers, "servers"))
        object.__setattr__(self, "unit", positive(self.unit, "a striping unit"))

    @cached_property
    def _native(self) -> Any:
        return _core.SimpleStripe(self.servers, self.unit)

    def describe(self) -> str:
        return f"Strips of {format_size(self.unit)}, round-robin over {counted(self.servers, 'server')}"

    def __str__(self) -> str:
        return f"simple:{self.servers}:{format_bytes(self.unit)}"
