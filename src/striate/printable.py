"""Text for a terminal: names from files and logs made safe, and rows as aligned columns."""

from collections.abc import Sequence


def printable(text: str) -> str:
    """The text with every control character but the newline spelt out, as in a Python string."""
    return "".join(
        letter if letter.isprintable() or letter == "\n" else repr(letter)[1:-1] for letter in text
    )


def columns(rows: Sequence[Sequence[str]], *, numbers_from: int) -> str:
    """Rows as aligned columns; those from `numbers_from` on are right-aligned."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if at >= numbers_from else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
