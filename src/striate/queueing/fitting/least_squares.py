"""The search itself: least squares over logarithms, a start per bottleneck."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import least_squares, nnls

from striate.queueing.curves import Floats
from striate.queueing.fitting.coordinates import Coordinates
from striate.queueing.fitting.terms import CONTENDED, IO_STARTUP, IO_TRANSFER, Terms

_LEAST = 1e-9  # of the typical time: less than any measurement can see


@dataclass(frozen=True, eq=False)
class Problem:
    """A model's shapes, what may be turned, and the times to be met."""

    terms: Terms
    coordinates: Coordinates
    observed: Floats

    @property
    def typical(self) -> float:
        return float(np.median(self.observed))

    @property
    def least_step(self) -> float:
        """The smallest step whose effect stands clear of rounding, at the station with the longest queue."""
        return 1e-5 * self.typical / float(self.terms.groups.max())


def relative_errors(problem: Problem, values: Floats) -> Floats:
    """(s - observed s) / observed s, one row per row of values."""
    return np.asarray(problem.observed / problem.terms.times(problem.coordinates.coefficients(values)) - 1)


def squares(problem: Problem, values: Floats) -> float:
    """The sum the search makes small."""
    return float((relative_errors(problem, values) ** 2).sum())


def derivatives(problem: Problem, values: Floats, steps: Floats) -> Floats:
    """Of the relative errors by each value, a column each; central differences in one call of the core."""
    moved = np.concatenate([values + np.diag(steps), values - np.diag(steps)])
    found = relative_errors(problem, moved)
    return np.asarray(((found[: values.size] - found[values.size :]) / (2 * steps[:, None])).T)


def solve(problem: Problem) -> Floats:
    """The best values: a few steps from every start, more from the best four, then finely from the best."""
    least = _LEAST * problem.typical
    low = np.full(len(problem.coordinates.names), np.log(least))
    most = 1e6 * problem.observed.max() * problem.terms.groups.max()
    high = np.minimum(np.log(most), np.log(problem.coordinates.upper))
    logarithms = [
        np.clip(np.log(np.maximum(start, least)), low + 1e-6, high - 1e-6) for start in _starts(problem)
    ]
    rough = [descend(problem, start, (low, high), tolerance=1e-3, most=12) for start in logarithms]
    rough.sort(key=lambda result: float(result.cost))
    nearer = [descend(problem, result.x, (low, high), tolerance=1e-4, most=40) for result in rough[:4]]
    best = min(nearer, key=lambda result: float(result.cost))
    fine = descend(problem, best.x, (low, high), tolerance=1e-9, most=100)
    return refine(problem, np.exp(fine.x))


def descend(
    problem: Problem, start: Floats, bounds: tuple[Floats, Floats], *, tolerance: float, most: int
) -> Any:
    """Bounded least squares over the logarithms of the values."""

    def errors(logarithms: Floats) -> Floats:
        return np.asarray(relative_errors(problem, np.exp(logarithms))[0])

    def jacobian(logarithms: Floats) -> Floats:
        values = np.exp(logarithms)
        return derivatives(problem, values, 1e-5 * values) * values

    return least_squares(
        errors, start, jacobian, bounds=bounds, xtol=tolerance, ftol=tolerance, gtol=1e-12, max_nfev=most
    )


def refine(problem: Problem, values: Floats) -> Floats:
    """The nearest best values, searched in the values themselves: there one at zero still feels what it could gain."""
    scale = np.maximum(values, problem.least_step)

    def errors(scaled: Floats) -> Floats:
        return np.asarray(relative_errors(problem, scaled * scale)[0])

    def jacobian(scaled: Floats) -> Floats:
        steps = 1e-3 * scale * np.maximum(scaled, 0.1)
        return derivatives(problem, np.maximum(scaled * scale, steps), steps) * scale

    upper = problem.coordinates.upper / scale
    start = np.minimum(np.maximum(values / scale, 1e-9), 0.999999 * upper)
    bounds = (np.zeros(values.size), upper)
    result = least_squares(errors, start, jacobian, bounds=bounds, xtol=1e-9, ftol=1e-9, max_nfev=30)
    return np.asarray(result.x * scale) if 2 * result.cost < squares(problem, values) else values


def _starts(problem: Problem) -> list[Floats]:
    """Bus and disks busy or idle, delays shared out in every plain way: one of the starts is near.

    No demand can take more than the whole observed time at any point, which bounds each from above.
    """
    terms, row = problem.terms, problem.terms.points.row
    jobs = terms.groups[row].astype(np.float64)
    queue = np.ones(row.size) if terms.kind == "sio" else _queue(terms)
    bus = _most(jobs * terms.bus_shape[row], problem.observed)
    startup, transfer = _most(queue, problem.observed), _most(queue * terms.chunks, problem.observed)
    found = []
    for a, b in product((0.9, 0.02), repeat=2):
        stations = {CONTENDED: a * bus, IO_STARTUP: b * startup / 2, IO_TRANSFER: b * transfer / 2}
        found += _with_delays(problem, _with_stations(problem.coordinates, stations))
    return found


def _queue(terms: Terms) -> Floats:
    """Jobs that share one disk, or one pool of them, at every point."""
    jobs = terms.groups[terms.points.row].astype(np.float64)
    return jobs / terms.points.disks if terms.kind == "clu-aio" else jobs


def _most(load: Floats, observed: Floats) -> float:
    """The largest coefficient whose load stays within every observed time."""
    return 1 / float(np.max(load / observed)) if load.any() else 0.0


def _with_stations(coordinates: Coordinates, stations: dict[int, float]) -> Floats:
    values = np.zeros(coordinates.matrix.shape[1])
    for index, target in stations.items():
        moving = coordinates.matrix[index] > 0
        values[moving] = target / coordinates.matrix[index, moving]
    return np.asarray(np.minimum(values, 0.5 * coordinates.upper))


def _with_delays(problem: Problem, values: Floats) -> list[Floats]:
    """Delays by non-negative least squares from what the stations leave; and each delay alone, the others small."""
    matrix, row = problem.coordinates.matrix, problem.terms.points.row
    delays = np.flatnonzero((matrix[:CONTENDED] > 0).any(axis=0) & (matrix[CONTENDED:] == 0).all(axis=0))
    if not delays.size:
        return [values]
    taken = problem.terms.delay_shapes @ problem.coordinates.coefficients(values)[:CONTENDED]
    left = np.maximum(problem.observed - taken[row], 0.1 * problem.observed)
    columns = (problem.terms.delay_shapes @ matrix[:CONTENDED, delays])[row]
    most = np.array([_most(column, left) for column in columns.T])
    shared, _ = nnls(columns / problem.observed[:, None], left / problem.observed)
    found = []
    for chosen in [shared, *(0.9 * np.diag(most))]:
        start = values.copy()
        start[delays] = np.maximum(chosen, 1e-2 * most)
        found.append(start)
    return found
