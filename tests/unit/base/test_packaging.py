"""Recipes for other packagers ask for what pyproject asks for; the version has one source."""

import re
import tomllib
from pathlib import Path

import striate

ROOT = Path(__file__).resolve().parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
NAMES = dict(re.match(r"([\w-]+)>=([\d.]+)", line).groups() for line in PROJECT["project"]["dependencies"])


def test_the_version_is_written_in_one_place():
    assert "version" in PROJECT["project"]["dynamic"]
    pattern = re.compile(rf'version.*"{re.escape(striate.__version__)}"')
    sources = [
        *ROOT.glob("src/striate/*.py"),
        *ROOT.glob("core/include/striate/*.hpp"),
        ROOT / "pyproject.toml",
    ]
    assert [path.name for path in sources if pattern.search(path.read_text())] == ["__init__.py"]


def test_the_conda_recipe_asks_for_the_same_packages():
    text = (ROOT / "packaging" / "conda" / "meta.yaml").read_text()
    run = text[text.index("  run:") : text.index("test:")]
    found = {name: bound for name, bound in re.findall(r"- (\S+) >=(\S+)", run) if name != "python"}
    assert {name.removeprefix("python-"): bound for name, bound in found.items()} == NAMES


def test_the_spack_recipe_asks_for_the_same_packages():
    text = (ROOT / "packaging" / "spack" / "striate" / "package.py").read_text()
    compile(text, "package.py", "exec")
    found = dict(re.findall(r'depends_on\("py-([a-z0-9-]+)@([0-9.]+):', text))
    for extra in ("scikit-build-core", "nanobind", "mpi4py"):
        assert found.pop(extra)
    assert found == NAMES
