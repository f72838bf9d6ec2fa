"""The schedule: which record of ours goes to which place in which round, found once and used while it holds."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from striate import _core
from striate.runtime.move.communicator.node import Node
from striate.runtime.move.communicator.ranks import Ranks
from striate.runtime.move.schedules.resolve import (
    PARTLY,
    SPARSE,
    UNTOUCHED,
    WHOLLY,
    Claims,
    Resolved,
    resolve_at_owners,
    resolve_by_rows,
    resolve_on_node,
    tell_owners,
)
from striate.runtime.plan.partition import Partition
from striate.runtime.plan.selection import Selection

Int64 = npt.NDArray[np.int64]
Positions = npt.NDArray[Any]
Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Moves:
    """Moves of one rank, by round: `order` in the caller's records, `place` in the window.

    `order` None stands for 0, 1, 2, ... In round r the entries for shared memory are bucket 0, those for owner o
    bucket o + 1. `incoming` are the places in our own window that others fill or take, by round and rank.
    """

    order: Positions | None
    place: Positions
    starts: Int64  # (rounds, ranks + 2): bucket b of round r is [starts[r, b], starts[r, b + 1])
    incoming: Positions
    incoming_starts: Int64  # (rounds, ranks + 1)
    messages: list[int]  # exchanges needed in each round, the same on all ranks

    @property
    def columns(self) -> list[Positions]:
        """What takes room."""
        return [self.place, self.incoming, *([] if self.order is None else [self.order])]


@dataclass(frozen=True)
class Schedule:
    """How one pattern of indices is written and read; made by `Dataset.schedule`, and good for any records."""

    partition: Partition
    units: Positions  # what was asked for, as numbers of records
    shape: tuple[int, ...]  # of the caller's array
    entries: int
    most: int  # entries of the rank that has most
    combine: str
    quota: int  # records that one message carries to one rank at most
    covered: Int64  # how many records of each of our own chunks are named by anyone
    coverage: npt.NDArray[np.uint8]  # of every chunk: untouched, partly, wholly
    holes: Int64 | None  # records of our domain that nobody names; None on all ranks when some rank has many
    writing: Moves
    read_alike: bool  # every claim of every rank counts: records are read as they are written
    segments: npt.NDArray[np.int32]
    _reading: list[Moves] = field(default_factory=list, init=False, repr=False, compare=False)
    _chunks: dict[tuple[int, int, int], Int64] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def reading(self, ranks: Ranks) -> Moves:
        """Collective the first time: the moves of a read. Whoever asks gets an answer, so nothing is resolved."""
        if self.read_alike:
            return self.writing
        if not self._reading:
            self._reading.append(self._reading_moves(ranks))
        return self._reading[0]

    def _reading_moves(self, ranks: Ranks) -> Moves:
        if (self.segments >= 0).all():
            return moves_of(None, self.partition, self.units, None, self.segments, None, 1)
        told = tell_owners(ranks, self.partition, self.units, self.segments)[1]
        return moves_of(ranks, self.partition, self.units, None, self.segments, told, self.quota)

    @property
    def records(self) -> int:
        """Elements of the caller's array."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Memory held by this rank: at most three positions per record once written, two more when read by messages."""
        made = [self.writing, *self._reading]
        columns = [self.units, *(column for moves in made for column in moves.columns)]
        if self.holes is not None:
            columns.append(self.holes)
        return sum({id(column): column.nbytes for column in columns}.values())

    def chunks_in(self, round_: int, window_chunks: int, chunks_per_domain: int) -> Int64:
        """The touched chunks that are handled in a round, of all domains; found once."""
        asked = (round_, window_chunks, chunks_per_domain)
        if asked not in self._chunks:
            touched = np.flatnonzero(self.coverage != UNTOUCHED)
            within = touched % chunks_per_domain
            self._chunks[asked] = touched[within // window_chunks == round_]
        return self._chunks[asked]

    def __repr__(self) -> str:
        return (
            f"Schedule({self.entries} records of {self.partition.record_bytes} B, {self.partition.rounds} rounds, "
            f"{self.nbytes} B)"
        )


def common_unit(
    ranks: Ranks, selection: Selection, chunk_elements: int, row_elements: int
) -> tuple[int, int]:
    """The unit, in elements, that all ranks count in, and the most units that any of them names."""
    mine = [selection.unit(chunk_elements), selection.starts.size * selection.run]
    table = ranks.gather_rows(np.array(mine, np.int64))
    common = math.gcd(*(int(value) for value in table[:, 0]))
    unit = common or math.gcd(row_elements, chunk_elements) or 1
    return unit, int(table[:, 1].max()) // unit


def build_schedule(
    ranks: Ranks,
    node: Node,
    partition: Partition,
    units: Positions,
    *,
    shape: tuple[int, ...],
    combine: str,
    quota: int,
    most: int,
    scratch: Bytes,
) -> Schedule:
    """Collective: the moves of our `units`, and which chunks all ranks together cover.

    One message carries at most `quota` records to one rank; `scratch` is memory of the node, free to use. No rank
    has more than `most` units.
    """
    resolved = _resolve(ranks, node, partition, units, combine=combine, most=most, scratch=scratch)
    ranks.barrier()  # high ranks keep most claims: the others wait here, and leave them their CPU
    alike = (resolved.kept is None or len(resolved.kept) == len(units)) and combine == "last"
    coverage, all_alike, few_holes = share_coverage(
        ranks, partition, resolved.covered, (alike, resolved.holes is not None)
    )
    holes = resolved.holes if few_holes else None
    segments = node.segments if combine == "last" else np.full(partition.ranks, -1, np.int32)
    told = None if resolved.claims is None else _remote(resolved.claims, segments)
    writing = moves_of(ranks, partition, units, resolved.kept, segments, told, quota, resolved.buckets)
    return Schedule(
        partition,
        units,
        shape,
        len(units),
        most,
        combine,
        quota,
        resolved.covered,
        coverage,
        holes,
        writing,
        all_alike,
        node.segments,
    )


def _resolve(
    ranks: Ranks,
    node: Node,
    partition: Partition,
    indices: Positions,
    *,
    combine: str,
    most: int,
    scratch: Bytes,
) -> Resolved:
    """The way to resolve claims that costs least; the same on all ranks."""
    if combine == "last" and node.is_everyone and most * SPARSE >= partition.records:
        resolved = resolve_on_node(node, partition, indices, rank=ranks.rank, scratch=scratch)
        if resolved is not None:
            return resolved
    bits = 8 * indices.itemsize  # of a claim that is told by its number
    if combine == "last" and not node.is_everyone and most * bits >= partition.records:
        return resolve_by_rows(ranks, partition, indices, node.segments)
    return resolve_at_owners(ranks, partition, indices, all_count=combine == "sum")


def moves_of(
    ranks: Ranks | None,
    partition: Partition,
    indices: Positions,
    kept: Positions | None,
    segments: npt.NDArray[np.int32],
    told: Claims | None,
    quota: int,
    buckets: tuple[Positions, Positions, Int64] | None = None,
) -> Moves:
    if buckets is None and partition.is_in_place(segments):
        place = indices if kept is None or len(kept) == len(indices) else indices[kept]
        starts = np.full((1, partition.ranks + 2), len(place), np.int64)
        starts[0, 0] = 0
        order = None if len(place) == len(indices) else kept
    else:
        order, place, flat = buckets or _core.bucket_records(
            indices, kept, partition.records, partition.domain, partition.window, segments
        )
        starts = np.lib.stride_tricks.sliding_window_view(flat, partition.ranks + 2)[:: partition.ranks + 1]
    incoming, incoming_starts = _by_round(partition, told, indices.dtype)
    longest = np.diff(starts[:, 1:], axis=1).max(axis=1, initial=0)
    needed = [int(-(-count // quota)) for count in longest]
    return Moves(
        order,
        place,
        starts,
        incoming,
        incoming_starts,
        ranks.largest(needed) if ranks is not None and told else [0] * partition.rounds,
    )


def _remote(claims: Claims, segments: npt.NDArray[np.int32]) -> Claims:
    """Only the claims of ranks that share no memory with us."""
    far = segments < 0
    counts = np.where(far, claims.counts, 0)
    return Claims(claims.places[np.repeat(far, claims.counts)], counts, claims.ascending)


def _by_round(partition: Partition, told: Claims | None, kind: Any) -> tuple[Positions, Int64]:
    """What others fill or take of our window, in the order in which they send: by round, then by rank."""
    if told is None:
        return np.zeros(0, kind), np.zeros((partition.rounds, partition.ranks + 1), np.int64)
    if partition.rounds == 1:
        return told.places, np.concatenate([[0], np.cumsum(told.counts)]).astype(np.int64)[None, :]
    if told.ascending:
        return _ascending_by_round(partition, told)
    rounds = told.places // partition.window
    bucket = rounds.astype(np.int64) * partition.ranks + told.sources()
    order = np.argsort(bucket, kind="stable")
    counts = np.bincount(bucket, minlength=partition.rounds * partition.ranks)
    flat = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    starts = np.lib.stride_tricks.sliding_window_view(flat, partition.ranks + 1)[:: partition.ranks]
    return np.ascontiguousarray((told.places % partition.window)[order]), starts


def _ascending_by_round(partition: Partition, told: Claims) -> tuple[Positions, Int64]:
    """The same for claims that ascend: those of a rank for one round lie side by side."""
    edges = np.arange(partition.rounds + 1) * partition.window
    each = np.split(told.places, np.cumsum(told.counts)[:-1])
    found = np.array([np.searchsorted(places, edges) for places in each])  # by rank, then by round
    parts = [
        places[found[rank, turn] : found[rank, turn + 1]] - places.dtype.type(edges[turn])
        for turn in range(partition.rounds)
        for rank, places in enumerate(each)
    ]
    flat = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
    starts = np.lib.stride_tricks.sliding_window_view(flat, partition.ranks + 1)[:: partition.ranks]
    return np.concatenate(parts), starts


def share_coverage(
    ranks: Ranks, partition: Partition, covered: Int64, claims: tuple[bool, bool]
) -> tuple[npt.NDArray[np.uint8], bool, bool]:
    """How every chunk is covered, from what each owner knows of its own; and which `claims` hold on all ranks."""
    first, end = partition.domain_of(ranks.rank)
    edges = np.append(np.arange(first, end, partition.chunk), end)
    row = np.zeros(partition.domain // partition.chunk + 2, np.uint8)
    row[: len(covered)] = np.where(
        covered == np.diff(edges), WHOLLY, np.where(covered > 0, PARTLY, UNTOUCHED)
    )
    row[-2:] = claims
    table = ranks.gather_rows(row)
    coverage = table[:, :-2].reshape(-1)[: partition.chunks]
    last = partition.records // partition.chunk
    if partition.rest and last < len(coverage):
        coverage[last] = min(coverage[last], PARTLY)
    return coverage, bool(table[:, -2].all()), bool(table[:, -1].all())
