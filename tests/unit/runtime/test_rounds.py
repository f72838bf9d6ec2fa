"""Rounds of a write: how many there are, what others send in each, and when their bytes are flushed."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate import runtime
from striate.runtime.move.schedules.resolve import Claims
from striate.runtime.move.schedules.schedule import _by_round
from striate.runtime.move.writing import Writing
from striate.runtime.plan.budget import PIPELINED_ROUNDS, SMALLEST_ROUND, Budget
from striate.runtime.plan.partition import Partition
from striate.runtime.store.files import SubfileWriter

MIB = 2**20


def pipelined(chunks: int, chunk_bytes: int = MIB) -> int:
    return Budget(64 * MIB, chunk_bytes, 4, pipelined=True).window_chunks(chunks)


def test_a_domain_that_fits_is_one_round_unless_it_is_pipelined():
    assert Budget(64 * MIB, MIB, 4).window_chunks(5) == 5
    assert pipelined(5) == 1


@given(chunks=st.integers(1, 32), chunk_bytes=st.integers(1, MIB))
def test_pipelined_rounds_are_few_and_none_is_small(chunks, chunk_bytes):
    window = pipelined(chunks, chunk_bytes)

    assert 1 <= window <= chunks
    assert -(-chunks // window) <= PIPELINED_ROUNDS
    assert window == chunks or window * chunk_bytes >= SMALLEST_ROUND


@given(
    each=st.lists(st.sets(st.integers(0, 39)), min_size=3, max_size=3),
    window=st.integers(1, 40),
    kind=st.sampled_from([np.int32, np.int64]),
)
def test_ascending_claims_come_by_round_as_others_do(each, window, kind):
    partition = Partition(records=120, record_bytes=8, chunk=1, domain=40, window=window, ranks=3)
    places = np.array([place for places in each for place in sorted(places)], kind)
    counts = np.array([len(places) for places in each])

    quick, starts = _by_round(partition, Claims(places, counts, ascending=True), kind)
    plain, plain_starts = _by_round(partition, Claims(places, counts), kind)

    assert quick.dtype == plain.dtype
    assert quick.tolist() == plain.tolist()
    assert starts.tolist() == plain_starts.tolist()


def test_a_sub_file_is_flushed_once_for_what_was_written(tmp_path, monkeypatch):
    flushed = []
    monkeypatch.setattr(os, "fsync", flushed.append)
    file = SubfileWriter(tmp_path / "a")
    file.write(0, [memoryview(b"one")])
    file.flush()
    file.flush()
    file.write(3, [memoryview(b"two")])
    descriptor = file.descriptor

    file.close(sync=True)

    assert flushed[:2] == [descriptor, descriptor]
    assert len(flushed) == 3  # and the directory


@pytest.mark.parametrize("hdf5", [False, True])
def test_a_reference_of_the_dataset_before_goes_with_it(tmp_path, hdf5):
    pytest.importorskip("h5py")
    for asked in (hdf5, False):
        with runtime.create(None, tmp_path / "d", 10, np.float64, hdf5=asked, sync=True) as dataset:
            dataset.write_all(np.arange(10), np.arange(10.0))

    assert not (tmp_path / "d" / "reference.h5").exists()


def clear_chunk_by_chunk(writing, own, holes):
    """The windows of our own chunks after `_clear_holes`, record by record; those of stored chunks as they are."""
    partition, cleared = writing.schedule.partition, {}
    for chunk in own.tolist():
        window = cleared[chunk] = writing.windows.chunk(chunk).copy()
        first = chunk % writing.state.domains.chunks_per_domain * partition.chunk
        for hole in holes.tolist() if writing.state.table.file[chunk] < 0 else ():
            if first <= hole < first + partition.chunk:
                window.reshape(partition.chunk, -1)[hole - first] = 0
    return cleared


@pytest.mark.parametrize("seed", range(12))
def test_what_nobody_names_is_zero_or_as_it_was_whatever_the_windows_held(tmp_path, monkeypatch, seed):
    seen, clear = [], Writing._clear_holes

    def checked(writing, turn, own, holes):
        wanted = clear_chunk_by_chunk(writing, own, holes)
        clear(writing, turn, own, holes)
        seen.extend(wanted)
        assert all(np.array_equal(writing.windows.chunk(chunk), window) for chunk, window in wanted.items())

    monkeypatch.setattr(Writing, "_clear_holes", checked)
    random = np.random.default_rng(seed)
    rows, kind = int(random.integers(1, 3000)), np.dtype(["i4", "u1", "f8"][seed % 3])
    settings = {"chunk": int(random.choice([64, 700, 4000])), "buffer": "16 KiB" if seed % 2 else "1 MiB"}
    with runtime.create(None, tmp_path / "before", (rows,), kind, **settings) as dataset:
        dataset.write_all(slice(None), np.full(rows, 7, kind))  # leaves its windows behind
    wanted = np.zeros(rows, kind)

    with runtime.create(None, tmp_path / "holes", (rows,), kind, **settings) as dataset:
        for turn in range(3):
            most = (
                rows // 2 if turn == 0 else rows
            )  # the second half of the chunks is new to the second write
            named = random.permutation(most)[: int(most * random.choice([0.3, 0.9, 0.999]))]
            wanted[named] = turn + 1
            dataset.write_all(named, wanted[named])

            assert np.array_equal(dataset.read_all(slice(None)), wanted)
    assert seen
