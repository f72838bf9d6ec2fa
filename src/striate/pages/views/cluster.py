"""Descriptions of clusters: the table that `striate check` prints, and the drawing."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from striate.pages.names import shown_name
from striate.pages.page import View
from striate.pages.run import Run
from striate.pages.topology.draw import draw
from striate.pages.topology.outline import sections


def view(runs: Sequence[Run]) -> View | None:
    """One card a cluster; None when there is none."""
    clusters = [run.cluster for run in runs if run.cluster is not None]
    if not clusters:
        return None
    data = {
        "clusters": [
            {
                "name": shown_name(cluster.name),
                "picture": base64.b64encode(draw(cluster).encode()).decode(),
                "sections": [
                    [shown_name(title), [[shown_name(label), shown_name(value)] for label, value in lines]]
                    for title, lines in sections(cluster, None)
                ],
            }
            for cluster in clusters
        ]
    }
    return View("cluster", "Machine" if len(clusters) == 1 else "Machines", data)
