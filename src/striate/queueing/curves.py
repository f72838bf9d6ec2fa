"""Quantities that change with the number of processors: the scale of communication, the messages sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from striate.errors import QueueingError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
_LONGEST_NUMBER = 60  # characters, such as 1/3


class Curve(Protocol):
    """A value for every number of processors."""

    def __call__(self, processors: Integers, /) -> Floats: ...


@dataclass(frozen=True, slots=True)
class Power:
    """`factor` times p to the `exponent`: `Power(1 / 2, factor=6)` is 6 sqrt(p), the messages of BTIO."""

    exponent: float
    factor: float = 1.0

    def __call__(self, processors: Integers) -> Floats:
        with np.errstate(over="ignore"):  # an endless value is refused where it is used
            return np.asarray(self.factor * processors.astype(np.float64) ** self.exponent)


def hyperperimeter(dimensions: int) -> Power:
    """The border of a block of an r-dimensional array, p^-((r-1)/r) (paper 000, eq. 7)."""
    if dimensions < 1:
        raise QueueingError(f"expected an array of at least 1 dimension, got {dimensions}")
    return Power(-(dimensions - 1) / dimensions)


def inverse() -> Power:
    """1/p: each processor sends an equal share."""
    return Power(-1.0)


def constant(value: float = 1.0) -> Power:
    """The same value for every p."""
    return Power(0.0, value)


@dataclass(frozen=True, slots=True)
class Table:
    """Values known at some numbers of processors only; asking for another is refused."""

    values: tuple[tuple[int, float], ...]

    def __call__(self, processors: Integers) -> Floats:
        known = dict(self.values)
        missing = [int(p) for p in processors if int(p) not in known]
        if missing:
            raise QueueingError(
                "expected a number of processors p for which the curve has a value "
                f"({', '.join(map(str, known))}), got p = {missing[0]}"
            )
        return np.array([known[int(p)] for p in processors], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Function:
    """Any function of one number of processors."""

    function: Callable[[int], float]

    def __call__(self, processors: Integers) -> Floats:
        return np.array([self.function(int(p)) for p in processors], dtype=np.float64)


Described = Curve | Callable[[int], float] | Mapping[int, float] | str | float

_WANTED = (
    'a number, "hyperperimeter:2", "power:-1/6", "inverse", {power = "1/2", factor = 6} or {9 = 18, 64 = 48}'
)


def read_curve(description: Described, *, at: str) -> Curve:
    """A curve from a number, text, a mapping or a function; `at` names the parameter in a refusal."""
    if isinstance(description, Power | Table | Function):
        return description
    try:
        if isinstance(description, str):
            return _from_text(description)
        if isinstance(description, Mapping):
            return _from_mapping(description)
        if callable(description):
            return Function(cast(Callable[[int], float], description))
        return constant(_number(description))
    except (ValueError, TypeError, ZeroDivisionError, OverflowError) as error:
        raise QueueingError(f"expected {_WANTED}, got {description!r:.80}", at=at) from error


def _from_text(text: str) -> Curve:
    name, _, argument = text.partition(":")
    match name.strip():
        case "hyperperimeter":
            return hyperperimeter(int(argument))
        case "power":
            return Power(_number(argument))
        case "inverse" if not argument:
            return inverse()
        case "constant":
            return constant(_number(argument or 1))
    return constant(_number(text))


def _from_mapping(mapping: Mapping[Any, Any]) -> Curve:
    if "power" in mapping and set(mapping) <= {"power", "factor"}:
        return Power(_number(mapping["power"]), _number(mapping.get("factor", 1)))
    if not mapping:
        raise ValueError("an empty table")
    return Table(tuple(sorted((int(p), _number(value)) for p, value in mapping.items())))


def _number(value: Any) -> float:
    if isinstance(value, bool):
        raise TypeError("a boolean is not a number")
    if isinstance(value, str):
        if len(value) > _LONGEST_NUMBER:
            raise ValueError("too many digits")
        value = Fraction(value)
    number = float(value)
    if not np.isfinite(number):
        raise ValueError("not finite")
    return number
