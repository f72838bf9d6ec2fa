"""Values of people's sheets: numbers with and without units, in the unit that they can only have meant."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from striate.errors import ClusterError

GIB, MIB, GIGABIT = 2**30, 2**20, 1e9 / 8
_SCALES = {
    "k": 1e3,
    "m": 1e6,
    "g": 1e9,
    "t": 1e12,
    "ki": 2**10,
    "mi": 2**20,
    "gi": 2**30,
    "ti": 2**40,
    "": 1.0,
}
_NUMBER = re.compile(r"\s*([0-9]+(?:[.,][0-9]+)*)\s*([a-zA-Z/]*)\s*", re.ASCII)
MOST_GIB_PER_SECOND = 64  # of one drive: more is meant in MB/s
LEAST_MEMORY_MIB = 4096  # less is meant in GiB: DLIO does not run in it


@dataclass
class SheetReader:
    """A document, where in it we are, and notes on what was read otherwise than its schema says."""

    source: str
    notes: list[str] = field(default_factory=list)

    def refuse(self, message: str, at: str) -> ClusterError:
        return ClusterError(message, at=at, source=self.source)

    def mapping(self, value: Any, at: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.refuse(f"expected an object, got {kind_of(value)}", at)
        return value

    def items(self, parent: dict[str, Any], key: str, at: str) -> list[tuple[dict[str, Any], str]]:
        """The objects of a list and where each stands; an absent list is empty."""
        value = parent.get(key)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.refuse(f"expected a list, got {kind_of(value)}", f"{at}.{key}")
        places = [f"{at}.{key}[{place}]" for place in range(len(value))]
        return [(self.mapping(one, where), where) for one, where in zip(value, places, strict=True)]

    def text(self, parent: dict[str, Any], key: str, at: str) -> str:
        value = parent.get(key, "")
        if not isinstance(value, str):
            raise self.refuse(f"expected a text, got {kind_of(value)}", f"{at}.{key}")
        return value

    def number(self, parent: dict[str, Any], key: str, at: str) -> tuple[float, str] | None:
        """A number that is not negative, and its unit; None where the key is absent. Ranges (4-58) are refused."""
        value = parent.get(key)
        if value is None or value == "":
            return None
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e15:
            return float(value), ""
        match = _NUMBER.fullmatch(value) if isinstance(value, str) else None
        if match is None or len(match[1]) > 15:
            raise self.refuse(f"expected a number that is not negative, got {kind_of(value)}", f"{at}.{key}")
        return float(match[1].replace(",", "")), match[2].lower()

    def count(self, parent: dict[str, Any], key: str, at: str, *, default: int | None = None) -> int | None:
        found = self.number(parent, key, at)
        if found is None:
            return default
        if found[0] != int(found[0]) or found[1]:
            raise self.refuse(f"expected a whole number, got {kind_of(parent[key])}", f"{at}.{key}")
        return int(found[0])

    def drive_rate(self, parent: dict[str, Any], key: str, at: str) -> float | None:
        """`peak_bandwidth` in bytes per second: the schema means GiB/s, many write MB/s."""
        found = self.number(parent, key, at)
        if found is None or not found[0]:
            return None
        value, unit = found
        if unit:
            return value * self._scale(unit.removesuffix("/s").removesuffix("ps"), f"{at}.{key}")
        if value <= MOST_GIB_PER_SECOND:
            return value * GIB
        self.notes.append(f"{key} {value:g} was read as MB/s, not as the schema's GiB/s - at {at}")
        return value * 1e6

    def memory(self, parent: dict[str, Any], at: str) -> float | None:
        """Bytes of `capacity_MiB`, which many give in GiB, or of `capacity_GiB` or `capacity_GB`."""
        for key, scale in (("capacity_MiB", float(MIB)), ("capacity_GiB", float(GIB)), ("capacity_GB", 1e9)):
            found = self.number(parent, key, at)
            if found is None or not found[0]:
                continue
            if found[1]:
                return found[0] * self._scale(found[1], f"{at}.{key}")
            if key == "capacity_MiB" and found[0] < LEAST_MEMORY_MIB:
                self.notes.append(f"capacity_MiB {found[0]:g} was read as GiB - at {at}")
                return found[0] * GIB
            return found[0] * scale
        return None

    def bit_rate(self, parent: dict[str, Any], key: str, at: str) -> float | None:
        """Bytes per second of a bitrate in Gb/s."""
        found = self.number(parent, key, at)
        return None if found is None or not found[0] else found[0] * GIGABIT

    def _scale(self, unit: str, at: str) -> float:
        scale = _SCALES.get(unit.removesuffix("b"))
        if scale is None:
            raise self.refuse(f"expected a unit such as MB/s or GiB, got {unit!r:.40}", at)
        return scale


def kind_of(value: Any) -> str:
    """What was found, short: containers by their kind alone."""
    kinds = {dict: "an object", list: "a list", type(None): "nothing"}
    return kinds.get(type(value)) or repr(value)[:60]
