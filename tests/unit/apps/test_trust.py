"""A spec runs Python files beside it; others only when the caller says so."""

import pytest

from striate.cli.main import run

APP = "from pathlib import Path\nPath(__file__).with_name('RAN').touch()\nraise SystemExit\n"


@pytest.fixture
def spec(tmp_path):
    for folder in ("beside", "elsewhere"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "solver.py").write_text(APP)
    return tmp_path / "beside" / "spec.toml"


@pytest.mark.parametrize("key", ["app", "program"])
@pytest.mark.parametrize("name", ["{}/elsewhere/solver.py", "../elsewhere/solver.py", "link.py"])
def test_a_file_elsewhere_is_not_run(key, name, spec, tmp_path, capsys):
    (spec.parent / "link.py").symlink_to(tmp_path / "elsewhere" / "solver.py")
    spec.write_text(f'{key} = "{name.format(tmp_path)}"\n[vary]\nunit = ["1 MiB"]\n')

    assert run(["tune", str(spec), "westmere"]) == 1
    assert f"give --allow-code to accept the file - at $.{key}" in capsys.readouterr().err
    assert not (tmp_path / "elsewhere" / "RAN").exists()

    run(["tune", str(spec), "westmere", "--allow-code"])
    assert (tmp_path / "elsewhere" / "RAN").exists()


def test_a_description_for_predict_obeys_the_same_rule(spec, tmp_path):
    spec.write_text('app = "../elsewhere/solver.py"\n')

    assert run(["predict", str(spec), "westmere"]) == 1
    assert not (tmp_path / "elsewhere" / "RAN").exists()


def test_a_file_beside_the_spec_is_run(spec):
    spec.write_text('app = "solver.py"\n[vary]\nunit = ["1 MiB"]\n')

    run(["tune", str(spec), "westmere"])
    assert (spec.parent / "RAN").exists()
