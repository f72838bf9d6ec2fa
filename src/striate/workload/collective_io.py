"""How collective calls access a file, as text: who gathers the bytes of the others, and in which portions.

direct                            every rank asks for its own bytes
two-phase[:AGGREGATORS[:BUFFER]]  ranks exchange bytes with aggregators, which access the file    two-phase:nodes:16MiB
pipelined[:AGGREGATORS[:BUFFER]]  the same, the exchange of a round during the access of the last  pipelined:4:1MiB
automatic[:AGGREGATORS[:BUFFER]]  two-phase where the ranges of ranks interleave, else direct       automatic:nodes

AGGREGATORS is `all`, `nodes` (one per node) or a number of ranks, of which a smaller group takes all; without it all,
without BUFFER the cluster's.
"""

from __future__ import annotations

from dataclasses import dataclass

from striate.errors import UnitError, WorkloadError
from striate.units import format_size, size

METHODS = (
    "direct",
    "two-phase",
    "pipelined",
    "automatic",
)  # numbered as core/include/striate/storage/file_service.hpp lists them
ALL, NODES = 0, -1
_WORDS = {"all": ALL, "nodes": NODES}
_MOST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class CollectiveMethod:
    """A choice; `buffer` None: what the cluster has for it."""

    method: str = "direct"
    aggregators: int = ALL  # a number of ranks, ALL or NODES
    buffer: int | None = None

    def __str__(self) -> str:
        if self.method == "direct":
            return self.method
        words = {number: word for word, number in _WORDS.items()}
        parts = [self.method, words.get(self.aggregators, str(self.aggregators))]
        return ":".join(parts if self.buffer is None else [*parts, format_size(self.buffer).replace(" ", "")])


def parse_collective(text: str) -> CollectiveMethod:
    """The method that `text` names; refuses all else with what was found and what was wanted."""
    method, *rest = str(text).split(":")
    if method not in METHODS or len(rest) > (0 if method == "direct" else 2):
        wanted = '"direct", "two-phase", "two-phase:nodes:16MiB" or "pipelined:4:1MiB"'
        raise WorkloadError(f"expected a method of collective access such as {wanted}, got {text!r:.60}")
    return CollectiveMethod(
        method,
        _aggregators(rest[0]) if rest else ALL,
        _buffer(rest[1]) if len(rest) > 1 else None,
    )


def _aggregators(text: str) -> int:
    if text in _WORDS:
        return _WORDS[text]
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:11]) <= _MOST:
        raise WorkloadError(f'expected "all", "nodes" or a number of aggregators from 1, got {text!r:.60}')
    return int(text)


def _buffer(text: str) -> int:
    try:
        found = size(text)
    except UnitError as error:
        raise WorkloadError(error.message) from None
    if found < 1:
        raise WorkloadError("expected a collective buffer of at least 1 B, got 0")
    return found
