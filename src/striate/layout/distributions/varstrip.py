"""Variable strips: each server takes its own share of every round (thesis 003, section 3.2.2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from striate import _core
from striate.errors import LayoutError
from striate.layout.columns import Whole, positive
from striate.layout.distributions.strips import Strip, parse_strips
from striate.layout.layout import Layout, sum_of
from striate.layout.sizes import format_bytes
from striate.units import LARGEST, counted, format_size

PVFS2_LONGEST_HINT = 1023  # characters; OrangeFS keeps the text in 1025 bytes and refuses 1024


@dataclass(frozen=True)
class VarStrip(Layout):
    """PVFS2's varstrip_dist: a round of strips of chosen sizes on chosen servers, again and again.

    `VarStrip("0:200KB;1:4MB")`, or `VarStrip([(0, 200_000), (1, 4_000_000)])`. A server may have several
    strips in a round. Refuses gaps in the server numbers and strips without bytes. OrangeFS loses count
    beyond 2^32 rounds, and answers 0 for a server that does not hold the byte; both are right here.
    """

    strips: tuple[Strip, ...]

    def __init__(self, strips: str | Iterable[tuple[int, int]]) -> None:
        pairs = parse_strips(strips) if isinstance(strips, str) else strips
        object.__setattr__(
            self, "strips", tuple(_checked(number, *pair) for number, pair in enumerate(pairs))
        )
        _refuse_gaps({strip.server for strip in self.strips})
        if self.round > LARGEST:
            raise LayoutError(
                f"expected at most 2^63 - 1 bytes in all strips together (one round), got {self.round}"
            )

    @cached_property
    def servers(self) -> int:  # type: ignore[override]
        return 1 + max(strip.server for strip in self.strips)

    @property
    def round(self) -> int:
        """Bytes of all strips together, after which the first comes again."""
        return sum(strip.size for strip in self.strips)

    @property
    def starts(self) -> list[int]:
        """Offset in the round of each strip."""
        return list(accumulate((strip.size for strip in self.strips[:-1]), initial=0))

    @cached_property
    def _native(self) -> Any:
        servers = np.array([strip.server for strip in self.strips], np.int64)
        return _core.VarStrip(servers, np.array([strip.size for strip in self.strips], np.int64))

    def logical_size(self, physical_sizes: Whole) -> int:
        """The bytes on all servers: PVFS2 adds them up for this layout, so holes do not count; see `end`."""
        return sum_of(self, physical_sizes)

    def hint(self) -> str:
        """The value of the MPI hint `varstrip_dist:string:strips`; refuses what PVFS2 has no room for."""
        text = ";".join(f"{strip.server}:{strip.size}" for strip in self.strips)
        if len(text) > PVFS2_LONGEST_HINT:
            raise LayoutError(
                f"expected a value of at most {PVFS2_LONGEST_HINT} characters for the MPI hint of the "
                f"strips, got {len(text)}"
            )
        return text

    def describe(self) -> str:
        strips = f"A round of {counted(len(self.strips), 'strip')}, {format_size(self.round)} in all"
        return f"{strips}, on {counted(self.servers, 'server')}, again and again"

    def __str__(self) -> str:
        return "varstrip:" + ";".join(f"{strip.server}:{format_bytes(strip.size)}" for strip in self.strips)


def _checked(number: int, server: int, size: int) -> Strip:
    if isinstance(server, bool) or not isinstance(server, int | np.integer) or server < 0:
        raise LayoutError(f"expected a server number of 0 or more, got {server!r}", at=f"strip {number}")
    return Strip(int(server), positive(size, f"bytes in strip {number}"))


def _refuse_gaps(servers: set[int]) -> None:
    if not servers:
        raise LayoutError("expected at least one strip, got none")
    highest = max(servers)
    if len(servers) <= highest:
        missing = next(server for server in range(highest) if server not in servers)
        raise LayoutError(
            f"expected a strip for every server from 0 to {highest}, found none for server {missing}"
        )
