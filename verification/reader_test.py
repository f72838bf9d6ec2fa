"""Sentences for a reader's test: drawn at random, with a fixed seed, from the docs, the help texts and the errors.

`python verification/reader_test.py [--count 40] [--seed 1]` prints each with its place. A reader who knows MPI and a
parallel file system should understand every one of them without the glossary.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

LEAST_WORDS = 6


def sentences_of(text: str) -> list[str]:
    """Whole sentences of prose: without code blocks, tables, headings and lists' marks."""
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    lines = [line for line in text.splitlines() if not re.match(r"\s*(\||#|!\[|    )", line)]
    paragraphs = re.split(r"\n\s*\n|\n\s*[-*] ", "\n".join(lines))
    found = []
    for paragraph in paragraphs:
        joined = " ".join(paragraph.split()).lstrip("-* ")
        found += [
            one for one in re.split(r"(?<=[.:?!])\s+(?=[A-Z`*])", joined) if len(one.split()) >= LEAST_WORDS
        ]
    return found


def from_docs() -> Iterator[tuple[str, str]]:
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for sentence in sentences_of(path.read_text()):
            yield str(path.relative_to(ROOT)), sentence


def from_help() -> Iterator[tuple[str, str]]:
    from docs_pages import commands_page

    for block in re.findall(r"```text\n(.*?)```", commands_page(), re.S):
        usage, _, rest = block.partition("\n")
        prose = rest.partition("\nOptions:")[0]
        for sentence in sentences_of(re.sub(r"^  ", "", prose, flags=re.M)):
            yield usage.removeprefix("Usage: ").partition(" [")[0], sentence
        for option in re.findall(r"^  (-.*(?:\n {10,}.*)*)", rest, re.M):
            words = " ".join(option.split())
            if len(words.split()) > LEAST_WORDS:
                yield usage.removeprefix("Usage: ").partition(" [")[0], words


def from_errors() -> Iterator[tuple[str, str]]:
    """The text of every exception that the package raises; what is filled in stands as {...}."""
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
                text = _text(node.exc.args[0])
                if len(text.split()) >= LEAST_WORDS:
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", text


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{...}" for part in node.values)
    if isinstance(node, ast.BinOp):
        return _text(node.left) + _text(node.right)
    return ""


def main() -> None:
    """Print the sample."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    dice = random.Random(options.seed)
    everything = [list(source()) for source in (from_docs, from_help, from_errors)]
    shares = [options.count - 2 * (options.count * 3 // 10), *[options.count * 3 // 10] * 2]
    for source, share in zip(everything, shares, strict=True):
        for place, sentence in dice.sample(source, min(share, len(source))):
            print(f"{place}: {sentence}")


if __name__ == "__main__":
    main()
