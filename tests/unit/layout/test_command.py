"""`striate layout`: answers on standard output, refusals in one line, nothing overwritten unasked."""

import json
from xml.etree import ElementTree

import pytest

from striate.cli.main import run


def test_locate_prints_a_row_a_byte(capsys):
    assert run(["layout", "locate", "varstrip:0:200KB;1:4MB", "0", "200000", "4.2 MB"]) == 0

    rows = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    assert rows == [
        ["0", "0", "0", "200000"],
        ["200000", "1", "0", "4000000"],
        ["4200000", "0", "200000", "200000"],
    ]


def test_locate_as_json_carries_a_schema_and_exact_numbers(capsys):
    assert run(["layout", "locate", "simple:2:1", "9223372036854775807", "--json"]) == 0

    assert json.loads(capsys.readouterr().out) == {
        "schema": "striate.layout.locate/1",
        "layout": "simple:2:1B",
        "servers": 2,
        "places": [{"offset": 2**63 - 1, "server": 1, "physical": 2**62 - 1, "run_length": 1}],
    }


def test_draw_writes_svg_to_standard_output_or_to_a_file(capsys, tmp_path):
    path = tmp_path / "stripes.svg"

    assert run(["layout", "draw", "simple:4:64KiB"]) == 0
    printed = capsys.readouterr().out
    assert run(["layout", "draw", "simple:4:64KiB", "-o", str(path)]) == 0

    assert capsys.readouterr().out == ""
    assert path.read_text() == printed
    ElementTree.fromstring(printed)


def test_draw_as_json_lists_the_strips(capsys):
    assert run(["layout", "draw", "basic", "--json"]) == 0

    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "striate.layout.draw/1"
    assert [strip["server"] for strip in document["strips"]] == [0]


@pytest.mark.parametrize(("action", "arguments"), [("draw", []), ("locate", ["5"])])
def test_an_output_is_replaced_only_with_force(action, arguments, capsys, tmp_path):
    path = tmp_path / "answer.svg"
    path.write_text("mine")
    command = ["layout", action, "basic", *arguments, "-o", str(path)]

    assert run(command) == 1
    assert path.read_text() == "mine"
    assert "give --force" in capsys.readouterr().err
    assert run([*command, "--force"]) == 0
    assert path.read_text() != "mine"


def test_locate_writes_json_to_a_file_when_asked(tmp_path):
    path = tmp_path / "places.json"

    assert run(["layout", "locate", "basic", "7", "--json", "-o", str(path)]) == 0

    assert json.loads(path.read_text())["places"][0]["physical"] == 7


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["locate", "spiral:3", "0"], "expected a layout such as"),
        (["locate", "varstrip:0:10;2:10", "0"], "found none for server 1"),
        (["locate", "simple:8:64KiB", "-5x"], None),
        (["locate", "simple:8:64KiB", "many"], "expected a size"),
        (["locate", "simple:8:64KiB", "1.5"], "whole number of bytes"),
        (["locate", "simple:8:64KiB", "9223372036854775808"], "2^63 - 1"),
        (
            ["locate", "grouped:2:4:2:4096", "9223372036854775807"],
            "expected positions of bytes up to 2^63 - 1",
        ),
        (["draw", "simple:8"], "expected 2 fields"),
        (["draw", "basic", "-o", "picture.bmp"], "ends in .svg"),
        (["draw", "basic", "--byte", "minus one"], "expected a size"),
    ],
)
def test_bad_input_is_refused_in_one_line(arguments, words, capsys):
    status = run(["layout", *arguments])

    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Traceback" not in captured.err
    if words is None:
        assert status == 2  # an unknown option: a mistake of usage
    else:
        assert status == 1
        assert words in captured.err
        assert captured.err.count("\n") == 1
