"""Applications are found by name, by file and by entry point; the guide's own steps are what is done here."""

import json
import pickle
import re
import sys
import tomllib
from pathlib import Path

import pytest

from striate.apps.registry import BUNDLED, find, names
from striate.apps.spec import AppBuild, from_tables
from striate.cli.main import run
from striate.errors import WorkloadError

GUIDE = Path(__file__).parents[3] / "docs" / "guides" / "add-an-application.md"


def blocks():
    """The guide's files by the name in their first line."""
    found = re.findall(r"^```\w+\n# (\S+)\n(.*?)^```", GUIDE.read_text(), re.DOTALL | re.MULTILINE)
    return dict(found)


def command(word):
    """The guide's command lines that begin with `striate word`."""
    return [
        line.split()[1:] for line in GUIDE.read_text().splitlines() if line.startswith(f"    striate {word} ")
    ]


@pytest.fixture
def guide(tmp_path, monkeypatch):
    """A folder with the guide's files, where its commands can be given."""
    for name, content in blocks().items():
        (tmp_path / name).write_text(content)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:/usr/bin:/bin")
    return tmp_path


@pytest.fixture
def registered(guide, monkeypatch):
    """The guide's entry points as an installed package has them."""
    points = tomllib.loads(blocks()["pyproject.toml"])["project"]["entry-points"]
    folder = guide / "solver-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: solver\nVersion: 1.0\n")
    lines = [
        f"[{group}]" + "".join(f"\n{k} = {v}" for k, v in all_.items()) for group, all_ in points.items()
    ]
    (folder / "entry_points.txt").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(str(guide))
    yield guide
    sys.modules.pop("solver", None)


def test_the_guide_predicts_its_application(guide, capsys):
    file, _ = command("predict")

    assert run([*file, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ranks"] == 8


def test_the_guide_tunes_its_application(guide, capsys):
    (words,) = command("tune")

    assert run(words) == 0
    chosen = tomllib.loads((guide / "tuned.toml").read_text())
    assert chosen["program"].endswith("solver.py")
    assert chosen["settings"]["every"] == 10  # the fewest writes


def test_the_guide_traces_its_application(guide, capfd):
    (words,) = command("trace")

    assert run(words) == 0
    assert (guide / "blocks").stat().st_size == 4 * 2 * (1 << 18)
    assert run(["info", "run.parquet", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["collectives"]["write_all"] == 8  # on both ranks


def test_the_guide_validates_its_application(guide, capfd, monkeypatch):
    (words,) = command("validate")
    monkeypatch.setattr("striate.evaluate.validate.study.PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr("striate.evaluate.validate.study.CALIBRATION_SECONDS", 0.2)

    assert run([*words, "--json"]) in (0, 3)  # how well depends on this machine
    outcomes = json.loads(capfd.readouterr().out)["outcomes"]
    assert [outcome["case"]["ranks"] for outcome in outcomes] == [1, 2]
    assert all(outcome["runs"][0]["seconds"] > 0 for outcome in outcomes)


def test_the_guide_registers_its_application(registered, capsys):
    _, by_name = command("predict")

    assert names() == [*BUNDLED, "solver"]
    assert run([*by_name, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ranks"] == 8


def test_a_registered_name_hides_no_bundled_application(registered):
    entries = registered / "solver-1.0.dist-info" / "entry_points.txt"
    entries.write_text("[striate.apps]\njacobi = solver:Solver\n")

    assert type(find("jacobi")).__name__ == "Jacobi"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("nowhere:App", "the entry point nowhere:App cannot be loaded: ModuleNotFoundError"),
        (
            "json:dumps",
            "the entry point json:dumps to be a striate.apps.App with a method `workload`, got function",
        ),
    ],
)
def test_a_broken_entry_point_is_one_line(registered, value, said, capsys):
    (registered / "solver-1.0.dist-info" / "entry_points.txt").write_text(
        f"[striate.apps]\nsolver = {value}\n"
    )

    assert run(["predict", "solver", "westmere"]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert said in error


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("app = 3", "expected `app` to be a striate.apps.App with a method `workload`, got int"),
        (
            "from striate.apps import App\nclass Mine(App):\n    name = 'mine'\napp = Mine",
            "with a method `workload`, got Mine",
        ),
        ("app = 1 / 0", "ZeroDivisionError: division by zero - at line 1"),
    ],
)
def test_a_file_without_a_sound_application_is_one_line(tmp_path, content, said, capsys):
    (tmp_path / "mine.py").write_text(content)

    assert run(["predict", str(tmp_path / "mine.py"), "westmere"]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert said in error


@pytest.mark.parametrize("name", [name for name in BUNDLED if name != "graphs"])  # which needs a table
def test_every_bundled_application_can_be_predicted_by_name(name, capsys):
    cluster = "sp2" if name in ("titan", "vmscope") else "westmere"

    assert run(["predict", name, cluster, "--rung", "resource"]) == 0
    assert find(name).name == name


def test_an_application_of_flows_takes_no_number_of_ranks(capsys):
    assert run(["predict", "titan", "sp2", "--ranks", "4"]) == 1
    assert (
        "--ranks 4 is not accepted: the program has its own number of ranks (titan)"
        in capsys.readouterr().err
    )


def test_any_application_can_be_described_in_toml():
    assert from_tables({"app": "jacobi", "ranks": 3, "rows": 99}).ranks == 3
    with pytest.raises(WorkloadError, match=r"jacobi has no parameter 'raws'.*at \$\.raws"):
        from_tables({"app": "jacobi", "raws": 9})


def test_an_application_of_a_file_travels_to_other_processes(guide):
    build = AppBuild(str(guide / "solver.py"), {"ranks": 3})
    sent = pickle.loads(pickle.dumps(build))

    assert sent(every=2).ranks == 3


@pytest.mark.parametrize("member", ["prepare", "kernels", "calibrated", "rerun_words"])
def test_what_a_class_does_not_give_is_refused_with_its_name(member):
    with pytest.raises(WorkloadError, match=r"^the application titan "):
        getattr(find("titan"), member)(*[None] * {"prepare": 3, "kernels": 1}.get(member, 3))
