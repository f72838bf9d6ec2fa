"""The distributions meet the values of the real PVFS2/OrangeFS functions; the check can tell."""

import json

import pytest

from reference import check_orangefs


def test_every_public_value_of_orangefs_is_met(data, capsys):
    status = check_orangefs.check(data / "reference" / "orangefs_distributions.json")

    assert capsys.readouterr().out.splitlines()[-1].endswith("0 failures")
    assert status == 0


@pytest.mark.parametrize(
    ("group", "field"),
    [
        ("logical_cases", "server"),
        ("logical_cases", "contiguous"),
        ("logical_cases", "physical"),
        ("physical_cases", "logical"),
        ("size_cases", "logical_size"),
    ],
)
def test_one_changed_number_is_found(data, tmp_path, group, field):
    document = json.loads((data / "reference" / "orangefs_distributions.json").read_text())
    document[group][0][field] += 1
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(document))

    assert check_orangefs.check(changed) == 1


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"logical_cases": [{"dist": "spiral"}]}'])
def test_a_file_that_proves_nothing_is_not_met(tmp_path, text):
    path = tmp_path / "odd.json"
    path.write_text(text)

    assert check_orangefs.check(path) == 1
