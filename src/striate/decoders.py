"""Where other people's decoders found a mistake: they tell it in their text alone, which is read here and nowhere else.

msgspec ends its messages with "- at `$.path`"; Python's TOML parser with "(at line 3, column 7)";
PyYAML's errors have a mark.
"""

from __future__ import annotations

import re

_PATH = re.compile(r"(?s)(.*?)(?: - at `([^`]*)`?)?")
_LINE = re.compile(r"(?s)(.*?)(?: \(at ([^()]*)\))?")


def json_mistake(error: Exception) -> tuple[str, str | None]:
    """What msgspec says is wrong, and the path of it in the document; None when it names none."""
    return _parted(_PATH, error)


def toml_mistake(error: Exception) -> tuple[str, str | None]:
    """What the TOML parser says is wrong, and on which line; None when it names none."""
    return _parted(_LINE, error)


def yaml_mistake(error: Exception) -> tuple[str, str | None]:
    """What PyYAML says is wrong, in one line, and on which line; None when it names none."""
    said = " ".join(str(getattr(error, "problem", None) or error).split())[:200]
    mark = getattr(error, "problem_mark", None)
    return said, f"line {mark.line + 1}, column {mark.column + 1}" if mark else None


def _parted(pattern: re.Pattern[str], error: Exception) -> tuple[str, str | None]:
    match = pattern.fullmatch(str(error))
    assert match is not None  # both parts may be empty
    return match[1], match[2]
