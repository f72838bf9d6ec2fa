"""A forecast as an entry of the results store."""

from __future__ import annotations

from dataclasses import replace

from striate.ladder.forecast import Forecast
from striate.results import Entry
from striate.workload.flows import Flows
from striate.workload.workload import Workload


def entry_of(forecast: Forecast, workload: Workload | Flows) -> Entry:
    """What to keep: the answer in columns, the whole forecast as a document."""
    return Entry(
        "predict",
        workload=forecast.workload,
        cluster=forecast.cluster,
        layout=layout_words(workload),
        ranks=forecast.ranks,
        seconds=forecast.seconds,
        setup={
            "rung": forecast.rung,
            "within": forecast.within,
            "inputs": dict(forecast.provenance.inputs),
            "contradictions": list(forecast.contradictions),
        },
        results=replace(forecast, timeline=None),
        versions=forecast.provenance.versions,
    )


def layout_words(workload: Workload | Flows) -> str:
    """The different layouts of the program's files; empty where all have the cluster's own."""
    if not isinstance(workload, Workload):
        return ""
    found = (
        str(file.layout) for application in workload.applications for file in application.files if file.layout
    )
    return ", ".join(dict.fromkeys(found))
