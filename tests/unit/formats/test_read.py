"""Files that are recognised and yet no trace: one line says what they are."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from striate.cli.main import run


@pytest.fixture
def old_timeline(tmp_path):
    """What earlier versions wrote: one row per bar of a resource, times in picoseconds."""
    table = pa.table({"resource": ["rank 0"], "state": ["write"], "start": [0], "end": [9], "bytes": [7]})
    pq.write_table(table.replace_schema_metadata({"striate": "striate.timeline/1"}), tmp_path / "old.parquet")
    return tmp_path / "old.parquet"


@pytest.mark.parametrize("command", ["info", "show"])
def test_an_old_timeline_is_refused_by_its_name_in_one_line(old_timeline, command, capsys):
    assert run([command, str(old_timeline)]) == 1

    said = capsys.readouterr().err.strip()
    assert said.count("\n") == 0
    assert (
        "a timeline of the old format striate.timeline/1: create it again with `striate predict --timeline`"
        in said
    )
    assert str(old_timeline) in said
