"""Two-dimensional stripe: the servers in groups, the file in one group for some rows, then in the next."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from striate import _core
from striate.errors import LayoutError
from striate.layout.columns import Whole, positive
from striate.layout.layout import Layout, sum_of
from striate.layout.sizes import format_bytes
from striate.units import LARGEST, counted, format_size


@dataclass(frozen=True)
class TwoDStripe(Layout):
    """PVFS2's twod_stripe: `factor` rows of `unit`-byte strips in one group of servers, then the next group.

    The first groups have servers // groups servers, the last takes the rest. Refuses more groups than
    servers: OrangeFS takes them and then places two bytes of a file on one spot. It also loses count beyond
    2^32 rows, which are exact here.
    """

    servers: int
    unit: int
    groups: int = 2
    factor: int = 256

    def __post_init__(self) -> None:
        object.__setattr__(self, "servers", positive(self.servers, "servers"))
        object.__setattr__(self, "unit", positive(self.unit, "a striping unit"))
        object.__setattr__(self, "groups", positive(self.groups, "groups"))
        object.__setattr__(self, "factor", positive(self.factor, "a group strip factor"))
        if self.groups > self.servers:
            raise LayoutError(
                f"expected at most {self.servers} groups of servers, one per server, got {self.groups}"
            )
        if self.servers * self.unit * self.factor > LARGEST:
            raise LayoutError(
                "expected one round of strips over all servers of at most 2^63 - 1 bytes, "
                f"got {self.servers * self.unit * self.factor}"
            )

    @cached_property
    def _native(self) -> Any:
        return _core.TwoDStripe(self.servers, self.unit, self.groups, self.factor)

    def logical_size(self, physical_sizes: Whole) -> int:
        """The bytes on all servers: PVFS2 adds them up for this layout, so holes do not count; see `end`."""
        return sum_of(self, physical_sizes)

    def describe(self) -> str:
        rows = f"{counted(self.factor, 'row')} of {format_size(self.unit)} strips"
        return f"{rows} in one of {counted(self.groups, 'group')} of {counted(self.servers, 'server')}, then the next"

    def __str__(self) -> str:
        return f"twod:{self.servers}:{format_bytes(self.unit)}:{self.groups}:{self.factor}"
