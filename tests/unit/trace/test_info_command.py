"""`striate info` from the outside."""

import json

import pytest

from striate.cli.main import run
from toy_traces import two_ranks


def test_info_prints_a_screen_or_json(tmp_path, capsys):
    two_ranks().save(tmp_path / "run.parquet")

    assert run(["info", str(tmp_path / "run.parquet")]) == 0
    assert "2 ranks on 2 hosts" in capsys.readouterr().out
    assert run(["info", str(tmp_path / "run.parquet"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["schema"] == "striate.trace-info/2"


def test_info_refuses_a_bad_file_in_one_line(tmp_path, capsys):
    (tmp_path / "noise").write_bytes(b"noise")

    assert run(["info", str(tmp_path / "noise")]) == 1
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("often", ["soon", "0 s", "10 us", "2 h", "-1 s"])
def test_samples_cannot_be_taken_at_any_rate(often, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    assert run(["trace", "--sample", often, "--", "true"]) == 1
    error = capsys.readouterr().err
    assert "expected a time" in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
