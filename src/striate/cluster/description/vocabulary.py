"""Which keys and words a description knows at a path such as `$.server[0].disk`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec import inspect

_STEP = re.compile(r"\.([A-Za-z0-9_-]+)|\[(\d+)\]")


def keys_at(root: type, document: Any, path: str) -> list[str]:
    """Keys of the table at `path`; of a tagged table, those of the kind that the document names."""
    value = value_at(document, path)
    for kind in _types_at(root, path):
        if isinstance(kind, inspect.StructType) and _is_named(kind, value):
            tag = [kind.tag_field] if kind.tag_field else []
            return tag + [field.encode_name for field in kind.fields]
    return []


def words_at(root: type, document: Any, path: str) -> list[str]:
    """Words that may stand at `path`."""
    parent, _, key = path.rpartition(".")
    tags = [
        str(kind.tag)
        for kind in _types_at(root, parent)
        if isinstance(kind, inspect.StructType) and kind.tag_field == key
    ]
    literals = [kind for kind in _types_at(root, path) if isinstance(kind, inspect.LiteralType)]
    return tags or [str(word) for kind in literals for word in kind.values]


def value_at(document: Any, path: str) -> Any:
    """What the document holds at `path`; `...` when there is nothing."""
    for key, index in _STEP.findall(path):
        try:
            document = document[key] if key else document[int(index)]
        except (KeyError, IndexError, TypeError):
            return ...
    return document


def _types_at(root: type, path: str) -> list[inspect.Type]:
    kinds = list(_members(inspect.type_info(root)))
    for key, _ in _STEP.findall(path):
        kinds = [member for kind in kinds for inner in _inside(kind, key) for member in _members(inner)]
    return kinds


def _inside(kind: inspect.Type, key: str) -> Iterator[inspect.Type]:
    """What a table holds under `key`, or a list at any index (an empty key)."""
    if isinstance(kind, inspect.StructType) and key:
        yield from (field.type for field in kind.fields if field.encode_name == key)
    elif isinstance(kind, inspect.VarTupleType) and not key:
        yield kind.item_type


def _members(kind: inspect.Type) -> Iterator[inspect.Type]:
    if isinstance(kind, inspect.UnionType):
        for member in kind.types:
            yield from _members(member)
    else:
        yield kind


def _is_named(kind: inspect.StructType, value: Any) -> bool:
    return kind.tag_field is None or (isinstance(value, dict) and value.get(kind.tag_field) == kind.tag)
