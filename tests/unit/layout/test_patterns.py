"""Spatial patterns: what is made is recognised, and what decides is told."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.errors import LayoutError
from striate.layout import Extents
from striate.layout.patterns import (
    AccessPhase,
    Pattern,
    file_per_process,
    irregular,
    partitioned,
    recognise,
    scattered,
    strided,
)

ranks = st.integers(2, 6)


@given(ranks, st.integers(1, 100), st.integers(2, 8), st.integers(0, 2**32), st.randoms())
def test_what_is_made_is_recognised_in_any_mix_of_the_ranks(count, size, rounds, seed, random):
    for phase, pattern in [
        (file_per_process(count, size), Pattern.FILE_PER_PROCESS),
        (partitioned([size + rank for rank in range(count)]), Pattern.PARTITIONED),
        (partitioned([size] * count, start=10), Pattern.PARTIAL),
        (strided(count, size, rounds), Pattern.STRIDED),
        (strided(count, size, rounds, gap=7), Pattern.STRIDED),
    ]:
        assert recognise(shuffled(phase, random)).pattern is pattern
    assert recognise(irregular(count, 1000, 8, seed)).pattern is Pattern.IRREGULAR


def shuffled(phase, random):
    """The same accesses with the ranks interleaved in another way; each rank keeps its order."""
    order = list(range(len(phase.rank)))
    random.shuffle(order)
    mixed = phase.rank[order]
    rows = np.empty(len(order), np.int64)
    for rank in np.unique(phase.rank):
        rows[mixed == rank] = np.flatnonzero(phase.rank == rank)
    extents = Extents(phase.extents.offsets[rows], phase.extents.sizes[rows])
    return AccessPhase(phase.rank[rows], phase.file[rows], extents)


def test_scattered_blocks_go_back_in_the_file():
    found = recognise(scattered(4, 10, 20, seed=3))

    assert found.pattern is Pattern.RANDOM
    assert "goes back" in found.reason


def test_shared_bytes_are_named_by_their_ranks():
    phase = AccessPhase([0, 1, 2], [0, 0, 0], Extents.of([(0, 100), (200, 10), (50, 10)]))

    assert recognise(phase).pattern is Pattern.OVERLAPPING
    assert recognise(phase).reason == "ranks 0 and 2 access the same bytes"


def test_an_earlier_longer_run_still_overlaps():
    phase = AccessPhase([0, 0, 1], [0, 0, 0], Extents.of([(0, 100), (100, 1), (20, 5)]))

    assert recognise(phase).pattern is Pattern.OVERLAPPING


def test_neighbouring_accesses_of_a_rank_are_one_area():
    phase = AccessPhase([0, 0, 1], [0, 0, 0], Extents.of([(0, 10), (10, 10), (20, 5)]))

    assert recognise(phase).pattern is Pattern.PARTITIONED
    assert recognise(phase, file_size=100).pattern is Pattern.PARTIAL


def test_a_phase_without_bytes_or_with_many_shared_files_is_refused():
    with pytest.raises(LayoutError, match="at least one access of at least one byte"):
        recognise(AccessPhase([0], [0], Extents([5], [0])))
    with pytest.raises(LayoutError, match="accesses to one shared file, got 2 files"):
        recognise(AccessPhase([0, 1, 0, 1], [0, 0, 1, 1], Extents.of([(0, 1), (1, 1), (0, 1), (1, 1)])))
    with pytest.raises(LayoutError, match="one rank, one file and one byte run per access"):
        AccessPhase([0], [0, 1], Extents([0], [1]))
