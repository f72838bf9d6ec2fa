"""Hashed stripe: equal strips, each on the server that a hash of its name gives."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from striate import _core
from striate.errors import LayoutError
from striate.layout.columns import Int64, positive
from striate.layout.layout import Layout
from striate.layout.sizes import format_bytes
from striate.units import counted, format_size

_ROUND = 1024  # strips after which the servers come again, at least
_PER_SERVER = 64  # strips of a server in a round, on average at least


@dataclass(frozen=True)
class HashStripe(Layout):
    """Strip i of `unit` bytes lives on the server that a hash of `name` and i gives: GlusterFS's shards.

    GlusterFS gives every file a random identifier and places each shard by a Davies-Meyer hash of "identifier.i"
    over equal ranges of the 32-bit values (`dht_hash_compute`), so that strips are spread by chance: some servers hold
    more. Here a 64-bit mix (SplitMix64) of a number and i stands for it; other numbers are other files.
    """

    servers: int
    unit: int
    name: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "servers", positive(self.servers, "servers"))
        object.__setattr__(self, "unit", positive(self.unit, "a striping unit"))
        if not 0 <= self.name < 2**63:
            raise LayoutError(f"expected a file name as a number from 0 to 2^63 - 1, got {self.name}")

    @cached_property
    def order(self) -> Int64:
        """The server of every strip of a round, which comes again and again."""
        strips = max(_ROUND, _PER_SERVER * self.servers)
        index = np.arange(strips, dtype=np.uint64)
        mixed = _mixed(_mixed(np.uint64(self.name) + np.uint64(1)) + index)
        return np.asarray(mixed % np.uint64(self.servers), np.int64)

    @cached_property
    def _native(self) -> Any:
        return _core.VarStrip(self.order, np.full(len(self.order), self.unit, np.int64))

    def describe(self) -> str:
        return f"Strips of {format_size(self.unit)}, placed on {counted(self.servers, 'server')} by a hash"

    def __str__(self) -> str:
        return f"hash:{self.servers}:{format_bytes(self.unit)}:{self.name}"


def _mixed(values: Any) -> Any:
    """SplitMix64: every bit of the result depends on every bit of the value; wraps around."""
    with np.errstate(over="ignore"):
        mixed = np.asarray(values, np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return mixed ^ (mixed >> np.uint64(31))
