"""Names and words: a public class name occurs once, and words of our own are not used where the field has one."""

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


# The same in prose: comments, docstrings, messages, help texts and the documentation. The keys are the words that the
# glossary lists as not to be used.
NOUNS = (
    "access aggregator application axis block byte call candidate chunk component CPU dimension disk element entry "
    "event file generation group host job kind line link loop message node object operation packet page pair pass "
    "phase piece point process processor rank record request round row run sample second server stage step strip "
    "stripe subject task thread trace train variable"
).replace(" ", "|")
PROSE = {
    "agreement": r"\bagreements?\b",
    "talk": r"\btalk(?:s|ed|ing)?\b",
    "dear": r"\bdear(?:er|est)?\b",
    "settle": r"\bsettl(?:e|es|ed|ing)\b",
    "under way": r"\bunder way\b",
    "way (of a message)": r"(?:\b(?:equal|longest|random|shortest) ways?|\bof (?:its|the|their) way|"
    r"(?<!on the )(?<!on its )(?<!on their )\bways? (?:between|came|from|whose))\b",
    "one row an operation": rf"\bone (?:(?!at |for |of |or |opening |carries )\w+ )?an? (?:{NOUNS})\b|"
    rf"\b(?:bytes?|[KMGT]?i?B|instructions|numbers?|positions|seconds) an? (?:{NOUNS})\b(?! \w+s\b)|"
    r"\bone (?:byte|clock|column|entry|line|row|value) an? \w+",
}
PROSE_FILES = (
    "src/**/*.py",
    "src/**/*.js",
    "core/**/*.[ch]",
    "core/**/*.[ch]pp",
    "docs/**/*.md",
    "examples/**/*.py",
    "tests/**/*.py",
    "verification/**/*.py",
    "benchmarks/**/*.py",
    "tools/*.py",
    "*.md",
)
HISTORY = {
    "docs/glossary.md",
    "CHANGELOG.md",
    "tests/unit/test_names.py",
}  # where the old words are named on purpose


def _prose() -> dict[str, str]:
    paths = {path for pattern in PROSE_FILES for path in ROOT.glob(pattern)}
    return {
        name: path.read_text()
        for path in sorted(paths)
        if (name := str(path.relative_to(ROOT))) not in HISTORY
    }


def _dialect_in(text: str) -> set[str]:
    """The words of PROSE in a text, also where a line ends between them."""
    flowing = re.sub(r"\s*\n\s*(?:#|//|\*)?\s*", " ", text)
    return {word for word, pattern in PROSE.items() if re.search(pattern, flowing, re.IGNORECASE)}


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


def test_prose_is_in_the_words_of_the_field():
    found = {name: words for name, text in _prose().items() if (words := _dialect_in(text))}

    assert found == {}


def test_planted_prose_is_found():
    planted = {
        "agreement": "// waits for the agreement of all",
        "talk": '"""Ranks that talk to each other."""',
        "dear": "a run that is too dear",
        "settle": "# settles which rank wins",
        "under way": "messages that are under\n    # way",
        "way (of a message)": "the links of its way",
        "one row an operation": "Columns: one row an operation.",
    }

    assert {word: _dialect_in(text) for word, text in planted.items()} == {word: {word} for word in planted}
    assert not _dialect_in(
        "one at a time, in the same way, on its way, one or a rank; it counts bytes a process holds"
    )


def test_the_words_to_avoid_are_those_of_the_glossary():
    rows = re.findall(r"^\|[^|]*\|[^|]*\|([^|]*)\|$", (ROOT / "docs/glossary.md").read_text(), re.MULTILINE)

    assert {row.strip() for row in rows} - {"", "not", "---"} == set(PROSE)
