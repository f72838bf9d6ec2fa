"""The generated reference has an entry for every command and every public name, and each name says what it is."""

import importlib
import inspect
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))

import docs_pages

from striate.cli.main import COMMANDS


def test_every_command_has_an_entry_with_its_help():
    page = docs_pages.commands_page()

    for name in COMMANDS:
        assert f"## striate {name}\n" in page
    assert "## striate lab up\n" in page  # commands of commands too
    assert page.count("Usage: striate ") >= len(COMMANDS)


def test_every_public_name_has_an_entry_and_a_docstring():
    page = docs_pages.api_page()
    silent = []
    for module, names in docs_pages.public_names().items():
        home = importlib.import_module(module)
        for name in names:
            value = getattr(home, name)
            assert f".{getattr(value, '__qualname__', name)}\n" in page or f"- `{name}`:" in page
            if (inspect.isclass(value) or inspect.isfunction(value)) and not inspect.getdoc(value):
                silent.append(f"{module}.{name}")

    assert not silent
