"""Basic: the whole file on one server, byte for byte."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from striate import _core
from striate.errors import LayoutError
from striate.layout.layout import Layout
from striate.units import LARGEST


@dataclass(frozen=True)
class Basic(Layout):
    """One server and one endless strip."""

    servers: int = 1

    def __post_init__(self) -> None:
        if self.servers != 1:
            raise LayoutError(f"expected one server for the basic layout, got {self.servers}")

    @cached_property
    def _native(self) -> Any:
        return _core.SimpleStripe(1, LARGEST)

    def describe(self) -> str:
        return "The whole file on one server"

    def __str__(self) -> str:
        return "basic"
