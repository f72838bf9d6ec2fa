"""Conflicts resolved: of all claims to a record, the last of the highest rank is kept; the others are never sent.

Inside a node each rank marks its claims in a row of bits that the others read: no sort, no message. Between
nodes the claims go to the owner of the record, who resolves them and answers with one bit each; many claims go as
such rows of bits as well. All give the same result, and say which chunks are covered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from striate import _core
from striate.runtime.move.communicator.node import Node
from striate.runtime.move.communicator.ranks import Ranks
from striate.runtime.plan.partition import Partition

Int64 = npt.NDArray[np.int64]
Positions = npt.NDArray[Any]
Words = npt.NDArray[np.uint64]
Bytes = npt.NDArray[np.uint8]

UNTOUCHED, PARTLY, WHOLLY = 0, 1, 2
SPARSE = 64  # records for one claim, beyond which the claims are few
FEW = 8  # records of a domain for one that nobody claims, from which on those are listed


@dataclass(frozen=True)
class Claims:
    """Positions in a domain that others told its owner, grouped by their rank; of each rank `ascending`, or as sent."""

    places: Positions
    counts: Int64
    ascending: bool = False

    def sources(self) -> Int64:
        """The rank each place came from."""
        return np.repeat(np.arange(len(self.counts)), self.counts)


@dataclass(frozen=True)
class Resolved:
    """`kept` are our claims that count, None for all; `covered[chunk]` how many records of our chunks are claimed.

    `holes` are the records of our domain that nobody claims, counted from its first; None when they are many.
    `buckets` are the moves of the claims that count (order, place, starts), where they came with the resolution.
    """

    kept: Positions | None
    covered: Int64
    holes: Int64 | None
    claims: Claims | None  # kept claims of other ranks, when they had to be told
    buckets: tuple[Positions, Positions, Int64] | None = None


def resolve_on_node(
    node: Node, partition: Partition, indices: Positions, *, rank: int, scratch: Bytes
) -> Resolved | None:
    """For ranks that all share memory, of which `scratch` is free to use; None when that is too little.

    Each rank has a row of bits in it; records that do not fit are resolved in further passes.
    """
    needed = -(-partition.records // 64)
    words = min(needed, scratch.size // 8 // node.ranks.size)
    if words < min(needed, 8):
        return None
    rows: Words = scratch[: words * 8 * node.ranks.size].view(np.uint64).reshape(node.ranks.size, words)
    if words == needed:
        return _resolve_at_once(node, partition, indices, rows, rank)
    return _resolve_in_passes(node, partition, indices, rows, rank)


def _resolve_at_once(
    node: Node, partition: Partition, indices: Positions, rows: Words, rank: int
) -> Resolved:
    live = _mark_and_compare(node, indices, 0, rows)
    low, high = partition.domain_of(rank)
    begin = low // 64
    claimed = np.bitwise_or.reduce(rows[:, begin : -(-high // 64)], axis=0)
    covered = _core.count_marked(claimed, _chunk_edges(partition, rank) - begin * 64)
    holes = _unmarked(claimed, low - begin * 64, high - begin * 64, covered)
    if partition.is_in_place(node.segments) and _count(live) == len(indices):
        return Resolved(None, covered, holes, None)
    each_once = _count(rows[node.ranks.rank]) == len(indices)
    where = (partition.records, partition.domain, partition.window, node.segments)
    buckets = _core.resolve_into_buckets(indices, live, each_once, *where)
    return Resolved(buckets[0], covered, holes, None, buckets)


def _resolve_in_passes(
    node: Node, partition: Partition, indices: Positions, rows: Words, rank: int
) -> Resolved:
    kept, covered = [], np.zeros(_own_chunks(partition, rank), np.int64)
    for first in range(0, partition.records, rows.shape[1] * 64):
        if first:
            node.ranks.barrier()  # all have read the rows of the pass before
        live = _mark_and_compare(node, indices, first, rows)
        covered += _covered(rows, first, partition, rank)
        kept.append(_core.resolve_records(indices, first, live))
    return Resolved(np.sort(np.concatenate(kept)), covered, None, None)


def _mark_and_compare(node: Node, indices: Positions, first: int, rows: Words) -> Words:
    """Mark our claims from record `first` on; which of them no higher rank has."""
    mine = node.ranks.rank
    rows[mine] = 0
    _core.mark_records(indices, first, rows[mine])
    node.ranks.barrier()  # some mark more: the others leave them their CPU
    live: Words = rows[mine] & ~np.bitwise_or.reduce(rows[mine + 1 :], axis=0, initial=0)
    return live


def resolve_by_rows(
    ranks: Ranks, partition: Partition, indices: Positions, segments: npt.NDArray[np.int32]
) -> Resolved:
    """For ranks that share no memory and claim many of the records: a bit tells an owner of a claim, not a number.

    Records are sent in the order of their places, which the owner reads from the bits.
    """
    bits = np.zeros(-(-partition.records // 64), np.uint64)
    _core.mark_records(indices, 0, bits)
    spans = [_words_of(partition, rank) for rank in range(partition.ranks)]
    sizes = np.array([span.stop - span.start for span in spans], np.int64)
    received = np.full(partition.ranks, sizes[ranks.rank])
    rows: Words = ranks.exchange(np.concatenate([bits[span] for span in spans]), sizes, received)
    rows = rows.reshape(partition.ranks, -1)
    base = spans[ranks.rank].start * 64
    low, high = (edge - base for edge in partition.domain_of(ranks.rank))
    _clear_outside(rows, low, high)
    claimed = np.bitwise_or.reduce(rows, axis=0)
    if ranks.largest([_count(rows.reshape(-1)) - _count(claimed)])[0]:  # somewhere two claim one record
        for rank in range(partition.ranks - 1):
            rows[rank] &= ~np.bitwise_or.reduce(rows[rank + 1 :], axis=0)
        bits[:] = 0
        answers = ranks.exchange(rows.reshape(-1), received, sizes)
        for span, answer in zip(spans, np.split(answers, np.cumsum(sizes)[:-1]), strict=True):
            bits[span] |= answer
    covered = _core.count_marked(claimed, _chunk_edges(partition, ranks.rank) - base)
    holes = _unmarked(claimed, low, high, covered)
    where = (partition.records, partition.domain, partition.window, segments)
    buckets = _core.sort_into_buckets(indices, bits, *where)
    places = [_core.unmarked_records(~row, low, high) - low for row in rows]
    counts = np.array([len(one) for one in places], np.int64)
    told = Claims(np.concatenate(places).astype(indices.dtype), counts, ascending=True)
    return Resolved(buckets[0], covered, holes, told, buckets)


def _words_of(partition: Partition, rank: int) -> slice:
    """The words that hold the bits of a rank's domain, in a row of bits of all records."""
    low, high = partition.domain_of(rank)
    return slice(low // 64, -(-high // 64))


def _clear_outside(rows: Words, low: int, high: int) -> None:
    """Of words that also hold bits of other domains, leave our own: those from `low` to `high`."""
    if rows.size:
        rows[:, 0] &= np.uint64(2**64 - (1 << low % 64))
        if high % 64:
            rows[:, -1] &= np.uint64((1 << high % 64) - 1)


def resolve_at_owners(ranks: Ranks, partition: Partition, indices: Positions, *, all_count: bool) -> Resolved:
    """For any ranks, by messages. `all_count` keeps every claim: for sums."""
    nobody = np.full(partition.ranks, -1, np.int32)
    order, claims, sent = tell_owners(ranks, partition, indices, nobody)
    winners, covered, holes = _resolve_claims(
        partition, ranks.rank, claims.places
    )  # they lie in the order of ranks
    if all_count:
        return Resolved(None, covered, holes, claims)
    answers = _answered(ranks, winners, claims.counts, sent)
    kept = None if answers.all() else np.sort(order[answers])
    per_rank = np.bincount(claims.sources()[winners], minlength=partition.ranks)
    return Resolved(kept, covered, holes, Claims(claims.places[winners], per_rank.astype(np.int64)))


def _answered(ranks: Ranks, winners: Positions, told: Int64, sent: Int64) -> npt.NDArray[np.bool_]:
    """Tell the others, in a bit each, which of their claims count; which of ours do, in the order we sent them."""
    flags = np.zeros(int(told.sum()), bool)
    flags[winners] = True
    answers = ranks.exchange(_packed(flags, told), -(-told // 8), -(-sent // 8))
    parts = np.split(answers, np.cumsum(-(-sent // 8))[:-1])
    bits = [np.unpackbits(part, count=int(count)) for part, count in zip(parts, sent, strict=True)]
    return np.concatenate(bits).astype(bool)


def _packed(flags: npt.NDArray[np.bool_], counts: Int64) -> Bytes:
    """The flags of each rank in whole bytes of their own."""
    return np.concatenate([np.packbits(part) for part in np.split(flags, np.cumsum(counts)[:-1])])


def _resolve_claims(
    partition: Partition, rank: int, places: Positions
) -> tuple[Positions, Int64, Int64 | None]:
    """Which claims to our domain count, how many records of each chunk are claimed, and which records by nobody."""
    first, end = partition.domain_of(rank)
    if (
        len(places) * SPARSE < end - first
    ):  # few claims to a large domain: sorting them is less work than its bits
        distinct, from_end = np.unique(places[::-1], return_index=True)
        winners = np.sort(len(places) - 1 - from_end).astype(places.dtype)
        return winners, np.bincount(distinct // partition.chunk, minlength=_own_chunks(partition, rank)), None
    bits = np.zeros(-(-max(end - first, 1) // 64), np.uint64)
    _core.mark_records(places, 0, bits)
    covered = _core.count_marked(bits, _chunk_edges(partition, rank) - first)
    holes = _unmarked(bits, 0, end - first, covered)
    return _core.resolve_records(places, 0, bits), covered, holes


def tell_owners(
    ranks: Ranks, partition: Partition, indices: Positions, segments: npt.NDArray[np.int32]
) -> tuple[Positions, Claims, Int64]:
    """Tell the owners that share no memory with us what we claim; what was told to us; how much we told each."""
    order, place, starts = _core.bucket_records(
        indices, None, max(partition.records, 0), partition.domain, partition.domain, segments
    )
    counts = np.diff(starts)[1:].copy()
    local = int(starts[1])
    received = ranks.swap_counts(counts)
    places = ranks.exchange(place[local:], counts, received)
    return order[local:], Claims(places, received), counts


def _own_chunks(partition: Partition, rank: int) -> int:
    first, end = partition.domain_of(rank)
    return -(-(end - first) // partition.chunk)


def _chunk_edges(partition: Partition, rank: int) -> Int64:
    """Where the chunks of a rank's domain begin, and where the last one ends."""
    first, end = partition.domain_of(rank)
    return np.append(np.arange(first, end, partition.chunk, dtype=np.int64), end)


def _covered(rows: Words, first: int, partition: Partition, rank: int) -> Int64:
    """How many records of each own chunk are marked in any row, of those the rows speak of."""
    low, high = partition.domain_of(rank)
    last = first + rows.shape[1] * 64
    if high <= first or low >= last:
        return np.zeros(_own_chunks(partition, rank), np.int64)
    begin = max(0, (low - first) // 64)
    end = min(rows.shape[1], -(-(high - first) // 64))
    union = np.bitwise_or.reduce(rows[:, begin:end], axis=0)
    base = first + begin * 64
    edges = np.clip(_chunk_edges(partition, rank) - base, 0, len(union) * 64)
    counts: Int64 = _core.count_marked(union, edges)
    return counts


def _unmarked(bits: Words, first: int, end: int, covered: Int64) -> Int64 | None:
    if (end - first - covered.sum()) * FEW > end - first:
        return None
    found: Int64 = _core.unmarked_records(bits, first, end)
    return found - first


def _count(bits: Words) -> int:
    return int(_core.count_marked(bits, np.array([0, bits.size * 64]))[0])


def popcount(words: Words) -> Int64:
    if hasattr(np, "bitwise_count"):
        counts: Int64 = np.bitwise_count(words).astype(np.int64)
        return counts
    by_word = np.unpackbits(words.view(np.uint8)).reshape(-1, 64)
    return np.asarray(by_word.sum(axis=1), np.int64)
