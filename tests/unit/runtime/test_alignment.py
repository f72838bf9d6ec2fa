"""Uncompressed chunks begin where the file system's blocks do, or where the caller asks."""

import os

import numpy as np
import pytest

import striate.runtime as runtime
from striate.errors import DatasetError
from striate.runtime import Variable
from striate.runtime.alignment import USUAL_ALIGNMENT, block_bytes
from striate.runtime.store.files import load


@pytest.mark.parametrize(
    ("asked", "step"), [("64 KiB", 65536), ("1 MiB", 2**20), (np.int64(8), 8), (None, None)]
)
def test_chunks_begin_at_multiples(tmp_path, asked, step):
    with runtime.create(None, tmp_path / "d", (3000,), "f8", chunk=9000, alignment=asked) as dataset:
        dataset.write_all(..., np.arange(3000.0))
    step = step or block_bytes(tmp_path)
    assert {offset % step for offset in load(tmp_path / "d").chunks.offset} == {0}
    with runtime.open(None, tmp_path / "d") as dataset:
        dataset.write_all(slice(0, 2000), np.zeros(2000))
        assert {offset % step for offset in load(tmp_path / "d").chunks.offset} == {0}
        assert dataset.read_all([1, 2999]).tolist() == [0, 2999]
    assert not runtime.verify(tmp_path / "d").findings
    dimensions, variables = {"row": 3000}, {"a": Variable("f4", ("row",))}
    with runtime.create_group(
        None, tmp_path / "g", dimensions=dimensions, variables=variables, chunk=9000, alignment=asked
    ) as group:
        group.write_all(slice(None), {"a": np.zeros(3000, "f4")})
        assert {offset % step for offset in group.metadata.chunks.offset} == {0}


def test_an_alignment_that_cannot_be_is_refused(tmp_path):
    for wrong in (0, "1 GiB", "wide"):
        with pytest.raises(DatasetError, match="alignment of the chunks from 1 byte to 1 MiB"):
            runtime.create(None, tmp_path / "d", (3,), "f8", alignment=wrong)


def test_an_odd_block_of_a_file_system_is_not_believed(tmp_path, monkeypatch):
    class Odd:
        f_bsize = 3000

    monkeypatch.setattr(os, "statvfs", lambda path: Odd)
    assert block_bytes(tmp_path) == USUAL_ALIGNMENT
