"""Closed networks of several classes: jobs that differ in their demands share stations; mean value analysis.

Each class has its own delay and its own demand at every station. Stations share their time equally among the jobs
present, which keeps the product form where demands differ.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from striate.queueing.curves import Floats, Integers

MOST_STATES = 20_000  # of the exact recursion; beyond it Linearizer takes over
_ROUNDS = 3  # of Linearizer: more change nothing that could be seen
_STEADY = 1e-12


def class_cycle_seconds(jobs: Integers, delays: Floats, demands: Floats) -> Floats:
    """Mean cycle time of every class; `demands` has a row per station and a column per class.

    Exact where the populations are small enough to go through all of them, otherwise by Linearizer (Chandy and Neuse
    1982).
    """
    if float(np.prod(jobs + 1.0)) <= MOST_STATES:
        return _exact(jobs, delays, demands)
    return _linearizer(jobs.astype(np.float64), delays, demands)


def _exact(jobs: Integers, delays: Floats, demands: Floats) -> Floats:
    """Population by population: an arriving job finds the queues of the network without itself."""
    classes = jobs.size
    queues = {(0,) * classes: np.zeros(demands.shape[0])}
    cycle = delays + demands.sum(axis=0)
    for population in product(*(range(int(count) + 1) for count in jobs)):
        if not any(population):
            continue
        queue = np.zeros(demands.shape[0])
        for one in np.flatnonzero(population):
            fewer = (*population[:one], population[one] - 1, *population[one + 1 :])
            response = demands[:, one] * (1 + queues[fewer])
            cycle[one] = delays[one] + response.sum()
            queue += population[one] * response / max(cycle[one], 1e-300)
        queues[population] = queue
    return np.asarray(cycle)


def _linearizer(jobs: Floats, delays: Floats, demands: Floats) -> Floats:
    stations, classes = demands.shape
    differences = np.zeros((stations, classes, classes))
    for _ in range(_ROUNDS):
        whole, _ = _settled(jobs, delays, demands, differences)
        for one in np.flatnonzero(jobs):
            fewer = jobs - np.eye(classes)[one]
            queues, _ = _settled(fewer, delays, demands, differences)
            differences[:, :, one] = queues / np.maximum(fewer, 1) - whole / np.maximum(jobs, 1)
    return _settled(jobs, delays, demands, differences)[1]


def _settled(jobs: Floats, delays: Floats, demands: Floats, differences: Floats) -> tuple[Floats, Floats]:
    """Queues and cycle times that agree with what each class finds when one of its jobs arrives."""
    queues = np.tile(jobs / demands.shape[0], (demands.shape[0], 1))
    others = np.maximum(jobs[None, :] - np.eye(jobs.size), 0)  # arriving class, class that is found
    for _ in range(10_000):
        shares = queues / np.maximum(jobs, 1)
        found = np.einsum("rs,ms->mr", others, shares) + np.einsum("rs,msr->mr", others, differences)
        response = demands * (1 + np.maximum(found, 0))
        cycle = delays + response.sum(axis=0)
        after = jobs * response / np.maximum(cycle, 1e-300)
        if np.abs(after - queues).max() <= _STEADY * max(1.0, float(jobs.max())):
            break
        queues = 0.5 * (queues + after)
    return after, cycle
