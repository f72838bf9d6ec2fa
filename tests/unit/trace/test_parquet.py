"""Our own format: what is saved comes back, and what is damaged is refused."""

import pyarrow.parquet as pq
import pytest

from striate.errors import TraceError
from striate.formats.read import read_trace
from striate.layout.extents import Extents
from toy_traces import row, trace_of, two_ranks


def test_a_saved_trace_comes_back_the_same(tmp_path):
    trace = two_ranks()
    trace.save(tmp_path / "run.parquet")
    again = read_trace(tmp_path / "run.parquet")

    assert again.table.to_pylist() == trace.table.to_pylist()
    assert again.header == trace.header
    assert again.lists[0] == Extents([0, 30], [20, 30])


def test_lists_survive_a_selection_that_drops_the_first_of_them(tmp_path):
    rows = [row(0, "write", at, at + 1, bytes=2, extents=at % 2) for at in range(4)]
    trace = trace_of(rows, lists=[([0, 4], [1, 1]), ([0, 9], [1, 1])])
    trace.where(trace.column("start") % 2 == 1).save(tmp_path / "odd.parquet")
    again = read_trace(tmp_path / "odd.parquet")

    assert again.column("extents").tolist() == [0, 0]
    assert again.lists[0].offsets.tolist() == [0, 9]


def test_an_empty_trace_is_a_trace(tmp_path):
    trace_of([]).save(tmp_path / "empty.parquet")
    again = read_trace(tmp_path / "empty.parquet")

    assert len(again) == 0
    assert again.info().operations == 0


def test_columns_written_by_other_tools_are_read_whatever_their_order(tmp_path):
    two_ranks().save(tmp_path / "run.parquet")
    table = pq.read_table(tmp_path / "run.parquet")
    pq.write_table(table.select(sorted(table.column_names)), tmp_path / "sorted.parquet")
    again = read_trace(tmp_path / "sorted.parquet")

    assert again.table.to_pylist() == two_ranks().table.to_pylist()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda table: table.drop_columns(["start"]), "expected a column 'start'"),
        (lambda table: table.replace_schema_metadata({"striate": "striate.trace/9"}), "got striate.trace/9"),
        (lambda table: table.replace_schema_metadata({}), "another Parquet file"),
        (lambda table: table.drop_columns(["runs"]), "expected a column 'runs'"),
        (
            lambda table: table.drop_columns(["runs"]).append_column("runs", table["start"]),
            "expected byte runs",
        ),
    ],
)
def test_another_table_is_refused_by_what_it_lacks(tmp_path, change, told):
    two_ranks().save(tmp_path / "run.parquet")
    pq.write_table(change(pq.read_table(tmp_path / "run.parquet")), tmp_path / "other.parquet")

    with pytest.raises(TraceError, match=told):
        read_trace(tmp_path / "other.parquet")


def test_a_file_of_no_known_format_is_refused_with_its_first_bytes(tmp_path):
    (tmp_path / "noise").write_bytes(b"\x00\x01noise")

    with pytest.raises(TraceError, match=r"starts with .*noise.*\(.*noise\)"):
        read_trace(tmp_path / "noise")


def test_a_file_that_is_not_there_is_refused_by_name(tmp_path):
    with pytest.raises(TraceError, match=r"No such file.*missing"):
        read_trace(tmp_path / "missing")
