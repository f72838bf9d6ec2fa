"""Imports point one way and form no cycle, lazy ones and `import_module` included."""

import ast
import functools
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "striate"

# Every package may import those before it; DESIGN.md draws it.
ORDER = (
    *(
        "errors",
        "loader",
        "decoders",
        "documents",
        "units",
        "arrow",
        "parquet_footer",
        "limits",
        "csv_table",
        "toml",
        "interval",
        "printable",
        "shell",
        "spreadsheet",
        "svg",
        "whole_file",
        "provenance",
        "deadline",
        "_core",
        "refusals",
        "results",
        "noise",
    ),
    *("layout", "cluster", "trace", "formats", "record", "workload"),
    *("training", "importers", "collectives", "plugins", "queueing"),
    *(
        "engine",
        "rungs",
        "simulate",
        "ladder",
        "tuning",
        "advice",
        "runtime",
        "lab",
        "probe",
        "rates",
        "pages",
        "apps",
        "evaluate",
        "cli",
        "command",
    ),
)
# The runtime is used alone, inside applications.
RUNTIME_SEES = {"errors", "units", "toml", "layout", "_core"}


def imported_names(code: str) -> set[str]:
    """Dotted names that `code` imports anywhere but for type checking: statements, `import_module`, tables of names.

    An `import_module` of an f-string counts as an import of what stands before the first brace.
    """
    tree = ast.parse(code)
    for_types = {node for test in ast.walk(tree) if _is_type_checking(test) for node in ast.walk(test)}
    names: set[str] = set()
    for node in ast.walk(tree):
        if node in for_types:
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide where they point"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and _called(node) == "import_module" and node.args:
            names |= {_beginning(node.args[0])}
        elif isinstance(node, ast.Constant) and re.fullmatch(r"striate(\.[a-z0-9_]+)+", str(node.value)):
            names |= {node.value}  # a table of modules to import by name
    return {name for name in names if name.startswith("striate.")}


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _called(node: ast.Call) -> str:
    return str(getattr(node.func, "attr", getattr(node.func, "id", "")))


def _beginning(argument: ast.expr) -> str:
    if isinstance(argument, ast.JoinedStr):
        argument = argument.values[0]
    value = argument.value if isinstance(argument, ast.Constant) else ""
    return str(value).rstrip(".")


def part_of(name: str) -> str:
    return name.split(".")[1]


def wrong_imports(part: str, code: str) -> set[str]:
    """Parts that `part` may not see but imports."""
    allowed = RUNTIME_SEES if part == "runtime" else set(ORDER[: ORDER.index(part)])
    return {part_of(name) for name in imported_names(code)} - allowed - {part}


@functools.cache
def modules() -> dict[str, str]:
    """Every module's code by its dotted name."""
    found = {}
    for path in SOURCE.rglob("*.py"):
        name = ".".join(("striate", *path.relative_to(SOURCE).with_suffix("").parts))
        found[name.removesuffix(".__init__")] = path.read_text()
    return found


def graph_of(codes: dict[str, str]) -> dict[str, set[str]]:
    """Which module imports which; a name inside a module counts as that module."""
    return {
        name: {_home(one, codes) for one in imported_names(code)} - {name, ""} for name, code in codes.items()
    }


def _home(name: str, codes: dict[str, str]) -> str:
    while name not in codes and name:
        name = name.rpartition(".")[0]
    return "" if name == "striate" else name


def cycle_in(graph: dict[str, set[str]]) -> list[str]:
    """Some modules that import each other in a ring; empty where there are none."""
    done: set[str] = set()
    for start in sorted(graph):
        trail: list[str] = []

        def visit(name: str, trail: list[str] = trail) -> list[str]:
            if name in trail:
                return trail[trail.index(name) :]
            if name in done:
                return []
            trail.append(name)
            for other in sorted(graph.get(name, ())):
                if ring := visit(other):
                    return ring
            done.add(trail.pop())
            return []

        if ring := visit(start):
            return ring
    return []


@pytest.mark.parametrize("name", sorted(modules()))
def test_imports_point_left_only(name):
    if name in ("striate", "striate.__main__"):
        return  # the front door names everything

    assert wrong_imports(part_of(name), modules()[name]) == set()


def test_no_modules_import_each_other_in_a_ring():
    codes = {name: code for name, code in modules().items() if name != "striate"}

    assert cycle_in(graph_of(codes)) == []


@pytest.mark.parametrize(
    ("part", "code"),
    [
        ("layout", "from striate.cluster import Cluster"),
        ("cluster", "def f():\n    from striate import ladder"),
        ("runtime", "import striate.provenance"),
        ("ladder", "import striate.cli.main"),
        ("trace", "import importlib\nimportlib.import_module('striate.workload.workload')"),
        ("trace", "from importlib import import_module\nimport_module(f'striate.formats.{1}')"),
    ],
)
def test_an_import_planted_the_wrong_way_round_is_found(part, code):
    assert wrong_imports(part, code)


@pytest.mark.parametrize(
    "back",
    [
        "from striate.layout.a import x",
        "def f():\n    import striate.layout.a",
        "from importlib import import_module\nimport_module('striate.layout.a')",
    ],
)
def test_a_planted_ring_is_found(back):
    codes = {"striate.layout.a": "from striate.layout.b import y", "striate.layout.b": back}

    assert cycle_in(graph_of(codes)) == ["striate.layout.a", "striate.layout.b"]


def test_an_import_for_types_alone_makes_no_ring():
    back = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from striate.layout.a import x"
    codes = {"striate.layout.a": "from striate.layout.b import y", "striate.layout.b": back}

    assert cycle_in(graph_of(codes)) == []
