"""Turns what the decoder says about a wrong document into one line with the path of the mistake."""

from __future__ import annotations

import difflib
import re
from typing import Any

import msgspec

from striate.cluster.description import NAME_PATTERN, Description
from striate.errors import ClusterError

_WHERE = re.compile(r"(?s)(.*?)(?: - at `([^`]*)`)?")
_FIELD = re.compile(r"(?s)Object (missing required|contains unknown) field `(.*)`")
_STEP = re.compile(r"\.([A-Za-z0-9_-]+)|\[(\d+)\]")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]{1,64}")
_WORDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
}


def cluster_error(error: msgspec.ValidationError, document: Any) -> ClusterError:
    """The refusal for a document that does not decode: what was wanted, what was found, and where."""
    match = _WHERE.fullmatch(str(error))
    assert match is not None
    message, path = match[1], match[2] or "$"
    field = _FIELD.fullmatch(message)
    if field is None:
        return ClusterError(_plain(message, _value_at(document, path)), at=path)
    return _wrong_key(field[2], path, missing=field[1].startswith("missing"))


def _wrong_key(key: str, path: str, *, missing: bool) -> ClusterError:
    if missing:
        return ClusterError(f"missing key `{key}`", at=f"{path}.{key}")
    if not _BARE_KEY.fullmatch(key):
        return ClusterError(f"unknown key {_shown(key)}", at=path)
    close = difflib.get_close_matches(key, known_keys(), n=1)
    hint = f"; did you mean `{close[0]}`?" if close else ""
    return ClusterError(f"unknown key `{key}`{hint}", at=f"{path}.{key}")


def known_keys() -> list[str]:
    """Every key that some table of a description has."""
    seen: set[str] = set()
    todo: list[Any] = [Description]
    while todo:
        info = msgspec.inspect.type_info(todo.pop())
        seen |= _collect(info)
    return sorted(seen)


def _collect(info: Any) -> set[str]:
    keys: set[str] = set()
    if isinstance(info, msgspec.inspect.StructType):
        keys |= {"kind", "topology"} if info.tag_field else set()
        for field in info.fields:
            keys |= {field.encode_name} | _collect(field.type)
    for inner in getattr(info, "types", ()):
        keys |= _collect(inner)
    item = getattr(info, "item_type", None) or getattr(info, "type", None)
    return keys | (_collect(item) if item is not None else set())


def _plain(message: str, value: Any) -> str:
    """The decoder's words in ours; what a quantity said for itself stays as it is."""
    if message.startswith("expected"):
        return message
    if NAME_PATTERN[:8] in message:
        return f"expected a name of letters, digits, spaces and _ + ( ) / -, got {_shown(value)}"
    found = f", got {_shown(value)}"
    if message.startswith("Invalid"):
        return f"unknown word{found}"
    wanted = message.removeprefix("Expected ").split(", got ")[0]
    wanted = re.sub(r"`([^`]*)`", lambda words: _in_words(words[1]), wanted)
    return "expected " + wanted.replace(" >= ", " of at least ").replace(" <= ", " of at most ") + found


def _in_words(types: str) -> str:
    return " or ".join(_WORDS.get(word, word) for word in types.split(" | ") if word != "null")


def _value_at(document: Any, path: str) -> Any:
    for key, index in _STEP.findall(path):
        try:
            document = document[key] if key else document[int(index)]
        except (KeyError, IndexError, TypeError):
            return ...
    return document


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    if isinstance(value, int) and value.bit_length() > 128:
        return "a very large number"
    text = ascii(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 40 else text[:37] + "..."
