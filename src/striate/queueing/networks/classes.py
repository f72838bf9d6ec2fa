"""Closed networks of several classes: jobs that differ in their demands share stations; mean value analysis.

Each class has its own delay and its own demand at every station. Stations share their time equally among the jobs
present, which keeps the product form where demands differ.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from striate.errors import QueueingError
from striate.queueing.curves import Floats, Integers

MOST_STATES = 100_000  # of the exact recursion: some seconds


def class_cycle_seconds(jobs: Integers, delays: Floats, demands: Floats) -> Floats:
    """Mean cycle time of every class, exactly; `demands` has a row per station and a column per class.

    Refuses more populations than the recursion can go through.
    """
    states = float(np.prod(jobs + 1.0))
    if states > MOST_STATES:
        raise QueueingError(
            f"expected at most {MOST_STATES} states (numbers of jobs per class) of the queueing network, "
            f"got {states:.3g}"
        )
    # Population by population: an arriving job finds the queues of the network without itself.
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
