"""Sizes, rates and times as people write them: "64 KiB", "1.9 GB/s", "12 ms" - read exactly, printed both ways.

Decimal and binary prefixes differ: 1 KB = 1000 B, 1 KiB = 1024 B. A bare number is in base units (bytes,
bytes per second, seconds, instructions). Text is read as an exact fraction and rounded at most once.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

from striate.errors import UnitError

KiB, MiB, GiB, TiB, PiB = (1024**power for power in range(1, 6))
KB, MB, GB, TB, PB = (1000**power for power in range(1, 6))
PICOSECONDS_PER_SECOND = 10**12
LARGEST = 2**63 - 1

Quantity = str | int | float | Fraction

_DECIMAL = {"": 1, "k": KB, "K": KB, "M": MB, "G": GB, "T": TB, "P": PB, "E": 1000**6}
_BINARY = {"Ki": KiB, "Mi": MiB, "Gi": GiB, "Ti": TiB, "Pi": PiB, "Ei": 1024**6}
_PREFIXES = _DECIMAL | _BINARY
_SIZE_UNITS = {prefix + "B": Fraction(scale) for prefix, scale in _PREFIXES.items()}
_RATE_UNITS = {f"{prefix}B/s": Fraction(scale) for prefix, scale in _PREFIXES.items()} | {
    prefix + bits: Fraction(scale, 8)
    for prefix, scale in _PREFIXES.items()
    for bits in ("bit/s", "b/s", "bps")
}
_TIME_UNITS = {
    "ps": Fraction(1, 10**12),
    "ns": Fraction(1, 10**9),
    "us": Fraction(1, 10**6),
    "µs": Fraction(1, 10**6),  # micro sign
    "μs": Fraction(1, 10**6),  # Greek mu
    "ms": Fraction(1, 1000),
    "s": Fraction(1),
    "min": Fraction(60),
    "h": Fraction(3600),
    "d": Fraction(86400),
}
_COUNT_UNITS = {prefix: Fraction(scale) for prefix, scale in _DECIMAL.items()} | {
    prefix + word: Fraction(scale)
    for prefix, scale in _DECIMAL.items()
    for word in ("instr", "instr/s", "Hz")
}
_TEXT = re.compile(r"([+-]?[0-9][0-9_,]*\.?[0-9]*(?:[eE][+-]?[0-9]{1,3})?)\s*(\S*)")


def size(quantity: Quantity) -> int:
    """Bytes, a whole number: `size("64 KiB") == 65536`. Refuses negative and broken bytes."""
    bytes_ = _read(quantity, _SIZE_UNITS, "B", 'a size such as "64 KiB"')
    if bytes_.denominator != 1:
        raise UnitError(f"expected a whole number of bytes, got {_shown(quantity)}")
    return _bounded(int(bytes_), quantity)


def rate(quantity: Quantity) -> float:
    """Bytes per second: `rate("1 Gbit/s") == 125e6`. Refuses negative rates."""
    return _rounded(_read(quantity, _RATE_UNITS, "B/s", 'a rate such as "1.9 GB/s"'), quantity)


def seconds(quantity: Quantity) -> float:
    """Seconds: `seconds("12 ms") == 0.012`. Refuses negative times."""
    return _rounded(_read(quantity, _TIME_UNITS, "s", 'a time such as "12 ms"'), quantity)


def picoseconds(quantity: Quantity) -> int:
    """The nearest whole picosecond, the tick of every simulated clock: `picoseconds("12 ms") == 12 * 10**9`."""
    exact = _read(quantity, _TIME_UNITS, "s", 'a time such as "12 ms"') * PICOSECONDS_PER_SECOND
    return _bounded(round(exact), quantity)


def count(quantity: Quantity) -> float:
    """Instructions, or instructions per second: `count("2.66 G") == 2.66e9`. Refuses negative counts."""
    return _rounded(_read(quantity, _COUNT_UNITS, "", 'a count such as "2.66 G"'), quantity)


def share(quantity: str | float) -> float:
    """A part of a whole, above 0: `share("20%") == share(0.2) == 0.2`. A bare 20 is more likely 20 % than 2,000 %."""
    text = str(quantity).strip()
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = math.nan
    sound = 0 < value < math.inf and (value < 10 or text.endswith("%"))
    if isinstance(quantity, bool) or not sound:
        raise UnitError(f'expected a share such as "20%" or 0.2, above 0, got {_shown(quantity)}')
    return value


def _read(quantity: Quantity, units: dict[str, Fraction], default: str, wanted: str) -> Fraction:
    if isinstance(quantity, bool) or not isinstance(quantity, str | int | float | Fraction):
        raise UnitError(f"expected {wanted}, got {_shown(quantity)}")
    if isinstance(quantity, str):
        value = _read_text(quantity, units, default, wanted)
    elif isinstance(quantity, float) and not math.isfinite(quantity):
        raise UnitError(f"expected {wanted}, got {_shown(quantity)}")
    else:
        value = Fraction(quantity)
    if value < 0:
        raise UnitError(f"expected {wanted}, not negative, got {_shown(quantity)}")
    return value


def _read_text(text: str, units: dict[str, Fraction], default: str, wanted: str) -> Fraction:
    if len(text) > 64:
        raise UnitError(f"expected {wanted}, got {len(text)} characters")
    match = _TEXT.fullmatch(text.strip())
    if match is None or (match[2] or default) not in units:
        raise UnitError(f"expected {wanted}, got {text!r}")
    return Fraction(match[1].replace("_", "").replace(",", "")) * units[match[2] or default]


def _bounded(value: int, quantity: Quantity) -> int:
    if value > LARGEST:
        raise UnitError(f"expected a number of at most 2^63 - 1, got {_shown(quantity)}")
    return value


def _rounded(value: Fraction, quantity: Quantity) -> float:
    try:
        return float(value)
    except OverflowError:
        raise UnitError(f"expected a number of at most 1.79e308, got {_shown(quantity)}") from None


def _shown(quantity: object) -> str:
    """What was found, short enough for one line."""
    try:
        text = repr(quantity)
    except ValueError:  # Python prints no integer of more than 4300 digits
        return "a number of more than 4300 digits"
    return text if len(text) <= 80 else f"{text[:80]}..."


def format_size(bytes_: int) -> str:
    """The shortest exact form, binary where two are: `size(format_size(n)) == n` for every n."""
    whole = [
        f"{bytes_ // scale} {'k' if prefix == 'K' else prefix}B"
        for prefix, scale in (_BINARY | _DECIMAL).items()
        if prefix != "k" and bytes_ % scale == 0
    ]
    return "0 B" if bytes_ == 0 else min(whole, key=len)


def format_picoseconds(ticks: int) -> str:
    """The shortest exact form: `picoseconds(format_picoseconds(n)) == n` for every n."""
    for unit in ("s", "ms", "us", "ns"):
        ticks_per_unit = int(_TIME_UNITS[unit] * PICOSECONDS_PER_SECOND)
        if ticks % ticks_per_unit == 0:
            return f"{ticks // ticks_per_unit} {unit}"
    return f"{ticks} ps"


def format_rate(bytes_per_second: float) -> str:
    """A form that reads back as the same double: `rate(format_rate(x)) == x` for every finite x."""
    value = float(bytes_per_second)
    if value > LARGEST or not value.is_integer():
        return f"{value!r} B/s"
    return f"{format_size(int(value))}/s"


def counted(number: int, noun: str) -> str:
    """A number and its noun: "1 server", "8 servers", "1,000 servers"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def about_size(bytes_: float) -> str:
    """Three significant digits in binary units, for people: "1.23 GiB"."""
    return _about(bytes_, [("B", 1)] + [(prefix + "B", scale) for prefix, scale in _BINARY.items()])


def about_rate(bytes_per_second: float) -> str:
    """Three significant digits in decimal units, for people: "1.9 GB/s"."""
    prefixes = ("", "k", "M", "G", "T", "P")
    return _about(bytes_per_second, [(prefix + "B/s", _DECIMAL[prefix]) for prefix in prefixes])


def about_count(number: float) -> str:
    """Three significant digits with a decimal prefix, for people: "12 M"."""
    return _about(number, [(prefix, _DECIMAL[prefix]) for prefix in ("", "k", "M", "G", "T", "P")]).rstrip()


def about_seconds(time: float) -> str:
    """Three significant digits, for people: "12 ms", "88.4 s", "2 h 5 min"; "unbounded" when infinite."""
    if math.isinf(time):
        return "unbounded"
    if time < 100 * 60:
        small = [("ps", 1e-12), ("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1)]
        return "0 s" if time == 0 else _about(time, small)
    minutes = round(time / 60)
    days, hours = minutes // 1440, minutes // 60 % 24
    return f"{days} d {hours} h" if days else f"{hours} h {minutes % 60} min"


def _about(value: float, units: list[tuple[str, float]]) -> str:
    unit, scale = units[0]
    for larger in units[1:]:
        if abs(value) >= larger[1] * 0.9995:  # 999.7 us reads 1 ms
            unit, scale = larger
    scaled = value / scale
    digits = f"{scaled:.3g}" if abs(scaled) < 999.5 else f"{scaled:,.0f}"
    return f"{digits} {unit}"
