"""Python in the documentation is Python of today: every block compiles, and what it imports of the package exists."""

import ast
import importlib
import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCKS = [
    pytest.param(code, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.S))
]


def parsed(code):
    """The block; one that yields is a part of a program, a function."""
    if re.search("^yield ", code, re.M):
        code = "def program():\n" + re.sub("^", "    ", code, flags=re.M)
    compile(code, "docs", "exec")
    return ast.parse(code)


def missing(code):
    """Names of the package that the code imports and that are not there."""
    wanted = [
        (node.module, alias.name)
        for node in ast.walk(parsed(code))
        if isinstance(node, ast.ImportFrom) and node.module.partition(".")[0] == "striate"
        for alias in node.names
    ]
    return [name for module, name in wanted if not (is_module(f"{module}.{name}") or has(module, name))]


def is_module(name):
    return importlib.util.find_spec(name.rpartition(".")[0]).submodule_search_locations is not None and bool(
        importlib.util.find_spec(name)
    )


def has(module, name):
    return hasattr(importlib.import_module(module), name)


@pytest.mark.parametrize("code", BLOCKS)
def test_a_block_of_python_compiles_and_its_imports_exist(code):
    assert missing(code) == []


def test_a_planted_import_is_found():
    assert missing("from striate import predict, foretell") == ["foretell"]
    with pytest.raises(SyntaxError):
        parsed("from striate import")
