"""Python in the documentation is Python of today: every block compiles, and what it imports of the package exists.

A block that defines all names that it uses is run, here or by the test of its page.
"""

import ast
import builtins
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
# Pages whose blocks are run by tests of their own, and one whose programs need a practice cluster.
ELSEWHERE = (
    "README",
    "add-an-application",
    "model-your-own-cluster",
    "practice-cluster",
    "queueing-models",
    "simulate-a-run",
    "tutorial",
    "where-does-my-byte-go",
    "write-your-own-collective",
)


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


def undefined(code):
    """Names that the code uses and neither defines, imports nor finds among the built-in ones."""
    nodes = list(ast.walk(parsed(code)))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    known = {name.id for name in names if isinstance(name.ctx, ast.Store)} | set(dir(builtins))
    for node in nodes:
        match node:
            case ast.alias(name=name, asname=alias):
                known.add(alias or name.partition(".")[0])
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                known.add(name)
    return {name.id for name in names} - known


COMPLETE = [
    block
    for block in BLOCKS
    if str(block.id).rpartition("-")[0] not in ELSEWHERE and not undefined(block.values[0])
]


@pytest.mark.parametrize("code", COMPLETE)
def test_a_block_that_defines_its_names_runs(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "docs", "exec"), {"__name__": "__main__"})


def test_names_that_a_block_takes_from_its_reader_are_found():
    assert undefined("from os import path\nfor step in range(3):\n    path.join(folder, str(step))") == {
        "folder"
    }
    assert {str(block.id) for block in COMPLETE} >= {"collectives-0", "mpi-calls-0", "mpi-calls-1"}


@pytest.mark.parametrize("code", BLOCKS)
def test_a_block_of_python_compiles_and_its_imports_exist(code):
    assert missing(code) == []


def test_a_planted_import_is_found():
    assert missing("from striate import predict, foretell") == ["foretell"]
    with pytest.raises(SyntaxError):
        parsed("from striate import")
