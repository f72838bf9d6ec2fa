"""A workload saved and loaded is the same workload, and no file makes the reader fall over."""

import contextlib
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retold import retold
from striate.errors import StriateError
from striate.workload import Spmd, Workload
from striate.workload.operations import alltoallv, bcast, compute, recv, send, wait, write, write_all

moves = st.integers(-1000, 1000)


def example_workload(ranks=3, step=7, table=(5, 1, 9)):
    """Every part that a file can hold: loops, tables, requests, colours, runs, counts, regions, files a rank."""
    body = Spmd(ranks, name="spmd", communicators={"pairs": [rank // 2 for rank in range(ranks)]})
    own = body.files("own-{}", per_rank=True)
    sizes = np.resize(np.array(table), ranks)
    with body.region("solve"), body.repeat(4) as outer, body.repeat(3) as inner:
        body.compute("1 ms", instructions=sizes)
        request = body.write(own, offset=outer * step + inner + 10_000, size=sizes, blocking=False)
        body.wait(request)
        body.allreduce(8, comm="pairs")
    with body.only(body.rank > 0):
        body.write("shared", extents=([0, 100], [10, 20]))

    def program(rank, ranks):
        yield from (compute("1 us"), bcast(8, root=ranks - 1), alltoallv([rank] * ranks))
        yield send((rank + 1) % ranks, 8, tag=step % 11)
        yield recv()
        later = write_all("f", offset=rank * abs(step), size=table[rank % len(table)], blocking=False)
        yield from (later, wait(later))

    return Workload.together(body.workload(), Workload.from_program(program, ranks))


def words(workload):
    return [
        (
            application.name,
            application.files,
            application.start_picoseconds,
            [retold(application, rank) for rank in range(application.ranks)],
        )
        for application in workload.applications
    ]


@given(st.integers(1, 6), moves, st.lists(st.integers(0, 2**40), min_size=1, max_size=6))
def test_a_loaded_workload_says_what_was_saved(tmp_path_factory, ranks, step, table):
    path = tmp_path_factory.mktemp("saved") / "w.parquet"
    workload = example_workload(ranks, step, table)
    workload.save(path)

    again = Workload.load(path)

    assert words(again) == words(workload)
    assert again.nbytes <= workload.nbytes
    again.check()


def test_saving_replaces_a_file_whole_and_leaves_nothing_beside_it(tmp_path):
    path = tmp_path / "w.parquet"
    path.write_bytes(b"old")
    example_workload().save(path)

    assert [file.name for file in tmp_path.iterdir()] == ["w.parquet"]
    Workload.load(path).check()


def test_a_save_that_fails_leaves_the_old_file(tmp_path):
    with pytest.raises(OSError, match="No such file"):
        example_workload().save(tmp_path / "nowhere" / "w.parquet")

    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "w.parquet"
    example_workload().save(path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def scratch(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("damaged") / "w.parquet"


def load_and_check(path: Path) -> None:
    """Load and check; a refusal of ours is as good as a workload."""
    with warnings.catch_warnings(), contextlib.suppress(StriateError):
        warnings.simplefilter("error")
        Workload.load(path).check()


@given(st.data())
def test_flipped_bytes_are_refused_or_harmless(saved, scratch, data):
    damaged = bytearray(saved)
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(saved) - 1))] = data.draw(st.integers(0, 255))
    scratch.write_bytes(damaged)

    load_and_check(scratch)


@given(st.data())
def test_a_truncated_file_is_refused(saved, scratch, data):
    scratch.write_bytes(saved[: data.draw(st.integers(0, len(saved) - 1))])

    with pytest.raises(StriateError, match="not a workload: "):
        Workload.load(scratch)


@given(st.binary(max_size=200))
def test_garbage_is_refused(scratch, garbage):
    scratch.write_bytes(garbage)

    with pytest.raises(StriateError, match="not a workload: "):
        Workload.load(scratch)


def test_a_write_beyond_the_saved_table_is_the_same_after_loading(tmp_path):
    workload = Workload.from_program(lambda rank, ranks: [write("f", offset=rank**3, size=8)], 9)
    workload.save(tmp_path / "w.parquet")

    offsets = [
        retold(Workload.load(tmp_path / "w.parquet").applications[0], rank)[0][2]["offset"]
        for rank in range(9)
    ]
    assert offsets == [rank**3 for rank in range(9)]


def test_a_file_from_before_calls_could_name_an_algorithm_is_still_read(tmp_path):
    import pyarrow.parquet as pq

    path = tmp_path / "w.parquet"
    workload = example_workload()
    workload.save(path)
    table = pq.read_table(path)
    pq.write_table(table.drop_columns(["algorithm"]), path)

    assert words(Workload.load(path)) == words(workload)
