"""The package meets the printed and measured numbers of thesis 003 and MrBayes, and the check can tell."""

import json

import pytest

from reference import check_thesis


def test_every_public_number_of_the_thesis_is_met(data, capsys):
    status = check_thesis.check(data / "reference" / "thesis_cases.json")

    assert capsys.readouterr().out.splitlines()[-1].endswith("0 failures")
    assert status == 0


@pytest.mark.parametrize("number", range(0, 70, 7))
def test_one_changed_expectation_is_found(data, tmp_path, number):
    document = json.loads((data / "reference" / "thesis_cases.json").read_text())
    document["cases"][number]["expected"] = 12345.6
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(document))

    assert check_thesis.check(changed) == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"cases": []}',
        '{"cases": [{"id": "x", "function": "spiral", "args": [], "kwargs": {}, "expected": 0}]}',
    ],
)
def test_a_file_that_proves_nothing_is_not_met(tmp_path, text):
    path = tmp_path / "odd.json"
    path.write_text(text)

    assert check_thesis.check(path) == 1
