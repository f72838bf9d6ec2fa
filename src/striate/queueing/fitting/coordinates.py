"""Which coefficients a fit may turn, given what the user has fixed: an affine map onto all seven."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from striate import units
from striate.errors import QueueingError
from striate.queueing.curves import Floats
from striate.queueing.fitting.terms import (
    APART,
    CONTENDED,
    IO_STARTUP,
    IO_TRANSFER,
    PARALLEL,
    SERIAL,
    STARTUP,
)

PLAIN = {
    "parallel_seconds": PARALLEL,
    "serial_seconds": SERIAL,
    "message_startup_seconds": STARTUP,
    "io_startup_seconds": IO_STARTUP,
    "io_transfer_seconds": IO_TRANSFER,
}
PARAMETERS = (*PLAIN, "contention", "transfer_seconds")
_NAMES = {index: (name,) for name, index in PLAIN.items()}


@dataclass(frozen=True, eq=False)
class Coordinates:
    """coefficients = base + matrix @ values; `names[i]` are the parameters that values[i] moves."""

    base: Floats
    matrix: Floats
    names: tuple[tuple[str, ...], ...]
    formulas: tuple[str, ...]
    per_burst: tuple[bool, ...]
    upper: Floats

    def coefficients(self, values: Floats) -> Floats:
        return np.asarray(self.base + values @ self.matrix.T)

    def shifted(self, by: Floats) -> Coordinates:
        """The same with every coefficient moved by a constant."""
        return replace(self, base=self.base + by)

    def without(self, dropped: set[int]) -> Coordinates:
        """The same with some values held at zero."""
        kept = [index for index in range(len(self.names)) if index not in dropped]
        return Coordinates(
            self.base,
            self.matrix[:, kept],
            tuple(self.names[index] for index in kept),
            tuple(self.formulas[index] for index in kept),
            tuple(self.per_burst[index] for index in kept),
            self.upper[kept],
        )


def free_coordinates(fixed: Mapping[str, units.Quantity], bursts: float) -> Coordinates:
    """All coefficients free but for what `fixed` says; times in `fixed` are those of one burst."""
    known = {name: _fixed_value(name, value) for name, value in fixed.items()}
    base = np.zeros(7)
    columns: list[tuple[Floats, tuple[str, ...], str, bool, float]] = []
    for name, index in PLAIN.items():
        per_burst = index < CONTENDED
        if name in known:
            base[index] = known[name] * (bursts if per_burst else 1)
        else:
            columns.append((_unit(index), (name,), name, per_burst, np.inf))
    columns[_after_startup(columns) : 0] = _transfer_columns(known, base, bursts)
    vectors, names, formulas, bursty, upper = zip(*columns, strict=True) if columns else ((), (), (), (), ())
    matrix = np.stack(vectors, axis=1) if vectors else np.zeros((7, 0))
    return Coordinates(
        base, matrix, tuple(names), tuple(formulas), tuple(bursty), np.array(upper, dtype=float)
    )


def _after_startup(columns: list[tuple[Floats, tuple[str, ...], str, bool, float]]) -> int:
    return sum(column[3] for column in columns)


def _transfer_columns(
    known: dict[str, float], base: Floats, bursts: float
) -> list[tuple[Floats, tuple[str, ...], str, bool, float]]:
    both = ("contention", "transfer_seconds")
    contention, transfer = known.get("contention"), known.get("transfer_seconds")
    if transfer is not None:
        total = transfer * bursts
        if contention is not None:
            base[APART], base[CONTENDED] = (1 - contention) * total, contention * total
            return []
        base[APART] = total
        move = _unit(CONTENDED) - _unit(APART)
        return [(move, ("contention",), "contention * transfer_seconds", True, total)]
    if contention is None:
        apart, contended = "(1 - contention) * transfer_seconds", "contention * transfer_seconds"
        return [(_unit(APART), both, apart, True, np.inf), (_unit(CONTENDED), both, contended, True, np.inf)]
    vector = (1 - contention) * _unit(APART) + contention * _unit(CONTENDED)
    return [(vector, ("transfer_seconds",), "transfer_seconds", True, np.inf)]


def _unit(index: int) -> Floats:
    vector = np.zeros(7)
    vector[index] = 1.0
    return vector


def _fixed_value(name: str, value: units.Quantity) -> float:
    if name not in PARAMETERS:
        raise QueueingError(f"expected a parameter among {', '.join(PARAMETERS)}, got {name!r}", at="fixed")
    if name != "contention":
        return units.seconds(value)
    if isinstance(value, bool | str) or not 0 <= float(value) <= 1:
        raise QueueingError(
            f"expected `contention` (share of a transfer's time on the shared network) from 0 to 1, got {value!r}",
            at="fixed.contention",
        )
    return float(value)
