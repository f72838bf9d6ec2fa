"""What observations can tell and what they cannot: the null space of a model, and how to say it in words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from striate.queueing.curves import Floats
from striate.queueing.fitting.coordinates import Coordinates
from striate.queueing.fitting.terms import CONTENDED, IO_STARTUP, IO_TRANSFER, Terms

_STEP = 1e-4
_SMALL = 1e-6  # singular values and entries below this are zero: structural ones come out near 1e-10
_ORDER = ("contention", "parallel_seconds", "serial_seconds", "message_startup_seconds", "transfer_seconds")


def null_space(terms: Terms, coordinates: Coordinates, typical: float) -> Floats:
    """Directions, one per row, along which no observation at these points ever changes.

    Derivatives are taken at several generic programs, so that a direction which is merely hidden behind the
    bottleneck of one of them is not taken for a null one; rows are reduced, which makes supports small.
    """
    generic = [
        _generic(terms, coordinates, typical, *shares) for shares in ((0.5, 0.5), (1.0, 0.2), (0.2, 1.0))
    ]
    scale = np.mean(generic, axis=0)
    stacked = np.concatenate([_derivatives(terms, coordinates, values, scale) for values in generic])
    sizes = np.linalg.norm(stacked, axis=0)
    idle = sizes <= _SMALL
    sizes[idle] = 1.0
    square = np.linalg.qr(np.vstack([stacked / sizes, np.zeros((sizes.size, sizes.size))]), mode="r")
    _, singular, right = np.linalg.svd(square)
    rank = int((singular > _SMALL * max(singular[0], 1e-300)).sum())
    return _reduced(right[rank:] / sizes * scale)


def _generic(terms: Terms, coordinates: Coordinates, typical: float, bus: float, disk: float) -> Floats:
    """A program in which every coefficient matters: delays share the typical time, stations are half busy."""
    shapes = np.concatenate([terms.delay_shapes, terms.bus_shape[:, None]], axis=1)
    weights = np.concatenate([shapes.mean(axis=0), [1.0, terms.chunks.mean()]])
    target = np.full(7, typical / 4)
    jobs = float(np.mean(terms.groups))
    target[CONTENDED] = bus * typical / jobs
    station = 1.0 if terms.kind == "sio" else jobs
    target[[IO_STARTUP, IO_TRANSFER]] = disk * typical / (2 * station)
    coefficients = target / np.where(weights > 0, weights, 1.0)
    moved = np.abs(coordinates.matrix)
    values = (moved.T @ coefficients) / np.maximum((moved**2).sum(axis=0), 1e-300)
    return np.asarray(np.minimum(values, 0.5 * coordinates.upper))


def _derivatives(terms: Terms, coordinates: Coordinates, values: Floats, scale: Floats) -> Floats:
    steps = np.diag(_STEP * scale)
    moved = np.concatenate([values + steps, values - steps])
    times = np.log(terms.times(coordinates.coefficients(moved)))
    return np.asarray(((times[: values.size] - times[values.size :]) / (2 * _STEP)).T)


def _reduced(rows: Floats) -> Floats:
    """Row-reduced, so that each direction names as few coordinates as it can."""
    rows = rows.copy()
    for index in range(rows.shape[0]):
        pivot = int(np.argmax(np.abs(rows[index])))
        rows[index] /= rows[index, pivot]
        for other in range(rows.shape[0]):
            if other != index:
                rows[other] -= rows[other, pivot] * rows[index]
    rows[np.abs(rows) < 1e-4] = 0.0
    return rows


@dataclass(frozen=True)
class Combination:
    """A sum of coordinates that the data do determine: `weights @ values`."""

    formula: str
    weights: Floats
    per_burst: bool


def combinations(coordinates: Coordinates, null: Floats) -> list[Combination]:
    """The simplest sums that no null direction changes: single coordinates, then pairs."""
    count = len(coordinates.names)
    found: list[Combination] = []
    span = np.zeros((0, count))
    singles = [np.eye(count)[index] for index in range(count)]
    pairs = [
        _pair(row, i, j)
        for row in null
        for i in range(count)
        for j in range(i + 1, count)
        if row[i] * row[j] < 0
    ]
    for weights in singles + pairs:
        if np.abs(null @ weights).max(initial=0.0) > 1e-6:
            continue
        longer = np.vstack([span, weights])
        if np.linalg.matrix_rank(longer, tol=1e-8) > span.shape[0]:
            span = longer
            found.append(_combination(coordinates, weights))
    return sorted(found, key=lambda item: int(np.argmax(item.weights != 0)))


def _pair(row: Floats, first: int, second: int) -> Floats:
    weights = np.zeros(row.size)
    weights[first], weights[second] = 1.0, -row[first] / row[second]
    return weights


def _combination(coordinates: Coordinates, weights: Floats) -> Combination:
    used = np.flatnonzero(weights)
    parts = [_part(coordinates.formulas[index], float(weights[index])) for index in used]
    return Combination(" + ".join(parts), weights, all(coordinates.per_burst[index] for index in used))


def _part(formula: str, weight: float) -> str:
    return formula if abs(weight - 1) < 1e-3 else f"{weight:.3g} * {formula}"


def in_words(coordinates: Coordinates, null: Floats, *, one_processor_helps: bool) -> list[str]:
    """One sentence per null direction."""
    advice = "add p = 1 or fix one" if one_processor_helps else "fix one"
    sentences = []
    for row in null:
        support = np.flatnonzero(row)
        names = sorted({name for index in support for name in coordinates.names[index]}, key=_place)
        if len(support) == 1:
            sentences.append(
                f"{_joined(names)} {'has' if len(names) == 1 else 'have'} no effect on these data"
            )
        else:
            sentences.append(f"{_joined(names)} cannot be separated with these data; {advice}")
    return sentences


def _place(name: str) -> int:
    return _ORDER.index(name) if name in _ORDER else len(_ORDER)


def _joined(names: list[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
