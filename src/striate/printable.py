"""The one route to a terminal: names from files and logs made safe, and rows as aligned columns."""

from __future__ import annotations

import re
from collections.abc import Sequence

_UNSAFE_IN_JSON = re.compile(r"[^\x20-\x7e\n]")


def printable(text: str) -> str:
    """The text with every control character but the newline spelt out, as in a Python string."""
    return "".join(
        letter if letter.isprintable() or letter == "\n" else repr(letter)[1:-1] for letter in text
    )


def one_line(text: str) -> str:
    """A name from outside for a line of text: newlines are spelt out, too."""
    return printable(text).replace("\n", "\\n")


def printable_json(document: str) -> str:
    """JSON with every character that a terminal could obey as an escape of JSON."""
    return _UNSAFE_IN_JSON.sub(_escaped, document)


def _escaped(match: re.Match[str]) -> str:
    letter = match[0]
    units = letter.encode("utf-16-be", "surrogatepass").hex()
    parts = [f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4)]
    return letter if letter.isprintable() else "".join(parts)


def columns(rows: Sequence[Sequence[str]], *, numbers_from: int) -> str:
    """Rows as aligned columns; those from `numbers_from` on are right-aligned. A cell stays on its line."""
    rows = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if at >= numbers_from else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
