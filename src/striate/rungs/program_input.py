"""A workload on a machine as the engines of the core take it: placed once, its collectives written once."""

from __future__ import annotations

import numpy as np

from striate.cluster.cluster import Cluster
from striate.collectives.book import book_of
from striate.collectives.choice import Choice
from striate.engine.input import EngineInput, engine_input
from striate.errors import PredictionError
from striate.rungs.answer import UnfitError
from striate.workload.transforms.merge import merged
from striate.workload.workload import Workload


def input_of(workload: Workload, cluster: Cluster, choice: Choice | None = None) -> EngineInput:
    """All applications as one; raises UnfitError for a collective algorithm that is none."""
    applications = workload.applications
    application = merged(applications)
    placement = cluster.place(application.ranks)
    try:
        book = book_of(application, (choice or Choice()).on(cluster), placement.node)
    except PredictionError as error:
        raise UnfitError(error.message, source=application.name) from None
    starts = np.array([each.start_picoseconds for each in applications], np.int64)
    start = np.repeat(starts, [each.ranks for each in applications])
    return engine_input(application, cluster, placement, book, parts=applications, rank_start=start)
