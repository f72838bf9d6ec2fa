"""Descriptions of streams with bad numbers: refused in one line that names the key."""

from pathlib import Path

import pytest

import striate.cluster.load
from striate.cli.main import run

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


@pytest.mark.parametrize(
    ("app", "key", "value", "message"),
    [
        ("titan", "volume", '"0 B"', "expected a whole number of bytes, at least 1, got 0 - at $.volume"),
        ("titan", "volume", '"-3 B"', "not negative, got '-3 B' - at $.volume"),
        ("titan", "volume", "nan", "got nan - at $.volume"),
        ("titan", "block", '"soon"', "expected a size such as \"64 KiB\", got 'soon' - at $.block"),
        ("titan", "block", "true", "got True - at $.block"),
        ("titan", "mesh", "[0, 4]", "processors along a side, at least 1, got 0 - at $.mesh[0]"),
        ("titan", "mesh", "[4]", "expected 2 numbers, got [4] - at $.mesh"),
        ("titan", "disks_per_processor", "0", "disks, at least 1, got 0 - at $.disks_per_processor"),
        ("titan", "disks_per_processor", "99999999", "got 99999999 - at $.disks_per_processor"),
        ("titan", "queries", "0", "queries, at least 1, got 0 - at $.queries"),
        ("titan", "queries", "99999999999999999999", "expected at most 1000000 queries"),
        ("titan", "window", "[0.5, 0.0, 0.5, 1.0]", "expected a query window"),
        ("titan", "compute_per_block", '"-1 s"', "- at $.compute_per_block"),
        ("vmscope", "slide", '"0 B"', "at least 1, got 0 - at $.slide"),
        ("vmscope", "slides", "0", "at least 1, got 0 - at $.slides"),
        ("vmscope", "processors", "0", "- at $.processors"),
        ("vmscope", "zoom", "0.0", "- at $.zoom"),
        ("vmscope", "colour", "1", "vmscope has no parameter 'colour'"),
    ],
)
def test_a_bad_number_is_refused_in_one_line_with_its_key(app, key, value, message, tmp_path, capsys):
    kept = [
        line
        for line in (EXAMPLES / f"{app}.toml").read_text().splitlines()
        if not line.startswith(f"{key} =")
    ]
    path = tmp_path / "stream.toml"
    path.write_text("\n".join([*kept, f"{key} = {value}", ""]))

    status = run(["predict", str(path), "sp2", "--rung", "resource"])

    (line,) = capsys.readouterr().err.splitlines()
    assert status == 1
    assert message in line
    assert f"$.{key}" in line
    assert line.endswith(f"({path})")


def test_a_machine_without_disks_cannot_be_read_from(tmp_path, capsys):
    text = (Path(striate.cluster.load.__file__).parent / "data" / "sp2.toml").read_text()
    machine = tmp_path / "bare.toml"
    machine.write_text(text.partition("[[server]]")[0])

    status = run(["predict", str(EXAMPLES / "titan.toml"), str(machine), "--rung", "resource"])

    (line,) = capsys.readouterr().err.splitlines()
    assert status == 1
    assert "the stream of work-flow graphs reads blocks, but the cluster has no I/O server" in line
