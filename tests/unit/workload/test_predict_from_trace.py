"""`striate predict` takes a trace where it takes a program."""

import json

from striate.cli.main import run
from toy_traces import row, trace_of


def test_a_trace_is_predicted_like_a_program(tmp_path, capsys):
    rows = [row(rank, "write", 1000, 2000, file=0, offset=rank * 2**20, bytes=2**20) for rank in range(2)]
    trace_of(rows).save(tmp_path / "run.parquet")

    assert run(["predict", str(tmp_path / "run.parquet"), "laptop", "--rung", "resource", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ranks"] == 2


def test_a_file_that_is_neither_is_refused_in_one_line(tmp_path, capsys):
    (tmp_path / "noise").write_bytes(b"noise")

    assert run(["predict", str(tmp_path / "noise"), "laptop"]) == 1
    assert "starts with b'noise'" in capsys.readouterr().err
