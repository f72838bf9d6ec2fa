"""Names of network components, made when asked for: "leaf.3", "compute.12.socket.1", "compute.12.hub"."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import overload


@dataclass(frozen=True, slots=True)
class Block:
    """`count` things of one name, each of which has one component for every entry of `parts`."""

    name: str
    count: int
    parts: tuple[str, ...] = ("",)
    numbered: bool = True

    def __len__(self) -> int:
        return self.count * len(self.parts)

    def at(self, index: int) -> str:
        which, part = divmod(index, len(self.parts))
        return self.name + (f".{which}" if self.numbered else "") + self.parts[part]


@dataclass(frozen=True, slots=True)
class ComponentNames(Sequence[str]):
    """One name per component, in order; costs memory per block, not per component."""

    blocks: tuple[Block, ...]
    ends: tuple[int, ...]

    @classmethod
    def of(cls, blocks: Sequence[Block]) -> ComponentNames:
        return cls(tuple(blocks), tuple(accumulate(len(block) for block in blocks)))

    def __len__(self) -> int:
        return self.ends[-1] if self.ends else 0

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"expected the number of a cluster component below {len(self)}, got {index}")
        index %= len(self)
        block = bisect_right(self.ends, index)
        return self.blocks[block].at(index - (self.ends[block - 1] if block else 0))
