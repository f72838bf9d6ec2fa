"""The one buffer that a program's accesses use: said, saved, loaded, shown, and known of all programs or of none."""

import json

import pyarrow.parquet as pq
import pytest

from striate.cli.main import run
from striate.errors import WorkloadError
from striate.workload import Spmd, Workload
from striate.workload.transforms.merge import merged


def writing(buffer=None):
    body = Spmd(2)
    body.write("data", offset=body.rank * 4096, size=4096)
    return body.workload().with_reused_buffer(buffer)


def test_nothing_is_known_of_the_buffers_of_a_program_that_says_nothing():
    assert writing().reused_buffer is None
    assert writing("64 KiB").reused_buffer == 65536
    assert writing("64 KiB").with_reused_buffer(None).reused_buffer is None


@pytest.mark.parametrize(("buffers", "largest"), [((1024, 4096), 4096), ((1024, None), None)])
def test_of_several_programs_the_largest_buffer_counts_where_all_are_known(buffers, largest):
    together = Workload.together(*map(writing, buffers))

    assert together.reused_buffer == largest
    assert merged(together.applications).reused_buffer == largest


@pytest.mark.parametrize("buffer", [None, 65536])
def test_a_saved_program_keeps_its_buffer(buffer, tmp_path):
    writing(buffer).save(tmp_path / "program.parquet")

    assert Workload.load(tmp_path / "program.parquet").reused_buffer == buffer


def edited(path, edit):
    """The file with another header of its one program."""
    table = pq.read_table(path)
    (header,) = json.loads(table.schema.metadata[b"applications"])
    edit(header)
    metadata = {**table.schema.metadata, b"applications": json.dumps([header]).encode()}
    pq.write_table(table.replace_schema_metadata(metadata), path)
    return path


def test_files_of_old_say_nothing_of_a_buffer(tmp_path):
    writing(4096).save(tmp_path / "old.parquet")

    path = edited(tmp_path / "old.parquet", lambda header: header.pop("reused_buffer"))
    assert Workload.load(path).reused_buffer is None


@pytest.mark.parametrize("buffer", [0, -1, 2**63])
def test_a_file_with_an_impossible_buffer_is_refused(buffer, tmp_path):
    writing(4096).save(tmp_path / "bad.parquet")
    path = edited(tmp_path / "bad.parquet", lambda header: header.update(reused_buffer=buffer))

    with pytest.raises(WorkloadError, match="expected a reused buffer of at least 1 B"):
        Workload.load(path)


def test_a_buffer_has_at_least_one_byte():
    with pytest.raises(WorkloadError, match="expected a reused buffer of at least 1 B, got '0 B'"):
        writing("0 B")


def test_a_program_is_shown_with_its_buffer(capsys, tmp_path):
    for buffer, row in ((65536, ["buffer", "65,536", "bytes", "64", "KiB"]), (None, None)):
        path = tmp_path / f"{buffer}.parquet"
        writing(buffer).save(path)
        assert run(["workload", "show", str(path)]) == 0
        rows = [line.split() for line in capsys.readouterr().out.splitlines()]
        assert [one for one in rows if one[:1] == ["buffer"]] == ([row] if row else [])
        assert run(["workload", "show", str(path), "--json"]) == 0
        (shown,) = json.loads(capsys.readouterr().out)["applications"]
        assert shown["reused_buffer"] == buffer
