"""Several handles on one dataset: nothing that was written is lost, and what was opened stays readable."""

import os
import threading
from pathlib import Path

import numpy as np
import pytest

import striate.runtime as runtime
from striate.errors import DatasetError, StorageError
from striate.layout import SimpleStripe


@pytest.fixture
def path(tmp_path):
    with runtime.create(None, tmp_path / "d", (1000,), "f8", chunk="1 KiB") as made:
        made.write_all(..., np.zeros(1000))
    return tmp_path / "d"


def test_writes_of_two_handles_one_after_the_other_are_both_there(path):
    with runtime.open(None, path) as first, runtime.open(None, path) as second:
        first.write_all([1], [1.0])
        second.write_all([999], [2.0])
        first.write_all([500], [3.0])

        assert first.read_all([1, 999, 500]).tolist() == [1, 2, 3]
    assert runtime.open_serial(path)[[1, 999, 500]].tolist() == [1, 2, 3]
    assert not runtime.verify(path).findings


def test_a_handle_reads_its_own_generation_until_it_is_refreshed(path):
    with runtime.open(None, path) as reader, runtime.open(None, path) as writer:
        for number in range(1, 4):
            writer.write_all(..., np.full(1000, float(number)))

            assert reader.read_all([0, 999]).tolist() == [number - 1] * 2
            assert reader.refresh()
            assert not reader.refresh()
            assert reader.read_all([0, 999]).tolist() == [number] * 2


def test_a_handle_opened_before_a_rewrite_still_reads_all_of_what_it_opened(path):
    with runtime.open_serial(path) as before:
        for number in range(3):
            with runtime.create(None, path, (7,), "i4") as other:
                other.write_all(..., np.full(7, number, "i4"))

        assert np.array_equal(before[...], np.zeros(1000))


def test_a_dataset_that_took_the_place_of_ours_is_not_written(path):
    with runtime.open(None, path) as old:
        with runtime.create(None, path, (1000,), "f8") as new:
            new.write_all(..., np.ones(1000))

        with pytest.raises(DatasetError, match="replaced by a new one"):
            old.write_all([1], [5.0])
        with pytest.raises(DatasetError, match="replaced by a new one"):
            old.refresh()
    assert runtime.open_serial(path)[1] == 1


def test_a_handle_created_before_another_write_does_not_undo_it(path):
    created = runtime.create(None, path, (3,), "i4")
    with runtime.open(None, path) as other:
        other.write_all([1], [5.0])

    with pytest.raises(DatasetError, match="since this one was created; nothing was replaced"):
        created.write_all([1], np.array([1], "i4"))
    with pytest.raises(DatasetError, match="another writer changed the dataset"):
        created.close()
    assert runtime.open_serial(path)[1] == 5


def test_a_write_waits_for_the_one_under_way_of_another_handle(path):
    with runtime.open(None, path) as first, runtime.open(None, path) as second:
        pending = first.iwrite_all([1], [1.0])
        with pytest.raises(DatasetError, match="another handle of this program has a write in flight"):
            second.write_all([2], [2.0])
        pending.wait()
        second.write_all([2], [2.0])

        assert second.read_all([1, 2]).tolist() == [1, 2]


def test_a_write_that_failed_leaves_the_way_free(path):
    with runtime.open(None, path) as first, runtime.open(None, path) as second:
        with pytest.raises(DatasetError, match="shape"):
            first.write_all([1], [1.0, 2.0])
        second.write_all([2], [2.0])

        assert second.read_all([2]).tolist() == [2]


def test_a_reader_beside_a_writer_never_misses_a_file(path):
    def rewrite():
        with runtime.open(None, path) as writer:
            for number in range(150):
                writer.write_all(..., np.full(1000, float(number)))

    thread = threading.Thread(target=rewrite)
    thread.start()
    reads = 0
    while thread.is_alive():
        with runtime.open_serial(path) as dataset:
            found = np.unique(dataset[...])
        assert len(found) == 1
        reads += 1
    thread.join()
    assert reads > 10


def test_leftovers_of_a_killed_write_do_not_hinder_the_next(path):
    with runtime.open(None, path) as dataset:
        name = f"{dataset._state.identity}-{dataset.generation + 1:08d}-0.blocks"
    (path / name).write_bytes(b"half a chunk")
    (path / f".trial-{name[:16]}-0").write_bytes(b"sample")

    with runtime.open(None, path) as dataset:
        dataset.write_all([4], [4.0])

    assert runtime.open_serial(path)[4] == 4
    assert not list(path.glob(".trial-*"))
    assert not runtime.verify(path).notes


def test_a_trial_that_was_left_behind_does_not_make_the_directory_foreign(path):
    (path / f".trial-{'a' * 16}-0").write_bytes(b"sample")

    with runtime.create(None, path, (3,), "i4") as dataset:
        dataset.write_all(..., np.arange(3, dtype="i4"))

    assert not list(path.glob(".trial-*"))


def test_a_trial_leaves_no_name_while_it_is_written(tmp_path, monkeypatch):
    import os

    seen, write = [], os.write

    def looking(descriptor, data):
        seen.append([entry.name for entry in (tmp_path / "d").iterdir() if "trial" in entry.name])
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", looking)
    with runtime.create(None, tmp_path / "d", (3000,), "f8", codec="auto") as dataset:
        dataset.write_all(..., np.zeros(3000))

    assert seen == [[]]


def test_sums_by_a_schedule_are_sums_and_another_combine_is_refused(tmp_path):
    with runtime.create(None, tmp_path / "d", (4,), "f8") as dataset:
        summing, last = dataset.schedule([2, 2, 1], combine="sum"), dataset.schedule([2, 2, 1])
        dataset.write_all(summing, np.ones(3))
        assert dataset.read_all(...).tolist() == [0, 1, 2, 0]

        dataset.write_all(summing, np.ones(3), combine="sum")
        with pytest.raises(DatasetError, match='expected combine "last", with which the schedule'):
            dataset.write_all(last, np.ones(3), combine="sum")
        with pytest.raises(DatasetError, match='expected combine "sum", with which the schedule'):
            dataset.write_all(summing, np.ones(3), combine="last")
        assert dataset.read_all(...).tolist() == [0, 1, 2, 0]


def test_a_report_counts_elements_whatever_names_them(tmp_path):
    with runtime.create(None, tmp_path / "d", (100, 2), "f8") as dataset:
        assert dataset.write_all(slice(10, 20), np.zeros((10, 2))).records == 20
        assert dataset.write_all(np.arange(10, 20), np.zeros((10, 2))).records == 20
        dataset.read_all((slice(None), 1))
        assert dataset.report.records == 100


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8])
def test_numpy_numbers_are_numbers(tmp_path, kind):
    settings = {"servers": kind(1), "group_factor": kind(1), "share_memory": kind(1)}
    with runtime.create(None, tmp_path / "d", kind(9), "f8", chunk=kind(64), **settings) as dataset:
        dataset.write_all(..., np.arange(9.0))

    assert runtime.open_serial(tmp_path / "d")[kind(4)] == 4


def test_a_schedule_serves_a_dataset_of_another_codec(tmp_path):
    """The first has room for larger messages than the second."""
    where = np.arange(5000) % 1000
    settings = {"chunk": "1 KiB", "buffer": "16 KiB"}
    with runtime.create(None, tmp_path / "a", (1000,), "f8", codec="zstd", **settings) as first:
        schedule = first.schedule(where, combine="sum")
    with runtime.create(None, tmp_path / "b", (1000,), "f8", **settings) as second:
        if second._state.partition(1) == schedule.partition:
            second.write_all(schedule, np.ones(5000))
            assert np.array_equal(second.read_all(...), np.full(1000, 5.0))


def test_the_layout_is_the_same_after_another_handles_write(tmp_path):
    with runtime.create(
        None, tmp_path / "d", (3000,), "f8", layout=SimpleStripe(1, 4096), chunk="2 KiB"
    ) as first:
        first.write_all(..., np.arange(3000.0))
        with runtime.open(None, tmp_path / "d") as second:
            second.write_all([2999], [-1.0])
        first.write_all([0], [-2.0])

    assert runtime.open_serial(tmp_path / "d")[[0, 1, 2999]].tolist() == [-2, 1, -1]


@pytest.mark.parametrize("sync", [True, False])
def test_a_durable_write_flushes_its_bytes_metadata_and_references(tmp_path, monkeypatch, sync):
    done, replace = [], os.replace
    monkeypatch.setattr(
        os, "fsync", lambda number: done.append(Path(f"/proc/self/fd/{number}").readlink().name)
    )
    monkeypatch.setattr(
        os, "replace", lambda part, path: (done.append(f"to {Path(path).name}"), replace(part, path))
    )
    with runtime.create(None, tmp_path / "d", (100,), "f8", sync=sync, hdf5=True) as dataset:
        dataset.write_all(..., np.ones(100))
        subfile = next((tmp_path / "d").glob("*.blocks")).name
    references = ["reference.json", "reference-zarr3.json", "reference.h5"]
    flushed = [subfile, "d", *(f".{name}.part" for name in ("metadata.json", *references))] if sync else []

    commit = done.index("to metadata.json")
    assert sorted(done[:commit]) == sorted(flushed)  # side by side, in any order
    assert sorted(done[commit + 1 :][: len(references)]) == sorted(f"to {name}" for name in references)
    assert done[commit + 1 + len(references) :] == ["d"] * sync


def test_a_write_in_the_background_takes_a_copy_and_fails_where_it_ends(tmp_path, monkeypatch):
    with runtime.create(None, tmp_path / "d", (100,), "f8") as dataset:
        records = np.arange(100.0)
        pending = dataset.iwrite_all(..., records)
        records[:] = 0
        assert np.array_equal(dataset.iread_all(...).wait(), np.arange(100.0))  # which ends the write
        assert pending.wait().stored_bytes > 0
        with monkeypatch.context() as patched:
            patched.setattr(os, "pwritev", lambda *_: (_ for _ in ()).throw(OSError(28, "no space left")))
            pending = dataset.iwrite_all(..., records)
            with pytest.raises(StorageError, match="no space left on device"):
                pending.wait()
        assert np.array_equal(dataset.read_all(...), np.arange(100.0))
        dataset.write_all([0], [5.0])
    assert len(list((tmp_path / "d").glob("*.blocks"))) == 1
