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
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?", re.ASCII)
_UNSAID = re.compile(
    r"\s*(?:-*|n/?\.?a\.?|none|null|unknown|unspecified|not (?:applicable|available)|tb[ad])\s*",
    re.IGNORECASE,
)
_BITS = {"m": 1e6 / 8, "g": GIGABIT, "t": 1e12 / 8, "": GIGABIT}
MOST_LETTERS = 60  # of a number with its unit
MOST_GIB_PER_SECOND = 64  # of one drive: more is meant in MB/s
MOST_GIGABITS = 1600  # of one port: more is meant in Mb/s
LEAST_MEMORY_MIB = 4096  # less is meant in GiB: DLIO does not run in it
CAPACITIES = {"MiB": float(MIB), "GiB": float(GIB), "TiB": float(2**40), "MB": 1e6, "GB": 1e9, "TB": 1e12}


@dataclass
class SheetReader:
    """A document, where in it we are, and notes on what was read otherwise than its schema says.

    A number that makes no sense is refused; a `lenient` reader leaves it open, with a note.
    """

    source: str
    notes: list[str] = field(default_factory=list)
    lenient: bool = False

    def refuse(self, message: str, at: str) -> ClusterError:
        return ClusterError(message, at=at, source=self.source)

    def leave_open(self, message: str, at: str) -> None:
        """Refuse a value, or, when lenient, go on without it."""
        if not self.lenient:
            raise self.refuse(message, at)
        self.notes.append(f"{message} - at {at}; left open")

    def mapping(self, value: Any, at: str) -> dict[str, Any]:
        if isinstance(value, dict):
            return value
        if at == "$":
            raise self.refuse(f"expected an object, got {kind_of(value)}", at)
        self.leave_open(f"expected an object, got {kind_of(value)}", at)
        return {}

    def items(self, parent: dict[str, Any], key: str, at: str) -> list[tuple[dict[str, Any], str]]:
        """The objects of a list and where each stands; an absent list is empty."""
        value = parent.get(key)
        if value is None:
            return []
        if self.lenient and isinstance(value, dict):
            value = [value]
        if not isinstance(value, list):
            self.leave_open(f"expected a list, got {kind_of(value)}", f"{at}.{key}")
            return []
        places = [f"{at}.{key}[{place}]" for place in range(len(value))]
        return [(self.mapping(one, where), where) for one, where in zip(value, places, strict=True)]

    def text(self, parent: dict[str, Any], key: str, at: str) -> str:
        value = parent.get(key, "")
        if isinstance(value, str):
            return value
        self.leave_open(f"expected a text, got {kind_of(value)}", f"{at}.{key}")
        return ""

    def number(self, parent: dict[str, Any], key: str, at: str) -> tuple[float, str] | None:
        """A number that is not negative, and its unit; None where it is not said. Ranges (4-58) are refused."""
        value = parent.get(key)
        short = isinstance(value, str) and len(value) < MOST_LETTERS
        if value is None or (short and _UNSAID.fullmatch(value)):
            return None
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e15:
            return float(value), ""
        match = _NUMBER.fullmatch(value) if short else None
        if (
            match is None
            or len(match[1]) > 15
            or not (_THOUSANDS.fullmatch(match[1]) or _is_number(match[1]))
        ):
            self.leave_open(f"expected a number that is not negative, got {kind_of(value)}", f"{at}.{key}")
            return None
        return float(match[1].replace(",", "")), match[2].lower()

    def count(self, parent: dict[str, Any], key: str, at: str, *, default: int | None = None) -> int | None:
        found = self.number(parent, key, at)
        if found is not None and (found[0] != int(found[0]) or found[1]):
            self.leave_open(f"expected a whole number, got {kind_of(parent[key])}", f"{at}.{key}")
            return default
        return default if found is None else int(found[0])

    def drive_rate(self, parent: dict[str, Any], key: str, at: str) -> float | None:
        """`peak_bandwidth` in bytes per second: the schema means GiB/s, many write MB/s."""
        found = self.number(parent, key, at)
        if found is None or not found[0]:
            return None
        value, unit = found
        if unit:
            return self._scaled(value, unit.removesuffix("/s").removesuffix("ps"), f"{at}.{key}")
        if value <= MOST_GIB_PER_SECOND:
            return value * GIB
        self.notes.append(f"{key} {value:g} was read as MB/s, not as the schema's GiB/s - at {at}")
        return value * 1e6

    def memory(self, parent: dict[str, Any], at: str) -> float | None:
        """Bytes of `capacity_MiB`, which many give in GiB, or of `capacity_GiB` and its like."""
        found = self.number(parent, "capacity_MiB", at)
        if found is not None and 0 < found[0] < LEAST_MEMORY_MIB and not found[1]:
            self.notes.append(f"capacity_MiB {found[0]:g} was read as GiB - at {at}")
            return found[0] * GIB
        return self.capacity(parent, at)

    def capacity(self, parent: dict[str, Any], at: str, name: str = "capacity") -> float | None:
        """Bytes of the first of `capacity_MiB`, `capacity_GiB` and its like that is there; a unit in it counts more."""
        for unit, scale in CAPACITIES.items():
            key = f"{name}_{unit}"
            found = self.number(parent, key, at)
            if found is not None and found[0]:
                return self._scaled(found[0], found[1], f"{at}.{key}") if found[1] else found[0] * scale
        return None

    def bit_rate(self, parent: dict[str, Any], key: str, at: str) -> float | None:
        """Bytes per second of a bitrate in Gb/s; 100GbE and 25000 Mb/s are read as such."""
        found = self.number(parent, key, at)
        if found is None or not found[0]:
            return None
        value, unit = found
        scale = _BITS.get(re.sub(r"(b|be|bit|bits|bps|bits?/s|b/s)$", "", unit))
        if scale is None:
            self.leave_open(f"expected a bitrate in Gb/s, got {kind_of(parent[key])}", f"{at}.{key}")
            return None
        if not unit and value > MOST_GIGABITS:
            self.notes.append(f"{key} {value:g} was read as Mb/s, not as the schema's Gb/s - at {at}")
            scale = _BITS["m"]
        return value * scale

    def _scaled(self, value: float, unit: str, at: str) -> float | None:
        scale = _SCALES.get(unit.removesuffix("b"))
        if scale is None:
            self.leave_open(f"expected a unit such as MB/s or GiB, got {unit!r:.40}", at)
            return None
        return value * scale


def _is_number(text: str) -> bool:
    return text.count(".") <= 1 and "," not in text


def kind_of(value: Any) -> str:
    """What was found, short: containers by their kind alone."""
    kinds = {dict: "an object", list: "a list", type(None): "nothing"}
    return kinds.get(type(value)) or repr(value)[:60]
