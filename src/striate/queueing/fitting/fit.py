"""Reading a program's character from its speedups: bounded least squares over what the data determine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from striate import units
from striate.errors import QueueingError
from striate.interval import Interval
from striate.queueing.curves import Described, Floats
from striate.queueing.fitting.coordinates import PARAMETERS, Coordinates, free_coordinates
from striate.queueing.fitting.identify import combinations, in_words, null_space
from striate.queueing.fitting.intervals import CoefficientSpread
from striate.queueing.fitting.least_squares import Problem, relative_errors, solve
from striate.queueing.fitting.observations import Observations
from striate.queueing.fitting.terms import (
    APART,
    CONTENDED,
    IO_STARTUP,
    IO_TRANSFER,
    PARALLEL,
    SERIAL,
    Terms,
)
from striate.queueing.model import Model
from striate.queueing.parameters import SpmdParameters
from striate.queueing.work import Points

_CONTENDED, _APART = "contention * transfer_seconds", "(1 - contention) * transfer_seconds"


@dataclass(frozen=True, eq=False)
class Fit:
    """The fitted program, and its uncertainty.

    Parameters are those of one burst, in seconds, or in units of T1 when speedups were fitted.
    """

    spmd: SpmdParameters  # one of the programs that fit equally well
    kind: str
    solver: str
    observations: Observations
    combinations: dict[str, Interval]  # what the data determine
    parameters: dict[str, Interval]  # those parameters that are determined alone
    undetermined: tuple[str, ...]  # what they do not, in words
    contention_range: tuple[float, float]  # values of w that fit equally well
    at_bound: tuple[str, ...]  # found to be zero: their intervals are one-sided
    residuals: Floats  # (s - observed s) / observed s
    confidence: float
    spread: CoefficientSpread = field(repr=False)

    def time(self, processors: int, disks: int) -> Interval:
        """The fitted time at p and d in seconds, or in units of T1 for speedups, with its confidence interval."""
        terms = self._terms_at(processors, disks)
        return self.spread.interval_of(lambda values: terms.times(self._coefficients(values))[:, 0])

    def speedup(self, processors: int, disks: int) -> Interval:
        """The fitted T1 / T(p, d) with its confidence interval; T1 is fitted too, unless speedups were observed."""
        terms = self._terms_at(processors, disks)

        def quantity(values: Floats) -> Floats:
            coefficients = self._coefficients(values)
            return np.asarray(self._reference(coefficients) / terms.times(coefficients)[:, 0])

        return self.spread.interval_of(quantity)

    def _terms_at(self, processors: int, disks: int) -> Terms:
        refusal = self.model.refusal(processors, disks)
        if refusal:
            raise QueueingError(refusal)
        points, _ = Points.scattered(np.array([processors]), np.array([disks]))
        return self.spread.problem.terms.at(points)

    def _coefficients(self, values: Floats) -> Floats:
        return self.spread.problem.coordinates.coefficients(np.maximum(values, 0.0))

    def _reference(self, coefficients: Floats) -> Floats:
        if self.observations.quantity == "speedup":
            return np.ones(coefficients.shape[0])
        return np.asarray(coefficients[:, [PARALLEL, SERIAL, IO_STARTUP, IO_TRANSFER]].sum(axis=1))

    @property
    def model(self) -> Model:
        """The fitted model; for speedups T1 is 1."""
        return Model(self.spmd, self.kind, solver=self.solver)

    @property
    def error(self) -> float:
        """The paper's average error: the root of the summed squares of the residuals over their number.

        It is the root mean square divided by another root of the number of points: the paper's 0.2 % for 42
        points is an RMS of 1.3 %.
        """
        return float(np.sqrt((self.residuals**2).sum()) / self.residuals.size)

    @property
    def rms(self) -> float:
        return float(np.sqrt((self.residuals**2).mean()))


def fit(
    observations: Observations,
    *,
    kind: str = "bus-aio",
    solver: str = "paper",
    scale: Described = "hyperperimeter:2",
    messages: Described = 1.0,
    group: int = 1,
    imbalance: str | Callable[[int], float] = "exponential",
    bursts_per_io: float = 1.0,
    fixed: Mapping[str, units.Quantity] | None = None,
    confidence: float = 0.95,
) -> Fit:
    """Fit a model to observations.

    The shapes (`scale`, `messages`, `group`, `imbalance`) are taken as known; the six times and the
    contention are found, but for those that `fixed` holds at given values. Refuses fewer observations than
    unknowns.
    """
    if not 0 < confidence < 1:
        raise QueueingError(f"expected a confidence level between 0 and 1, got {confidence}", at="confidence")
    shape = SpmdParameters(
        parallel_seconds=1,
        scale=scale,
        messages=messages,
        group=group,
        imbalance=imbalance,
        bursts_per_io=bursts_per_io,
        reference_seconds=1 if observations.quantity == "speedup" else None,
    )
    terms, observed = _terms(observations, Model(shape, kind, solver=solver))
    everything = free_coordinates(fixed or {}, bursts_per_io)
    if not everything.names:
        raise QueueingError("expected at least one parameter to fit, got fixed values for all parameters")
    typical = float(np.median(observed))
    null = null_space(terms, everything, typical)
    solved = everything.without(_merged(null))
    _refuse_too_few(observed.size, solved, null)
    problem = Problem(terms, solved, observed)
    spread = CoefficientSpread.of(problem, solve(problem), confidence)
    told = _told(everything, null, spread)
    _, place = Points.scattered(observations.processors, observations.disks)
    return Fit(
        spmd=terms.program(solved.coefficients(spread.values)),
        kind=kind,
        solver=solver,
        observations=observations,
        combinations=told,
        parameters=_parameters(told, spread, fixed or {}),
        undetermined=tuple(
            in_words(everything, null, one_processor_helps=_one_helps(problem, everything, null))
        ),
        contention_range=_contention_range(everything, null, solved.coefficients(spread.values)),
        at_bound=tuple(solved.formulas[index] for index in np.flatnonzero(spread.at_zero)),
        residuals=relative_errors(problem, spread.values)[0][place],
        confidence=confidence,
        spread=spread,
    )


def _terms(observations: Observations, model: Model) -> tuple[Terms, Floats]:
    p, d = observations.processors, observations.disks
    defined = model.defined(p, d)
    if not defined.all():
        row = int(np.argmin(defined))
        raise QueueingError(model.refusal(int(p[row]), int(d[row])) or "no such point", at=f"row {row + 1}")
    points, place = Points.scattered(p, d)
    observed = np.empty(p.size)
    observed[place] = observations.times
    return Terms.of(model.spmd, model.kind, model.solver, points), observed


def _merged(null: Floats) -> set[int]:
    """Of two coordinates that only their sum is known of, the second is held at zero."""
    supports = [np.flatnonzero(row) for row in null]
    return {int(support[-1]) for support in supports if support.size <= 2}


def _refuse_too_few(count: int, solved: Coordinates, null: Floats) -> None:
    unknowns = len(solved.names) - sum(np.count_nonzero(row) > 2 for row in null)
    if count <= unknowns:
        raise QueueingError(
            f"expected more than {unknowns} observations for {unknowns} unknown parameters, got {count}"
        )


def _told(everything: Coordinates, null: Floats, spread: CoefficientSpread) -> dict[str, Interval]:
    """Intervals of what the data determine, per burst where a burst is what they belong to."""
    solved, bursts = spread.problem.coordinates, spread.problem.terms.bursts
    kept = [everything.formulas.index(formula) for formula in solved.formulas]
    told = {}
    for combination in combinations(everything, null):
        found = spread.interval(combination.weights[kept])
        told[combination.formula] = _scaled(found, 1 / bursts if combination.per_burst else 1.0)
    return told


def _parameters(
    told: dict[str, Interval], spread: CoefficientSpread, fixed: Mapping[str, units.Quantity]
) -> dict[str, Interval]:
    """Those parameters that the data, or the data and what was fixed, determine alone."""
    found = {name: interval for name, interval in told.items() if name in PARAMETERS}
    if _CONTENDED in told and "transfer_seconds" in fixed:
        found["contention"] = _scaled(told[_CONTENDED], 1 / units.seconds(fixed["transfer_seconds"]))
    elif _CONTENDED in told and _APART in told:
        found |= _transfer(spread)
    return found


def _transfer(spread: CoefficientSpread) -> dict[str, Interval]:
    """w and S_R as ratio and sum of the two parts of a transfer."""
    formulas, bursts = spread.problem.coordinates.formulas, spread.problem.terms.bursts
    apart, contended = formulas.index(_APART), formulas.index(_CONTENDED)

    def share(values: Floats) -> Floats:
        whole = np.maximum(values[:, apart] + values[:, contended], 1e-300)
        return np.asarray(values[:, contended] / whole)

    one = np.eye(spread.values.size)
    return {
        "contention": spread.interval_of(share, most=1.0),
        "transfer_seconds": _scaled(spread.interval(one[apart] + one[contended]), 1 / bursts),
    }


def _contention_range(everything: Coordinates, null: Floats, found: Floats) -> tuple[float, float]:
    """Along a null direction that trades computing for the uncontended part of transfers, w is open."""
    contended = float(found[CONTENDED])
    open_ended = any(everything.matrix[APART] @ np.abs(row) > 0 for row in null)
    delay = float(found[PARALLEL] if open_ended else 0.0) + float(found[APART])
    lowest = contended / (contended + delay) if contended > 0 else 0.0
    return lowest, (1.0 if open_ended and contended > 0 else lowest)


def _scaled(interval: Interval, factor: float) -> Interval:
    return Interval(interval.low * factor, interval.estimate * factor, interval.high * factor)


def _one_helps(problem: Problem, everything: Coordinates, null: Floats) -> bool:
    """Would an observation at p = 1, d = 1 make the null space smaller?"""
    terms = problem.terms
    p, d = terms.points.point_processors, terms.points.disks
    if not null.size or (p == 1).any() or (terms.groups != terms.points.processors).any():
        return False
    points, _ = Points.scattered(np.append(p, 1), np.append(d, 1))
    return len(null_space(terms.at(points), everything, problem.typical)) < len(null)
