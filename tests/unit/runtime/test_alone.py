"""A dataset of one process: no MPI is needed, and everything works as with many."""

import subprocess
import sys

import numpy as np
import pytest

import striate.runtime as runtime
from striate.errors import DatasetError
from striate.layout import SimpleStripe, VarStrip


def test_the_runtime_is_imported_without_mpi():
    code = "import sys, striate.runtime; sys.exit('mpi4py' in sys.modules or 'numcodecs' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_rows_of_a_table_are_one_record_each(tmp_path):
    with runtime.create(None, tmp_path / "d", (100, 3), "f8") as dataset:
        dataset.write_all(np.array([7, 3, 7]), np.arange(9.0).reshape(3, 3))
        found = dataset.read_all([3, 7, 0])

    assert found.tolist() == [[3, 4, 5], [6, 7, 8], [0, 0, 0]]


def test_elements_behind_the_last_whole_unit_of_a_slab_are_kept(tmp_path):
    with runtime.create(None, tmp_path / "d", (2301,), "f8", chunk=512) as dataset:
        dataset.write_all(..., np.ones(2301))
    with runtime.open(None, tmp_path / "d") as dataset:  # counted in eights: 2301 = 287 * 8 + 5
        dataset.write_all(slice(0, 2296), np.full(2296, 2.0))
        assert dataset.read_all(slice(2295, 2301)).tolist() == [2, 1, 1, 1, 1, 1]


def test_records_that_nobody_writes_are_zero_whatever_the_memory_held(tmp_path):
    with runtime.create(None, tmp_path / "d", (1000,), "i8", chunk="1 KiB") as dataset:
        dataset.write_all(..., np.full(1000, 7))
        first = dataset._windows.memory
    where = np.delete(np.arange(1000), [3, 200, 999])
    second = runtime.create(None, tmp_path / "e", (1000,), "i8", chunk="1 KiB")
    second._windows.memory = first  # what the first dataset left
    with second:
        second.write_all(where, np.ones(997, "i8"))
        assert second.read_all([2, 3, 4, 200, 998, 999]).tolist() == [1, 0, 1, 0, 1, 0]


def test_sums_add_what_one_call_brings(tmp_path):
    with runtime.create(None, tmp_path / "d", (4,), [("a", "i4"), ("b", "f8", (2,))]) as dataset:
        records = np.zeros(3, dataset.dtype)
        records["a"], records["b"][:, 1] = [1, 2, 4], [10, 20, 40]
        dataset.write_all([2, 1, 2], records, combine="sum")
        found = dataset.read_all(slice(None))

    assert found["a"].tolist() == [0, 2, 5, 0]
    assert found["b"][:, 1].tolist() == [0, 20, 50, 0]


def test_text_cannot_be_summed(tmp_path):
    with (
        runtime.create(None, tmp_path / "d", (4,), "S3") as dataset,
        pytest.raises(DatasetError, match="numeric type"),
    ):
        dataset.write_all([1], np.array([b"abc"]), combine="sum")


def test_a_schedule_serves_every_dataset_of_the_same_form_and_no_other(tmp_path):
    with runtime.create(None, tmp_path / "a", (50,), "f8") as first:
        schedule = first.schedule([5, 6])
        first.write_all(schedule, np.array([1.0, 2.0]))
    with runtime.create(None, tmp_path / "b", (50,), "f8") as second:
        second.write_all(schedule, np.array([3.0, 4.0]))
        assert second.read_all(schedule).tolist() == [3, 4]
    with (
        runtime.create(None, tmp_path / "c", (51,), "f8") as third,
        pytest.raises(DatasetError, match="another"),
    ):
        third.write_all(schedule, np.array([3.0, 4.0]))


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint16])
def test_a_schedule_holds_when_the_callers_indices_change(tmp_path, kind):
    indices = np.array([3, 1, 2], kind)
    with runtime.create(None, tmp_path / "d", (5,), "i8") as dataset:
        schedule = dataset.schedule(indices)
        indices[:] = [4, 4, 0]
        dataset.write_all(schedule, np.array([30, 10, 20]))

        assert dataset.read_all(...).tolist() == [0, 10, 20, 30, 0]
        assert dataset.read_all(schedule).tolist() == [30, 10, 20]
        assert dataset.read_all(dataset.updated(schedule, [1], indices[:1])).tolist() == [30, 0, 20]


def test_the_old_dataset_stays_until_the_new_is_written(tmp_path):
    with runtime.create(None, tmp_path / "d", (3,), "i8") as dataset:
        dataset.write_all(..., np.array([1, 2, 3]))
    successor = runtime.create(None, tmp_path / "d", (2,), "f4")
    with runtime.open_serial(tmp_path / "d") as old:
        assert old[...].tolist() == [1, 2, 3]
    successor.write_all(..., np.array([8, 9], "f4"))
    with runtime.open_serial(tmp_path / "d") as new:
        assert new[...].tolist() == [8, 9]
    successor.close()


def test_an_error_inside_leaves_what_was_there(tmp_path):
    with pytest.raises(ZeroDivisionError), runtime.create(None, tmp_path / "d", (2,), "f4"):
        _ = 1 / 0

    assert not (tmp_path / "d" / "metadata.json").exists()


@pytest.mark.parametrize("layout", [SimpleStripe(1, 4096), VarStrip([(0, 1000)])], ids=str)
def test_a_layout_places_chunks_and_is_remembered(tmp_path, layout):
    with runtime.create(None, tmp_path / "d", (3000,), "f8", layout=layout, chunk="2 KiB") as dataset:
        dataset.write_all(..., np.arange(3000.0))
    with runtime.open(None, tmp_path / "d") as again:
        again.write_all([5], np.array([-1.0]))
        assert again.read_all([4, 5, 6]).tolist() == [4, -1, 6]


def test_auto_takes_the_codec_only_where_it_pays(tmp_path, monkeypatch):
    from striate.runtime.move.choose_codec import Trial

    assert Trial(write_seconds=1.0, compress_seconds=0.4, share=0.5).pays  # 0.4 + 0.5 < 1
    assert not Trial(write_seconds=1.0, compress_seconds=0.6, share=0.5).pays
    monkeypatch.setattr("striate.runtime.move.choose_codec.try_sample", lambda *_: Trial(1.0, 0.1, 0.1))
    with runtime.create(None, tmp_path / "d", (3000,), "f8", codec="auto") as dataset:
        dataset.write_all(..., np.zeros(3000))
        assert dataset.codec[0]["id"] == "blosc"
        assert dataset.report.stored_bytes < 3000


def test_a_report_accounts_for_bytes_and_stages(tmp_path):
    with runtime.create(None, tmp_path / "d", (3000,), "f8") as dataset:
        report = dataset.write_all(np.arange(3000), np.zeros(3000))

    assert (report.records, report.moved_bytes, report.rounds, report.messages) == (3000, 24_000, 1, 0)
    assert report.stored_bytes == 24_576  # six pages of 4096 bytes
    rows = report.trace_rows()
    assert {row["kind"] for row in rows} == {"region", "write"}
    assert all(row["start"] <= row["end"] for row in rows)
    assert sum(row["end"] - row["start"] for row in rows) == pytest.approx(report.total_seconds * 1e9)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ([-1], "from 0 to 9"),
        ([10], "from 0 to 9"),
        ([0.5], "whole numbers"),
        ([[1]], "one-dimensional"),
        ((0, 0), "one index or slice per axis"),
        (slice(None, None, -1), "positive step"),
        ("abc", "whole numbers"),
        (np.array([2**64 - 1], np.uint64), "2\\^63"),
    ],
)
def test_places_that_do_not_exist_are_refused(tmp_path, where, said):
    with (
        runtime.create(None, tmp_path / "d", (10,), "f8") as dataset,
        pytest.raises(DatasetError, match=said),
    ):
        dataset.read_all(where)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"servers": 2}, "among ranks"),
        ({"servers": []}, "among ranks"),
        ({"group_factor": 2}, "group factor"),
        ({"codec": "gunzip"}, "codec"),
        ({"directories": ["a", "b"]}, "each of 1 servers, got 2 directories"),
        ({"layout": SimpleStripe(3, 10)}, "at most 1"),
        ({"buffer": "much"}, "a size"),
    ],
)
def test_settings_that_cannot_be_are_refused(tmp_path, settings, said):
    with pytest.raises(ValueError, match=said):
        runtime.create(None, tmp_path / "d", (10,), "f8", **settings)


@pytest.mark.parametrize(
    ("shape", "dtype", "said"),
    [
        ((5.5,), "f8", "whole numbers"),
        ((True,), "f8", "whole numbers"),
        ((), "f8", "1 to 32 axes"),
        ((5,), "nonsense", "a NumPy type, got 'nonsense'"),
        ((5,), np.dtype(("f4", (3,))), "the type float32 and all axes in the shape"),
        ((5,), "O", "without Python objects"),
    ],
)
def test_shapes_and_types_that_cannot_be_are_refused(tmp_path, shape, dtype, said):
    with pytest.raises(DatasetError, match=said):
        runtime.create(None, tmp_path / "d", shape, dtype)


@pytest.mark.parametrize(
    "kind", ["?", "c8", ">f8", "<U3", "S5", "V7", "M8[s]", [("a", ">i4"), ("b", "f4", (2,))]]
)
def test_elements_of_any_fixed_type_come_back(tmp_path, kind):
    records = np.frombuffer(bytes(i % 2 for i in range(6 * np.dtype(kind).itemsize)), kind)
    with runtime.create(None, tmp_path / "d", (10,), kind) as dataset:
        dataset.write_all(np.array([7, 2, 4], ">u2"), records[::2])
        found = dataset.read_all(...)

    assert found.dtype == np.dtype(kind)
    assert found[[7, 2, 4]].tobytes() == records[::2].tobytes()
    assert not any(found[[0, 1, 3, 5, 6, 8, 9]].tobytes())


def test_a_closed_dataset_is_closed(tmp_path):
    dataset = runtime.create(None, tmp_path / "d", (10,), "f8")
    dataset.close()

    with pytest.raises(DatasetError, match="closed"):
        dataset.read_all([1])
