"""Imports point one way, so that the pieces can be used and tested alone."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "striate"
_BASE = {
    "errors",
    "units",
    "interval",
    "lists",
    "provenance",
    "svg",
    "results",
    "whole_file",
    "printable",
    "_core",
}

# What each part may import of the others; DESIGN.md draws it.
ALLOWED = {
    "errors": set(),
    "units": {"errors"},
    "interval": {"errors"},
    "provenance": {"errors"},
    "svg": set(),
    "whole_file": {"errors"},
    "printable": set(),
    "lists": set(),
    "results": {"errors", "interval", "provenance", "units"},
    "layout": _BASE,
    "trace": _BASE | {"layout"},
    "cluster": _BASE | {"layout"},
    "workload": _BASE | {"layout", "trace", "cluster"},
    "queueing": _BASE | {"layout", "trace", "cluster", "workload"},
    "predict": _BASE | {"layout", "trace", "cluster", "workload", "queueing"},
    "tune": _BASE | {"layout", "trace", "cluster", "workload", "queueing", "predict"},
    "show": _BASE | {"layout", "trace", "cluster", "workload", "queueing", "predict", "tune", "probe"},
    "probe": _BASE | {"layout", "trace", "cluster", "workload", "queueing", "predict", "runtime"},
    "validate": _BASE
    | {"layout", "trace", "cluster", "workload", "queueing", "predict", "probe", "runtime", "show", "apps"},
    "runtime": {"errors", "units", "layout", "_core"},
    "testing": _BASE | {"layout", "trace", "cluster", "workload"},
    "apps": _BASE
    | {"layout", "trace", "cluster", "workload", "queueing", "predict", "tune", "show", "runtime", "testing"}
    | {"probe"},
    "cli": _BASE
    | {"layout", "trace", "cluster", "workload", "queueing", "predict", "tune", "show", "runtime", "apps"}
    | {"probe", "validate"},
}


def imported_parts(code: str) -> set[str]:
    """The parts of striate that `code` imports, at the top or inside functions."""
    parts: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide where they point"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        parts |= {name.split(".")[1] for name in names if name.startswith("striate.")}
    return parts


def wrong_imports(part: str, code: str) -> set[str]:
    return imported_parts(code) - ALLOWED[part] - {part}


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_left_only(path):
    part = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    if part in ("__init__", "__main__"):
        return  # the front door names everything

    assert wrong_imports(part, path.read_text()) == set()


@pytest.mark.parametrize(
    ("part", "code"),
    [
        ("layout", "from striate.cluster import Cluster"),
        ("cluster", "def f():\n    from striate import predict"),
        ("runtime", "import striate.provenance"),
        ("predict", "import striate.cli.main"),
    ],
)
def test_an_import_planted_the_wrong_way_round_is_found(part, code):
    assert wrong_imports(part, code)
