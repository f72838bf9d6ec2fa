"""Queueing models and observations that somebody damaged: one line, exit status 1, no warning."""

import pytest

from striate.cli.main import run

MODEL = 'kind = "bus-aio"\n[spmd]\nparallel_seconds = "4 s"\nio_transfer_seconds = "2 s"\n'


@pytest.mark.parametrize(
    "line",
    [
        "group = " + 5000 * "9",  # more digits than Python turns into a number
        'messages = { power = "2147483648", factor = 6 }',  # more than a float holds
        'messages = { power = "1/2", factor = nan }',
    ],
)
def test_a_model_that_cannot_be_is_refused_in_one_line(tmp_path, capsys, line):
    (tmp_path / "model.toml").write_text(MODEL + line + "\n")

    assert run(["model", str(tmp_path / "model.toml"), "--p", "1:8", "--d", "1:4"]) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)


@pytest.mark.parametrize("value", ["inf", "nan", "2.5", "-1"])
@pytest.mark.parametrize("column", [0, 1])
def test_counts_that_are_none_are_refused_in_one_line(tmp_path, capsys, value, column):
    rows = [["p", "d", "speedup"], ["1", "1", "1"], ["2", "1", "1.8"], ["4", "2", "3.1"], ["8", "2", "5"]]
    rows[3][column] = value
    (tmp_path / "speedups.csv").write_text("\n".join(map(",".join, rows)) + "\n")

    assert run(["model", "fit", str(tmp_path / "speedups.csv")]) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
