"""DESIGN.md sends a reader to places that are there."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
ROWS = re.findall(r"^\| (.+?) \| `(\S+)` \| `(.+?)` \|$", (ROOT / "DESIGN.md").read_text(), re.MULTILINE)


def defined(path):
    """Names that a Python file defines at its top."""
    found = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return found


def test_thirty_questions_have_one_answer_each():
    questions = [question for question, _, _ in ROWS]

    assert len(questions) >= 30
    assert len(set(questions)) == len(questions)


@pytest.mark.parametrize(("question", "place", "name"), ROWS, ids=[row[0] for row in ROWS])
def test_every_answer_is_where_the_design_says(question, place, name):
    path = ROOT / place

    if path.suffix == ".py":
        assert name in defined(path)
    else:
        assert name in path.read_text()
