"""Turns what the decoder says about a wrong document into one line with the path of the mistake."""

from __future__ import annotations

import difflib
import re
from typing import Any

import msgspec

from striate.cluster.description.tables import Description
from striate.cluster.description.vocabulary import keys_at, value_at, words_at
from striate.decoders import json_mistake
from striate.errors import ClusterError

_FIELD = re.compile(r"(?s)Object (missing required|contains unknown) field `(.*)`")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]{1,64}")
_TYPES = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
}
_PHRASES = {
    " of length >= ": " of at least ",
    " of length <= ": " of at most ",
    " >= ": " of at least ",
    " <= ": " of at most ",
    " > ": " above ",
    "that's": "that is",
}


def cluster_error(error: msgspec.ValidationError, document: Any) -> ClusterError:
    """The refusal for a document that does not decode: what was wanted, what was found, and where."""
    message, where = json_mistake(error)
    path = where or "$"
    field = _FIELD.fullmatch(message)
    if field is None:
        return ClusterError(_plain(message, document, path), at=path)
    if field[1] == "missing required":
        return ClusterError(f"missing key `{field[2]}`", at=f"{path}.{field[2]}")
    return _unknown_key(field[2], document, path)


def _unknown_key(key: str, document: Any, path: str) -> ClusterError:
    if not _BARE_KEY.fullmatch(key):
        return ClusterError(f"unknown key {_shown(key)}", at=path)
    known = keys_at(Description, document, path)
    close = difflib.get_close_matches(key, known, n=1)
    hint = f"did you mean `{close[0]}`?" if close else f"known keys are {', '.join(known)}"
    return ClusterError(f"unknown key `{key}`; {hint}", at=f"{path}.{key}")


def _plain(message: str, document: Any, path: str) -> str:
    """The decoder's words in ours; what a quantity said for itself stays as it is."""
    if message.startswith("expected"):
        return message
    found = f", got {_shown(value_at(document, path))}"
    if message.startswith("Invalid"):
        return f"expected one of {', '.join(words_at(Description, document, path))}{found}"
    if "matching regex" in message:
        return f"expected a name of letters, digits, spaces and _ + ( ) / -{found}"
    wanted = message.removeprefix("Expected ").split(", got ")[0]
    wanted = re.sub(r"`([^`]*)`", lambda types: _in_words(types[1]), wanted)
    for theirs, ours in _PHRASES.items():
        wanted = wanted.replace(theirs, ours)
    return f"expected {wanted}{found}"


def _in_words(types: str) -> str:
    return " or ".join(_TYPES.get(word, word) for word in types.split(" | ") if word != "null")


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    if isinstance(value, int) and value.bit_length() > 128:
        return "a very large number"
    text = ascii(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 40 else text[:37] + "..."
