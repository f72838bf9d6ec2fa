"""Bounds on the cycle time that hold for every population, without solving the network."""

from __future__ import annotations

import numpy as np

from striate.queueing.curves import Floats, Integers


def balanced_job_bounds(jobs: Integers, delay: Floats, bus: Floats, disk: Floats) -> tuple[Floats, Floats]:
    """Low and high cycle time of one class, a delay and two queues.

    Balanced job bounds (Zahorjan, Sevcik, Eager and Galler 1982; Lazowska et al., table 5.2): a network whose
    queues all have the mean demand is faster, one whose queues all have the largest is slower.
    """
    demand = bus + disk
    largest = np.maximum(bus, disk)
    total = demand + delay
    others = jobs - 1
    with np.errstate(invalid="ignore", divide="ignore"):
        queueing = np.where(demand > 0, demand / total, 0.0)  # share of a lone job's cycle spent at queues
        crowded = np.where(demand > 0, jobs * demand / (jobs * demand + delay), 0.0)
    low = np.maximum(jobs * largest, total + others * (demand / 2) * queueing)
    high = total + others * largest * crowded
    return low, high


def asymptotic_bounds(
    jobs: Integers, cluster_jobs: Integers, delay: Floats, bus: Floats, disk: Floats
) -> tuple[Floats, Floats]:
    """Low and high cycle time of the clustered network.

    Never faster than a lone job or than either queue can serve all; never slower than queueing behind all
    others at the bus and behind all of the own cluster at the disk.
    """
    low = np.maximum(delay + bus + disk, np.maximum(jobs * bus, cluster_jobs * disk))
    high = delay + jobs * bus + cluster_jobs * disk
    return low, high


def fork_join_bounds(
    jobs: Integers, harmonics: Floats, delay: Floats, bus: Floats, bursts: float
) -> tuple[Floats, Floats]:
    """Low and high time until the last of the jobs has left, for a geometric number of bursts.

    Delays alone make the largest of K exponentials, n z H_K. The bus serves K n visits and cannot begin
    before the first arrival, z / K. And nobody waits at the bus while it rests: the last job's time at the
    bus is at most all its work, so n z H_K + K n x is never exceeded.
    """
    apart = bursts * delay * harmonics
    served = jobs * bursts * bus
    low = np.maximum(apart, np.maximum(served + delay / jobs, bursts * (delay + bus)))
    return low, apart + served
