"""How collective calls access a file, as text: who gathers the bytes of the others, and in which portions.

direct                            every rank asks for its own bytes
two-phase[:AGGREGATORS[:BUFFER]]  ranks exchange bytes with aggregators, which access the file    two-phase:nodes:16MiB
pipelined[:AGGREGATORS[:BUFFER]]  the same, the exchange of a round during the access of the last  pipelined:4:1MiB
automatic[:AGGREGATORS[:BUFFER]]  two-phase where the ranges of ranks interleave, else direct       automatic:nodes

AGGREGATORS is `all`, `nodes` (one per node), a number of ranks, of which a smaller group takes all, or that number as
users of Lustre write it: `stripes` or `stripes x 4`, a multiple of the file's stripes. Without it all, without BUFFER
the cluster's. A word at the end says which bytes an aggregator has: `:contiguous`, a part that begins at a stripe,
`:cyclic`, stripes in turn, as ROMIO's driver for Lustre deals them, or `:equal`, as many bytes as every other; without
it what the cluster's `file_domains` says.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast, get_args

from striate.cluster.cluster import DomainKind
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
STRIPES = r"stripes(?:\s*[x*]\s*([1-9][0-9]{0,5}))?"  # how many aggregators: a multiple of the file's stripes


@dataclass(frozen=True, slots=True)
class CollectiveMethod:
    """A choice; `buffer` and `domains` None: what the cluster has for them."""

    method: str = "direct"
    aggregators: int = ALL  # a number of ranks, ALL or NODES
    buffer: int | None = None
    per_stripe: int = 0  # aggregators per stripe of the file, instead of `aggregators`
    domains: DomainKind | None = None

    def __str__(self) -> str:
        if self.method == "direct":
            return self.method
        words = {number: word for word, number in _WORDS.items()}
        count = f"stripesx{self.per_stripe}" if self.per_stripe else words.get(self.aggregators)
        parts = [self.method, count or str(self.aggregators)]
        if self.buffer is not None:
            parts.append(format_size(self.buffer).replace(" ", ""))
        return ":".join([*parts, self.domains] if self.domains else parts)

    def aggregators_of(self, stripes: int) -> int:
        """Their number for a file of so many stripes, ALL or NODES."""
        return min(self.per_stripe * stripes, _MOST) if self.per_stripe else self.aggregators


def parse_collective(text: str) -> CollectiveMethod:
    """The method that `text` names; refuses all else with what was found and what was wanted."""
    method, *rest = str(text).split(":")
    named = bool(rest) and rest[-1] in get_args(DomainKind) and method != "direct"
    domains = cast(DomainKind, rest.pop()) if named else None
    if method not in METHODS or len(rest) > (0 if method == "direct" else 2):
        wanted = '"direct", "two-phase", "two-phase:nodes:16MiB" or "pipelined:4:1MiB"'
        raise WorkloadError(f"expected a method of collective file access such as {wanted}, got {text!r:.60}")
    count, per_stripe = parse_aggregators(rest[0]) if rest else (ALL, 0)
    return CollectiveMethod(method, count, _buffer(rest[1]) if len(rest) > 1 else None, per_stripe, domains)


def parse_aggregators(text: str) -> tuple[int, int]:
    """A number of ranks, ALL or NODES, and how many per stripe of the file where the text says that instead."""
    if text in _WORDS:
        return _WORDS[text], 0
    if by_stripes := re.fullmatch(STRIPES, text.strip()):
        return ALL, int(by_stripes[1] or 1)
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:11]) <= _MOST:
        wanted = '"all", "nodes", "stripes x 4" or a number of aggregators from 1'
        raise WorkloadError(f"expected {wanted}, got {text!r:.60}")
    return int(text), 0


def _buffer(text: str) -> int:
    try:
        found = size(text)
    except UnitError as error:
        raise WorkloadError(error.message) from None
    if found < 1:
        raise WorkloadError("expected a collective buffer of at least 1 B, got 0")
    return found
