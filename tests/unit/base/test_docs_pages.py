"""The generated reference has an entry for every command and every public name, and each name says what it is."""

import importlib
import inspect
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))

import accuracy
import docs_pages

from striate.cli.main import COMMANDS
from striate.ladder.calibration import bundled_runs

ROOT = Path(__file__).resolve().parents[3]
IMPORTS = re.compile(r"^from (striate[\w.]*) import ([\w, ]+|\([^)]*\))$", re.MULTILINE)


def test_every_command_has_an_entry_with_its_help():
    page = docs_pages.commands_page()

    for name in COMMANDS:
        assert f"## striate {name}\n" in page
    assert "## striate lab up\n" in page  # commands of commands too
    assert page.count("Usage: striate ") >= len(COMMANDS)


def test_every_notebook_is_a_section_of_the_page():
    page = docs_pages.notebooks_page()

    for path in (ROOT / "examples" / "notebooks").glob("*.ipynb"):
        assert f"## examples/notebooks/{path.name}\n" in page
    assert "import striate" in page


def test_every_public_name_has_an_entry_and_a_docstring():
    page = docs_pages.api_page()
    silent = []
    for module, names in docs_pages.public_names().items():
        home = importlib.import_module(module)
        for name in names:
            value = getattr(home, name)
            entries = (f".{getattr(value, '__qualname__', name)}\n", f"- `{name}`:", f"### {name}\n")
            assert any(entry in page for entry in entries)
            if (inspect.isclass(value) or inspect.isfunction(value)) and not inspect.getdoc(value):
                silent.append(f"{module}.{name}")

    assert not silent


def test_the_page_of_accuracy_says_where_every_bundled_run_was_made():
    page = accuracy.markdown()
    kinds = {(run.program, run.machine) for run in bundled_runs()}

    assert set(accuracy.measured_where()) == kinds
    assert all(f"| {program} | {machine} | " in page for program, machine in kinds)
    assert sum(map(int, re.findall(r"\| (\d+) \|", page))) == len(bundled_runs())


def imported_names(text):
    """The classes and functions of the package that Python code in `text` imports."""
    for module, names in IMPORTS.findall(text):
        for name in re.findall(r"\w+", names):
            value = getattr(importlib.import_module(module), name, None)
            if inspect.isclass(value) or inspect.isfunction(value):
                yield f"{module}.{name}", value


def test_what_guides_and_examples_import_is_in_the_reference():
    entries = {
        id(getattr(importlib.import_module(module), name))
        for module, names in docs_pages.public_names().items()
        for name in names
    }
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.py")]

    text = "\n".join(page.read_text() for page in pages)
    assert {name for name, value in imported_names(text) if id(value) not in entries} == set()
    assert len(set(imported_names(text))) > 20


def test_a_planted_import_of_a_private_function_is_found():
    planted = "from striate.ladder.climb import combine\n"

    assert [name for name, _ in imported_names(planted)] == ["striate.ladder.climb.combine"]
