"""Measured numbers of a description: how far each may be from what is written, and the machine at either end."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from striate.cluster.description.quantities import (
    Bytes,
    BytesPerSecond,
    Instructions,
    Load,
    PieceBytes,
    Ticks,
)
from striate.cluster.description.tables import Description, MeasuredTable
from striate.errors import ClusterError, UnitError

Number = Bytes | BytesPerSecond | Instructions | Load | Ticks
_STEP = re.compile(r"([a-z_]+)|\[([0-9]{1,6})\]")


def check_measured(description: Description) -> None:
    """Raise ClusterError where a measured key leads to no number, or its range does not hold the value."""
    for place, table in enumerate(description.measured):
        at = f"$.measured[{place}]"
        value = value_at(description, table.key)
        if not isinstance(value, Number) or isinstance(value, PieceBytes):
            raise ClusterError(
                "expected the path of a time, rate, load or memory in the cluster description, "
                f"such as node[0].socket.bandwidth, got {table.key!r:.80}",
                at=f"{at}.key",
            )
        low, high = (read_like(value, getattr(table, end), f"{at}.{end}") for end in ("low", "high"))
        if not low <= value <= high:
            raise ClusterError(
                f"expected a measured range that includes the described value of {table.key}, "
                f"got {table.low} to {table.high}",
                at=at,
            )


def value_at(description: Description, key: str) -> Any:
    """What stands at a path such as `server[0].disk.read_rate`; None when nothing does."""
    value: Any = description
    for step in steps_of(key):
        if isinstance(step, int):
            value = value[step] if isinstance(value, tuple) and step < len(value) else None
        else:
            value = getattr(value, step, None) if isinstance(value, msgspec.Struct) else None
    return value


def with_value(description: Description, measured: MeasuredTable, value: Number) -> Description:
    """The description with another value at a measured key, and its range replaced."""
    changed: Description = replaced(description, steps_of(measured.key), value)
    others = tuple(table for table in changed.measured if table.key != measured.key)
    return msgspec.structs.replace(changed, measured=(*others, measured))


def steps_of(key: str) -> list[str | int]:
    found = _STEP.findall(key)
    written = ".".join(word or f"[{number}]" for word, number in found).replace(".[", "[")
    return [word or int(number) for word, number in found] if written == key else [""]


def read_like(like: Number, text: str, at: str) -> Number:
    try:
        return type(like).read(text)
    except UnitError as error:
        raise ClusterError(error.message, at=at) from None


def replaced(value: Any, steps: list[str | int], new: Number) -> Any:
    if not steps:
        return new
    first, *rest = steps
    if isinstance(first, int):
        return tuple(replaced(item, rest, new) if i == first else item for i, item in enumerate(value))
    return msgspec.structs.replace(value, **{first: replaced(getattr(value, first), rest, new)})
