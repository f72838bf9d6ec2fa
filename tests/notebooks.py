"""Runs a notebook's code cells as IPython would: one after the other in one namespace, the last line's value shown."""

import ast
import json
from pathlib import Path


def cells_of(path: Path) -> list[str]:
    """The source of every code cell."""
    document = json.loads(path.read_text())
    return ["".join(cell["source"]) for cell in document["cells"] if cell["cell_type"] == "code"]


def run_notebook(path: Path) -> list[object]:
    """Run all code cells; the value of each cell's last line, None where that is no expression."""
    names: dict[str, object] = {"__name__": "__main__"}
    return [
        _run_cell(source, f"{path.name}, cell {number}", names)
        for number, source in enumerate(cells_of(path), 1)
    ]


def _run_cell(source: str, place: str, names: dict[str, object]) -> object:
    tree = ast.parse(source, place)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, place, "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), place, "eval"), names)
