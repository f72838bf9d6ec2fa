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
