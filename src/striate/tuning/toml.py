"""Plain tables as TOML text: numbers, texts, truth values, lists, and tables of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def to_toml(table: Mapping[str, Any]) -> str:
    """The text that `tomllib` reads back as the same table; None is left out."""
    return "\n".join(_lines(table, "")).lstrip("\n") + "\n"


def _lines(table: Mapping[str, Any], path: str) -> Iterator[str]:
    """Plain keys first: what comes after a header belongs to it."""
    for key, value in table.items():
        if value is not None and not _is_section(value):
            yield f"{_key(key)} = {_inline(value)}"
    for key, value in table.items():
        if not _is_section(value):
            continue
        many = isinstance(value, list)
        for item in value if many else [value]:
            yield ""
            yield f"[[{path}{_key(key)}]]" if many else f"[{path}{_key(key)}]"
            yield from _lines(item, f"{path}{_key(key)}.")


def _is_section(value: Any) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)
    )


def _key(key: str) -> str:
    bare = key.replace("_", "").replace("-", "")
    return key if bare.isascii() and bare.isalnum() else _inline(key)


def _inline(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + "".join(_escape(letter) for letter in value) + '"'
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_inline(item) for item in value) + "]"
    return repr(value)


def _escape(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    return letter if letter.isprintable() else f"\\U{ord(letter):08x}"
