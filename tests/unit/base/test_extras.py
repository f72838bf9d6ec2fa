"""What pyproject.toml asks to be installed is what the package imports."""

import ast
import functools
import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
FOR_WORK = ("test", "lint", "docs", "dist")  # extras for those who change the package
LAUNCHERS = ("mpich",)  # programs, not modules
MODULES = {"tomli-w": "tomli_w", "pyyaml": "yaml"}


@functools.cache
def imported():
    """The first names of all modules that `src` imports, by `import` or by a name in text."""
    found = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add((node.module or "").partition(".")[0])
            elif isinstance(node, ast.Call) and re.fullmatch(
                r".*import_module|library", ast.unparse(node.func)
            ):
                found |= {
                    str(one.value).partition(".")[0] for one in node.args if isinstance(one, ast.Constant)
                }
    return found


def names(requirements):
    return [re.match(r"[\w-]+", requirement)[0] for requirement in requirements]


EXTRAS = {
    f"{extra}: {name}": name
    for extra, requirements in PROJECT["optional-dependencies"].items()
    if extra not in FOR_WORK
    for name in names(requirements)
    if name not in LAUNCHERS
}


@pytest.mark.parametrize("name", [*names(PROJECT["dependencies"]), *EXTRAS.values()])
def test_every_dependency_is_imported_somewhere(name):
    assert MODULES.get(name, name) in imported()


def test_every_module_that_is_imported_is_asked_for():
    asked = {MODULES.get(name, name) for name in [*names(PROJECT["dependencies"]), *EXTRAS.values()]}
    ours = {"striate", "_otf2"}  # the second belongs to otf2

    assert imported() - set(sys.stdlib_module_names) - asked - ours - {""} == set()
