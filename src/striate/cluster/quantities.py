"""Numbers with units inside cluster descriptions; each is read from text ("64 KiB") or a bare number."""

from __future__ import annotations

from typing import Any

from striate import units


class Bytes(int):
    """A size in bytes."""

    @classmethod
    def read(cls, quantity: units.Quantity) -> Bytes:
        return cls(units.size(quantity))


class BytesPerSecond(float):
    """A transfer rate; positive, because a component that moves nothing never finishes."""

    @classmethod
    def read(cls, quantity: units.Quantity) -> BytesPerSecond:
        value = units.rate(quantity)
        if value < 1:
            raise units.UnitError(f"expected a rate of at least 1 B/s, got {quantity!r}")
        return cls(value)


class Ticks(int):
    """A duration in whole picoseconds, the tick of every simulated clock."""

    @classmethod
    def read(cls, quantity: units.Quantity) -> Ticks:
        return cls(units.picoseconds(quantity))


class Instructions(float):
    """Instructions per second; positive."""

    @classmethod
    def read(cls, quantity: units.Quantity) -> Instructions:
        value = units.count(quantity)
        if value <= 0:
            raise units.UnitError(f"expected a positive number of instructions per second, got {quantity!r}")
        return cls(value)


def decode(kind: type, value: Any) -> Any:
    """msgspec's hook: reads one of the types above."""
    if issubclass(kind, Bytes | BytesPerSecond | Ticks | Instructions):
        return kind.read(value)
    raise NotImplementedError(f"no way to read a {kind.__name__}")
