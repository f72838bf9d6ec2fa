"""Machines with measured ranges, and a point somewhere inside them: what is proved must hold of every such machine.

A case has `measured`: rows of a key, by which factor the range goes below and above what is written there, and where
between the ends the played machine lies (0 at the low end, 1 at the high end).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import msgspec
from attack_cases import machine_of

from striate.cluster import Cluster
from striate.cluster.build import build
from striate.cluster.description.measured import Number, replaced, steps_of, value_at
from striate.cluster.description.quantities import Bytes, BytesPerSecond, Instructions, Ticks
from striate.cluster.description.tables import Description, MeasuredTable
from striate.errors import ClusterError

Case = dict[str, Any]

FACTORS = (1.0, 1.05, 1.5, 4.0)
PLACES = (0.0, 0.0, 0.5, 1.0, 1.0, None)  # None: anywhere
KEYS = (
    *(f"node[0].{key}" for key in ("nic.bandwidth", "nic.link.latency", "nic.link.bandwidth")),
    *(f"node[0].{key}" for key in ("socket.bandwidth", "socket.local_bandwidth", "uplink.latency")),
    *("node[0].hub.bandwidth", "node[0].instructions_per_second"),
    *(f"network.{key}.bandwidth" for key in ("switch", "leaf", "spine", "router", "link", "local_link")),
    *("network.link.latency", "server[0].node.nic.bandwidth", "server[0].node.socket.bandwidth"),
    *(f"server[0].disk.{key}" for key in ("rate", "access", "average_seek", "track_seek", "read_rate")),
    *(f"server[0].disk.{key}" for key in ("write_rate", "read_latency", "write_latency")),
    *("server[0].cache.memory", "settings.io_cpu", "settings.io_variation", "settings.turn"),
    *("settings.background", "settings.lag_double", "metadata[0].create", "metadata[0].open"),
)


def with_ranges(case: Case, dice: random.Random) -> Case:
    """The case on a machine of which some numbers were measured."""
    rows = []
    for key in dice.sample(KEYS, dice.choice((3, 8, len(KEYS)))):
        place = dice.choice(PLACES)
        rows.append(
            (key, dice.choice(FACTORS), dice.choice(FACTORS), dice.random() if place is None else place)
        )
    return case | {"measured": rows}


def ranged_of(case: Case) -> Cluster:
    """The machine with its ranges; keys that it does not have are left out."""
    description = _described(case)
    tables = []
    for key, below, above, _ in case["measured"]:
        if (value := _number(description, key)) is not None:
            low, high = (_text(one) for one in _ends(value, below, above))
            tables.append(MeasuredTable(key=key, low=low, high=high, samples=3, how="drawn"))
    return build(msgspec.structs.replace(description, measured=tuple(tables)))


def inside_of(case: Case) -> Cluster:
    """The machine that is played."""
    description = _described(case)
    for key, below, above, place in case["measured"]:
        if (value := _number(description, key)) is not None:
            low, high = _ends(value, below, above)
            description = replaced(
                description, steps_of(key), type(value).read(_text(_between(low, high, place)))
            )
    return build(description)


def fewer_ranges(case: Case) -> Iterator[Case]:
    for at in range(len(case["measured"])):
        yield case | {"measured": [row for number, row in enumerate(case["measured"]) if number != at]}


def _described(case: Case) -> Description:
    description = machine_of(case).description
    assert description is not None
    return description


def _number(description: Description, key: str) -> Number | None:
    value = value_at(description, key)
    return value if isinstance(value, Number) and value > 0 else None


def _ends(value: Number, below: float, above: float) -> tuple[Number, Number]:
    whole = isinstance(value, int)
    ends = (value / below, value * above)
    return tuple(type(value)(round(end) if whole else end) for end in ends)  # type: ignore[return-value]


def _between(low: Number, high: Number, place: float) -> Number:
    middle = low + place * (high - low)
    return type(low)(round(middle) if isinstance(low, int) else middle)


def _text(value: Number) -> str:
    """The value as a description has it."""
    for kind, unit in ((Ticks, "ps"), (BytesPerSecond, "B/s"), (Instructions, ""), (Bytes, "B")):
        if isinstance(value, kind):
            return f"{int(value) if isinstance(value, int) else repr(float(value))} {unit}".strip()
    if value < 0:
        raise ClusterError("a load below 0")
    return repr(float(value))
