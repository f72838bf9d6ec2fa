"""Seconds of a workload on a machine: by the fine rung where it can be afforded, by the cheap one else."""

from __future__ import annotations

from striate.cluster.cluster import Cluster
from striate.rungs.answer import UnfitError
from striate.rungs.cost import fine_seconds
from striate.rungs.fine import predict_fine
from striate.rungs.resource import predict_resource
from striate.workload.workload import Workload

MOST_FINE_SECONDS = 20.0  # of CPU time


def seconds_on(workload: Workload, machine: Cluster) -> float:
    """The estimate for a workload that was checked."""
    if fine_seconds(workload, machine) <= MOST_FINE_SECONDS:
        try:
            return predict_fine(workload, machine).interval.estimate
        except UnfitError:
            pass
    return predict_resource(workload, machine).interval.estimate
