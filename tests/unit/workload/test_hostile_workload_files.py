"""Workload files made by someone who means harm: every number that leads somewhere is checked first."""

import contextlib
import json
import warnings

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.cluster import load_cluster
from striate.errors import StriateError, WorkloadError
from striate.rungs.resource import predict_resource
from striate.workload import Spmd, Workload
from striate.workload.stored.parquet_form import SCHEMA


def plain_workload() -> Workload:
    body = Spmd(3, name="plain", communicators={"pairs": [0, 0, 1]})
    with body.region("solve"), body.repeat(2) as step:
        body.compute("1 ms")
        body.write("f", offset=step * 10 + body.rank * body.rank, size=8)
        body.allreduce(8, comm="pairs")
        body.write("f", extents=([0, 9], [3, 4]))
    with body.only(body.rank == 1):
        body.bcast(8, comm="pairs", root=0)
    with body.only(body.rank == 0):
        body.bcast(8, comm="pairs", root=0)
    body.sendrecv((body.rank + 1) % 3, 8, source=(body.rank - 1) % 3)
    body.alltoallv([1, 2, 3])
    return body.workload()


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    """Rows and header of a good file, as plain values."""
    path = tmp_path_factory.mktemp("good") / "w.parquet"
    plain_workload().save(path)
    table = pq.read_table(path)
    return table.to_pylist(), json.loads(table.schema.metadata[b"applications"]), table.schema


def write_file(path, rows, header, schema, name=SCHEMA):
    metadata = {"striate": name, "applications": json.dumps(header)}
    pq.write_table(pa.Table.from_pylist(rows, schema=schema).replace_schema_metadata(metadata), path)


def edited(document, path, edit):
    rows, header, schema = document
    rows, header = json.loads(json.dumps(rows)), json.loads(json.dumps(header))
    edit(rows, header[0])
    write_file(path, rows, header, schema)
    return path


def row_of(rows, kind):
    return next(row for row in rows if row["kind"] == kind)


def array_of(rows, name):
    return next(row for row in rows if row["array"] == name)


def vary(rows, kind, **parts):
    row_of(rows, kind)["varies"] = [{"operand": "offset", "per_rank": 0, "table": -1, "strides": []} | parts]


EDITS = {
    "no operation is called 'explode' - at row 0": lambda rows, _: rows[0].update(kind="explode"),
    "expected count of at least 0, got -1": lambda rows, _: row_of(rows, "loop").update(count=-1),
    "the passes of a loop may not vary": lambda rows, _: vary(rows, "loop", operand="count", per_rank=1),
    "a loop does not end": lambda rows, _: rows.remove(row_of(rows, "end")),
    "a loop ends that did not begin": lambda rows, _: rows.remove(row_of(rows, "loop")),
    "loops are nested more than 64 deep": lambda rows, _: rows.__setitem__(
        slice(0, 0), [dict(row_of(rows, "loop")) for _ in range(65)]
    ),
    "offset has more strides than loops": lambda rows, _: vary(rows, "write", strides=[1, 1]),
    "an operand uses a table that is not there": lambda rows, _: vary(rows, "write", table=99),
    "an operand varies without a name or a table": lambda rows, _: vary(rows, "write", table=None),
    "an operand exceeds 2^63 - 1": lambda rows, _: vary(rows, "write", per_rank=2**62),
    "an operation uses a communicator that is not there": lambda rows, _: row_of(rows, "allreduce").update(
        communicator=2
    ),
    "expected 1 to 67108864 ranks, got 0": lambda _, header: header.update(ranks=0),
    "expected 1 to 67108864 ranks, got 2147483647": lambda _, header: header.update(ranks=2**31 - 1),
    "expected 1 to 3 programs, got 4": lambda _, header: header.update(programs=4),
    "a program is missing": lambda _, header: header.update(programs=1),
    "expected 3 values, got 2 - at array 'program_of_rank'": lambda rows, _: array_of(
        rows, "program_of_rank"
    ).update(values=[0, 1]),
    "a rank has no program": lambda rows, _: array_of(rows, "program_of_rank").update(values=[0, 1, 7]),
    "an array has holes": lambda rows, _: array_of(rows, "color 1").update(values=[0, None, 1]),
    "expected 9 values, got 1 - at array 'counts 0'": lambda rows, _: array_of(rows, "counts 0").update(
        values=[1]
    ),
    "the array is missing - at array 'counts 1'": lambda _, header: header.update(counts=2),
    "the byte runs do not fit together": lambda rows, _: array_of(rows, "extent first").update(
        values=[0, 2**62, 2**63 - 1, -(2**63), -(2**62), 0, 2]  # differences that wrap round to positive ones
    ),
    "file 'f' is out of order": lambda _, header: header["files"][0].update(first=5),
    "the start time is out of range": lambda _, header: header.update(start_picoseconds=-1),
    "not a workload: ": lambda _, header: header.update(surprise=1),
    "no region number 7": lambda rows, _: row_of(rows, "region_begin").update(region=7),
    "no file number 9": lambda rows, _: row_of(rows, "write").update(file=9),
    "no extent list 9": lambda rows, _: row_of(rows, "write").update(extents=9),
    "expected at most 2^62 passes": lambda rows, _: row_of(rows, "loop").update(count=2**63 - 1),
}


@pytest.mark.parametrize("message", EDITS)
def test_an_edited_file_is_refused(document, tmp_path, message):
    path = edited(document, tmp_path / "w.parquet", EDITS[message])

    with pytest.raises(WorkloadError) as refusal:
        Workload.load(path).check()

    assert message in str(refusal.value)


def test_the_unedited_file_is_good(document, tmp_path):
    path = edited(document, tmp_path / "w.parquet", lambda rows, header: None)

    workload = Workload.load(path)
    workload.check()

    assert workload.ranks == 3


@pytest.mark.parametrize(
    ("name", "found"),
    [("striate.workload/99", "striate.workload/99"), ("striate.timeline/1", "striate.timeline/1")],
)
def test_another_schema_is_refused_by_name(document, tmp_path, name, found):
    path = tmp_path / "w.parquet"
    write_file(path, *document, name=name)

    with pytest.raises(WorkloadError) as refusal:
        Workload.load(path)

    assert str(refusal.value) == f"expected a saved workload (striate.workload/1), got {found} ({path})"


def test_a_foreign_parquet_file_is_refused(tmp_path):
    path = tmp_path / "taxi.parquet"
    pq.write_table(pa.table({"fare": [1.5]}), path)

    with pytest.raises(WorkloadError) as refusal:
        Workload.load(path)

    assert str(refusal.value) == (
        f"expected a saved workload (striate.workload/1), got another Parquet file ({path})"
    )


def test_our_name_over_other_columns_is_refused(tmp_path):
    path = tmp_path / "w.parquet"
    pq.write_table(pa.table({"kind": [1.5]}).replace_schema_metadata({"striate": SCHEMA}), path)

    with pytest.raises(WorkloadError, match="expected the columns of a saved workload, found other columns"):
        Workload.load(path)


numbers = st.sampled_from([None, 0, 1, -1, 2, 3, 2**31 - 1, -(2**31), 2**62, 2**63 - 1, -(2**63)])


@given(data=st.data())
def test_any_number_anywhere_is_refused_or_harmless(document, tmp_path_factory, data):
    """Up to three numbers of the file are replaced; the core then sums up what passed the checks."""
    rows, header, schema = document
    rows, header = json.loads(json.dumps(rows)), json.loads(json.dumps(header))
    for _ in range(data.draw(st.integers(1, 3))):
        row = data.draw(st.sampled_from(rows))
        value = data.draw(numbers)
        columns = [name for name in row if schema.field(name).type == pa.int64()]
        if row["values"]:
            row["values"][data.draw(st.integers(0, len(row["values"]) - 1))] = value
        elif row["varies"] and data.draw(st.booleans()):
            part = data.draw(st.sampled_from(["per_rank", "table", "strides"]))
            small = value if value is None or part != "table" else max(-(2**31), min(value, 2**31 - 1))
            row["varies"][0][part] = [value] if part == "strides" else small
        else:
            row[data.draw(st.sampled_from(columns))] = value
    path = tmp_path_factory.mktemp("edited") / "w.parquet"
    write_file(path, rows, header, schema)

    with warnings.catch_warnings(), contextlib.suppress(StriateError):
        warnings.simplefilter("error")
        workload = Workload.load(path)
        workload.check()
        predict_resource(workload, load_cluster("laptop"))
