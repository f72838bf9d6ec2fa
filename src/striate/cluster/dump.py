"""`cluster_to_toml`: a machine written as the TOML that `load_cluster` reads back as the same machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from striate.cluster.cluster import Cluster
from striate.cluster.quantities import Bytes, BytesPerSecond, Ticks
from striate.errors import ClusterError
from striate.units import format_picoseconds, format_rate, format_size

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def cluster_to_toml(cluster: Cluster) -> str:
    """TOML text that describes `cluster` exactly; refuses a machine that was made without a description."""
    if cluster.description is None:
        raise ClusterError("this cluster was not made from a description, so none can be written")
    return "\n".join(_lines(_tables(cluster.description), "")) + "\n"


def _tables(struct: msgspec.Struct) -> dict[str, Any]:
    """Key by key, without what is left at its default; the tag of a tagged class comes first."""
    config = type(struct).__struct_config__
    found: dict[str, Any] = {config.tag_field: config.tag} if config.tag_field else {}
    for field in msgspec.structs.fields(struct):
        value = getattr(struct, field.name)
        if field.default is msgspec.NODEFAULT or value != field.default:
            found[field.name] = value
    return found


def _lines(table: dict[str, Any], path: str) -> Iterator[str]:
    """Plain keys first, then sub-tables: what comes after a header belongs to it."""
    later = {key: value for key, value in table.items() if _is_section(value, path)}
    for key, value in table.items():
        if key not in later:
            yield f"{key} = {_inline(value)}"
    for key, value in later.items():
        many = isinstance(value, tuple)
        for item in value if many else (value,):
            yield ""
            yield f"[[{path}{key}]]" if many else f"[{path}{key}]"
            yield from _lines(_tables(item), f"{path}{key}.")


def _is_section(value: Any, path: str) -> bool:
    """Top-level tables have headers of their own, and so have lists of tables; the rest is written inline."""
    if isinstance(value, tuple):
        return bool(value) and isinstance(value[0], msgspec.Struct)
    return isinstance(value, msgspec.Struct) and path == ""


def _inline(value: Any) -> str:
    if isinstance(value, msgspec.Struct):
        return "{ " + ", ".join(f"{key} = {_inline(item)}" for key, item in _tables(value).items()) + " }"
    if isinstance(value, tuple):
        return "[" + ", ".join(_inline(item) for item in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    return _number(value)


def _number(value: float) -> str:
    if isinstance(value, Bytes):
        return f'"{format_size(value)}"'
    if isinstance(value, Ticks):
        return f'"{format_picoseconds(value)}"'
    if isinstance(value, BytesPerSecond):
        return f'"{format_rate(value)}"'
    return repr(int(value)) if isinstance(value, int) else repr(float(value))


def _quoted(text: str) -> str:
    """A string as TOML has it; one of several lines keeps them."""
    if "\n" not in text:
        return '"' + "".join(_escape(letter) for letter in text) + '"'
    lines = ("".join(_escape(letter) for letter in line) for line in text.split("\n"))
    return '"""\n' + "\n".join(lines) + '"""'


def _escape(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    return letter if letter.isprintable() else f"\\U{ord(letter):08x}"
