"""Names of sub-files on GlusterFS: the hash that places them, and names that go to a given brick."""

import socket
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate import runtime
from striate.runtime.move import session
from striate.runtime.store.gluster import Brick, attempt_at, bricks_of, homes, name_hash
from striate.runtime.store.metadata import SUBFILE_NAME, subfile_name

IDENTITY = "00112233445566ff"
HASHES = {
    "": 2286384290,
    "a": 974644454,
    "abcd": 3633719286,
    "metadata.json": 2340851436,
    "0123456789abcdef": 1858820826,
    "00112233445566ff-00000001-0.blocks": 2809348907,
    "00112233445566ff-00000001-12ab.blocks": 2673919747,
}


@pytest.mark.parametrize(("name", "value"), HASHES.items())
def test_names_hash_as_glusterfs_hashes_them(name: str, value: int):
    assert name_hash(name) == value  # of gf_dm_hashfn in libglusterfs 10.3


def quarters(hosts: Sequence[str]) -> list[Brick]:
    step = 2**32 // len(hosts)
    return [Brick(at * step, (at + 1) * step - 1, host) for at, host in enumerate(hosts)]


@given(st.integers(1, 32), st.integers(0, 99_999), st.data())
def test_a_name_is_found_for_every_brick(bricks: int, server: int, data: st.DataObject):
    brick = data.draw(st.sampled_from(quarters("x" * bricks)))

    attempt = attempt_at(brick, lambda at: subfile_name(IDENTITY, 7, server, at))
    name = subfile_name(IDENTITY, 7, server, attempt)

    assert brick.first <= name_hash(name) <= brick.last
    assert SUBFILE_NAME.fullmatch(name)


def test_attempts_give_different_names_that_a_dataset_may_have():
    names = [subfile_name(IDENTITY, 1, 3, attempt) for attempt in range(16_384)]

    assert names[0] == "00112233445566ff-00000001-3.blocks"
    assert names[27] == "00112233445566ff-00000001-3aa.blocks"
    assert len(set(names)) == len(names)
    assert all(SUBFILE_NAME.fullmatch(name) for name in names)


def test_servers_get_a_brick_of_their_own_host_and_others_the_least_used():
    bricks = quarters("abc")

    assert [one.host for one in homes(bricks, "abc")] == ["a", "b", "c"]
    assert [one.host for one in homes(bricks, "cca")] == ["c", "c", "a"]
    assert [one.host for one in homes(bricks, "xaxx")] == ["b", "a", "c", "a"]
    assert sorted(one.first for one in homes(quarters("aab"), "aa")) == [0, 2**32 // 3]


def test_every_generation_of_a_dataset_goes_to_the_brick_of_its_host(tmp_path: Path, monkeypatch):
    bricks = quarters(["a", "b", "c", socket.gethostname().partition(".")[0]])
    monkeypatch.setattr(session, "bricks_of", lambda _folder: bricks)
    with runtime.create(None, tmp_path / "d", (100,), np.float64) as dataset:
        for turn in range(3):
            dataset.write_all(np.arange(100), np.arange(100.0) + turn)
            (found,) = (tmp_path / "d").glob("*.blocks")
            assert bricks[-1].first <= name_hash(found.name) <= bricks[-1].last

            assert (dataset.read_all(np.arange(100)) == np.arange(100.0) + turn).all()


def test_other_file_systems_have_no_bricks(tmp_path: Path):
    assert bricks_of(tmp_path) == []
