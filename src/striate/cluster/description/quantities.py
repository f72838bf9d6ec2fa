"""Numbers with units inside cluster descriptions; each is read from text ("64 KiB") or a bare number."""

from __future__ import annotations

from typing import Any

from striate import units
from striate.errors import UnitError

LARGEST_RATE = 2.0**47  # B/s: a packet's time in picoseconds is exact up to it (core/src/network/rate.cpp)
LARGEST_SPEED = 1e18  # instructions per second: sums over a whole machine stay finite
LARGEST_PIECE = 2**40  # bytes: so many times any count of servers or ranks stays below 2^63
LARGEST_LOAD = 1e6
LONGEST_TICKS = 86_400 * units.PICOSECONDS_PER_SECOND  # sums along a route stay below 2^63


class Bytes(int):
    """A size in bytes."""

    @classmethod
    def read(cls, quantity: units.Quantity) -> Bytes:
        return cls(units.size(quantity))


class PieceBytes(Bytes):
    """A size that data is cut into, such as a packet: at least one byte, and no more than the engines can multiply."""

    @classmethod
    def read(cls, quantity: units.Quantity) -> PieceBytes:
        value = units.size(quantity)
        if not 1 <= value <= LARGEST_PIECE:
            raise UnitError(f"expected a size from 1 B to 1 TiB, got {quantity!r}")
        return cls(value)


class BytesPerSecond(float):
    """A transfer rate; positive, because a component that moves nothing never finishes."""

    @classmethod
    def read(cls, quantity: units.Quantity) -> BytesPerSecond:
        value = units.rate(quantity)
        if not 1 <= value <= LARGEST_RATE:
            raise UnitError(f"expected a rate from 1 B/s to 128 TiB/s, got {quantity!r}")
        return cls(value)


class Ticks(int):
    """A duration in whole picoseconds, the tick of every simulated clock."""

    @classmethod
    def read(cls, quantity: units.Quantity) -> Ticks:
        value = units.picoseconds(quantity)
        if value > LONGEST_TICKS:
            raise UnitError(f"expected a time of one day at most, got {quantity!r}")
        return cls(value)


class Instructions(float):
    """Instructions per second; positive."""

    @classmethod
    def read(cls, quantity: units.Quantity) -> Instructions:
        value = units.count(quantity)
        if not 0 < value <= LARGEST_SPEED:
            raise UnitError(f"expected instructions per second above 0 and at most 1e18, got {quantity!r}")
        return cls(value)


class Load(float):
    """How many processes want something at once, on average."""

    @classmethod
    def read(cls, quantity: units.Quantity) -> Load:
        value = units.count(quantity)
        if value > LARGEST_LOAD:
            raise UnitError(
                f"expected a background load of at most {LARGEST_LOAD:,.0f} processes, got {quantity!r}"
            )
        return cls(value)


def decode(kind: type, value: Any) -> Any:
    """msgspec's hook: reads one of the types above."""
    if issubclass(kind, Bytes | BytesPerSecond | Ticks | Instructions | Load):
        try:
            return kind.read(value)
        except OverflowError as error:
            raise UnitError(f"the number is too large: {value!r:.40}") from error
    raise NotImplementedError(f"cannot read a {kind.__name__}")
