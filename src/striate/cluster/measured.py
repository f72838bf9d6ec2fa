"""Measured numbers of a description: how far each may be from what is written, and the machine at either end."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from striate.cluster.cluster import Cluster
from striate.cluster.description import Description, MeasuredTable
from striate.cluster.quantities import BytesPerSecond, Instructions, Load, Ticks
from striate.errors import ClusterError, UnitError

Number = BytesPerSecond | Instructions | Load | Ticks
_STEP = re.compile(r"([a-z_]+)|\[([0-9]{1,6})\]")


def check_measured(description: Description) -> None:
    """Raise ClusterError where a measured key leads to no time, rate or load, or its range does not hold the value."""
    for place, table in enumerate(description.measured):
        at = f"$.measured[{place}]"
        value = value_at(description, table.key)
        if not isinstance(value, Number):
            raise ClusterError(
                f"expected the path of a time, rate or load such as node[0].socket.bandwidth, got {table.key!r:.80}",
                at=f"{at}.key",
            )
        low, high = (_read(value, getattr(table, end), f"{at}.{end}") for end in ("low", "high"))
        if not low <= value <= high:
            raise ClusterError(
                f"expected {table.low} to {table.high} to hold the value at {table.key}", at=at
            )


def at_end(cluster: Cluster, *, fast: bool) -> Cluster:
    """The machine with every measured number at the fast or the slow end of its range; itself when none has one."""
    from striate.cluster.build import build

    description = cluster.description
    if description is None or not description.measured:
        return cluster
    for table in description.measured:
        value = value_at(description, table.key)
        small = (
            isinstance(value, Ticks | Load) == fast
        )  # short times and small loads are fast, large rates are
        end = _read(value, table.low if small else table.high, table.key)
        description = _replaced(description, _steps(table.key), end)
    return build(msgspec.structs.replace(description, measured=()))


def value_at(description: Description, key: str) -> Any:
    """What stands at a path such as `server[0].disk.read_rate`; None when nothing does."""
    value: Any = description
    for step in _steps(key):
        if isinstance(step, int):
            value = value[step] if isinstance(value, tuple) and step < len(value) else None
        else:
            value = getattr(value, step, None) if isinstance(value, msgspec.Struct) else None
    return value


def with_value(description: Description, measured: MeasuredTable, value: Number) -> Description:
    """The description with another value at a measured key, and its range replaced."""
    changed: Description = _replaced(description, _steps(measured.key), value)
    others = tuple(table for table in changed.measured if table.key != measured.key)
    return msgspec.structs.replace(changed, measured=(*others, measured))


def _steps(key: str) -> list[str | int]:
    found = _STEP.findall(key)
    written = ".".join(word or f"[{number}]" for word, number in found).replace(".[", "[")
    return [word or int(number) for word, number in found] if written == key else [""]


def _read(like: Number, text: str, at: str) -> Number:
    try:
        return type(like).read(text)
    except UnitError as error:
        raise ClusterError(error.message, at=at) from None


def _replaced(value: Any, steps: list[str | int], new: Number) -> Any:
    if not steps:
        return new
    first, *rest = steps
    if isinstance(first, int):
        return tuple(_replaced(item, rest, new) if i == first else item for i, item in enumerate(value))
    return msgspec.structs.replace(value, **{first: _replaced(getattr(value, first), rest, new)})
