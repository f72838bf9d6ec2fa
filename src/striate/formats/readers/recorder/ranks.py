"""One rank of a Recorder trace after the other: its calls in order, and their times in ticks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.errors import TraceError
from striate.formats.readers.recorder.grammar import Int32s, Signature, expanded, read_calls, read_rules
from striate.formats.readers.recorder.metadata import RecorderMetadata
from striate.formats.readers.recorder.store import (
    CALLS,
    RULES,
    SHARED_CALLS,
    SHARED_RULES,
    TIMES,
    WHICH_RULES,
    RecorderStore,
    unpacked,
)

Ticks = NDArray[np.uint32]  # two a call: its start and its end, since the start of the call before


@dataclass(frozen=True, slots=True, eq=False)
class RankLog:
    """What one rank left; `damage` says what is missing, and is empty when nothing is."""

    rank: int
    calls: Int32s  # numbers of signatures
    ticks: Ticks
    signatures: dict[int, Signature]
    damage: str


def rank_logs(store: RecorderStore, metadata: RecorderMetadata) -> Iterator[RankLog]:
    """Every rank in turn; a rank whose parts are missing has no calls."""
    shared = _Shared(store, metadata) if metadata.shared else None
    times = _Times(store, metadata)
    empty = np.empty(0, np.int32), np.empty((0, 2), np.uint32)
    there = times.ranks()
    if len(there) < metadata.ranks:
        lost = f"{metadata.ranks - len(there):,} of {metadata.ranks:,} ranks have no timestamps"
        yield RankLog(0, *empty, {}, lost)
    for rank in there:
        try:
            ticks, whole = times.of(rank)
            if shared is not None:
                signatures, rules, sound = shared.of(rank)
            else:
                signatures, rules, sound = _own(store, metadata, rank)
            calls, all_timed = expanded(rules, len(ticks))
        except TraceError as error:
            yield RankLog(rank, *empty, {}, f"rank {rank}: {error.message}")
            continue
        sound &= whole and all_timed and len(calls) == len(ticks)
        yield RankLog(
            rank,
            calls,
            ticks[: len(calls)],
            signatures,
            "" if sound else f"the log of rank {rank} is incomplete",
        )


def _own(
    store: RecorderStore, metadata: RecorderMetadata, rank: int
) -> tuple[dict[int, Signature], dict[int, Int32s], bool]:
    parts, whole = [], True
    for part in (CALLS, RULES):
        content, sound = _plain(store.part(part, rank), metadata)
        parts.append(content)
        whole &= sound
    signatures, sound = read_calls(parts[0], counted=not metadata.version.startswith("2.3"))
    rules, sound_rules = read_rules(parts[1])
    return signatures, rules, whole and sound and sound_rules


def _plain(content: bytes, metadata: RecorderMetadata) -> tuple[bytes, bool]:
    if not metadata.packed:
        return content, True
    pieces, whole = unpacked(content)
    return b"".join(pieces[:1]), whole


class _Shared:
    """Calls that all ranks share, and grammars that several do."""

    def __init__(self, store: RecorderStore, metadata: RecorderMetadata) -> None:
        early = not metadata.packed
        calls, whole = _plain(store.part(CALLS, 0) if early else store.part(SHARED_CALLS), metadata)
        self._signatures, sound = read_calls(calls, counted=True)
        numbers = store.part(WHICH_RULES)[: 4 * (metadata.ranks + 1)]
        which = np.frombuffer(numbers, "<i4", len(numbers) // 4)
        self._which = which[: metadata.ranks]
        count = int(which[-1]) if len(which) == metadata.ranks + 1 else 0
        self._sound = whole and sound and 0 < count <= metadata.ranks
        count = min(max(count, 0), metadata.ranks)
        if early:
            pieces = [store.part(RULES, number) for number in range(count)]
        else:
            pieces, whole = unpacked(store.part(SHARED_RULES))
            self._sound &= whole and len(pieces) == count
        self._rules = [read_rules(piece) for piece in pieces]

    def of(self, rank: int) -> tuple[dict[int, Signature], dict[int, Int32s], bool]:
        number = int(self._which[rank]) if rank < len(self._which) else -1
        if not 0 <= number < len(self._rules):
            raise TraceError(
                f"expected a grammar (compressed sequence of calls) from 0 to {len(self._rules) - 1} for rank {rank}, "
                f"got {number}"
            )
        rules, sound = self._rules[number]
        return self._signatures, rules, self._sound and sound


class _Times:
    """Ticks of a rank: in a file of its own, or behind those of lower ranks in one for all."""

    def __init__(self, store: RecorderStore, metadata: RecorderMetadata) -> None:
        self._store, self._metadata = store, metadata
        self._content = store.part(TIMES) if metadata.packed else b""
        head = 8 * metadata.ranks
        sizes = np.frombuffer(self._content[:head], "<u8", len(self._content[:head]) // 8)
        self._ends = head + np.cumsum(np.minimum(sizes, len(self._content)), dtype=np.uint64).astype(np.int64)

    def ranks(self) -> list[int]:
        """Those that have times; a damaged head may promise many that have none."""
        if self._metadata.packed:
            return list(range(len(self._ends)))
        names = {path.stem for path in self._store.folder.glob("*.ts")}
        return sorted(
            int(name) for name in names if name.isdecimal() and int(name[:9]) < self._metadata.ranks
        )

    def of(self, rank: int) -> tuple[Ticks, bool]:
        whole = True
        if not self._metadata.packed:
            content = self._store.file(f"{rank}.ts")
        else:
            end = int(self._ends[rank])
            begin = int(self._ends[rank - 1]) if rank else 8 * self._metadata.ranks
            whole = end <= len(self._content)
            content = self._content[begin:end]
            if self._metadata.packed_times:
                pieces, sound = unpacked(content)
                content, whole = b"".join(pieces), whole and sound
        pairs = len(content) // 8
        return np.frombuffer(content, "<u4", 2 * pairs).reshape(pairs, 2), whole and len(content) == 8 * pairs
