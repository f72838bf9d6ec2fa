"""Names: a public class name occurs once, and words of our own are not used where the field has one."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE, CORE = ROOT / "src" / "striate", ROOT / "core"

# What the field says: cache or buffer, write-behind, resolve, writers, partition, route, expensive, communicate,
# collective. A module or a column named `text` was a program; text that is text may be called so.
DIALECT = re.compile(
    r"held|behind|settle[sd]?|settling|outlets?|cuts?|ways?|dear(?:er|est)?|talk(?:s|ed|ing)?|agreements?"
)
OF_THE_FIELD = re.compile(r"write_?behind|cut_?through|short_?cuts?|one_?way", re.IGNORECASE)


def _words(identifier: str) -> Iterator[str]:
    rest = OF_THE_FIELD.sub("_", identifier)
    return (word.lower() for word in re.split(r"_|(?<=[a-z0-9])(?=[A-Z])", rest))


def _is_dialect(identifier: str) -> bool:
    return any(DIALECT.fullmatch(word) for word in _words(identifier))


def _python() -> dict[str, str]:
    return {str(path.relative_to(ROOT)): path.read_text() for path in sorted(PACKAGE.rglob("*.py"))}


def _repeated(sources: Mapping[str, str]) -> dict[str, list[str]]:
    found = defaultdict(list)
    for path, source in sources.items():
        for node in ast.parse(source).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(path)
    return {name: paths for name, paths in found.items() if len(paths) > 1}


def _identifiers(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.alias(asname=str(name)):
                yield name
            case (
                ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.keyword(arg=str(name))
            ):
                yield name


def _dialect_of(sources: Mapping[str, str]) -> set[tuple[str, str]]:
    found = {
        (path, name) for path, source in sources.items() for name in _identifiers(source) if _is_dialect(name)
    }
    return found | {(path, Path(path).stem) for path in sources if _is_dialect(Path(path).stem)}


def _code(source: str) -> str:
    """Without comments and string literals."""
    return re.sub(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*', "", source)


def test_a_public_class_name_occurs_once():
    assert _repeated(_python()) == {}


def test_a_planted_second_class_is_found():
    sources = _python() | {"src/striate/planted.py": "class Layout:\n    pass\n"}

    assert _repeated(sources)["Layout"] == ["src/striate/layout/layout.py", "src/striate/planted.py"]


def test_identifiers_and_modules_are_named_in_the_words_of_the_field():
    assert _dialect_of(_python()) == set()
    assert [path for path in _python() if Path(path).stem == "text"] == []


def test_planted_dialect_is_found():
    planted = {"src/striate/outlets.py": "def find_way(held_bytes): return held_bytes.settled"}

    names = {name for _, name in _dialect_of(planted)}
    assert names == {"outlets", "find_way", "held_bytes", "settled"}
    assert not any(
        map(_is_dialect, ("write_behind", "WriteBehind", "CUT_THROUGH", "one_way_samples", "always"))
    )


def test_the_core_is_named_in_the_words_of_the_field():
    for path in sorted(CORE.rglob("*.[ch]pp")):
        words = set(re.findall(r"[A-Za-z_]\w*", _code(path.read_text())))

        assert {word for word in words if _is_dialect(word) or word.strip("_") == "text"} == set(), path
