"""A study as an entry of the results store."""

from __future__ import annotations

from typing import Any

from striate.results import Entry
from striate.tuning.study import Study


def entry_of(study: Study, parameters: dict[str, Any]) -> Entry:
    """What to keep: the winner in columns, the whole study as a document."""
    settings = study.best.candidate.settings
    ranks = settings.get("ranks", parameters.get("ranks"))
    return Entry(
        "tune",
        workload=study.program,
        cluster=study.cluster,
        layout=str(study.best.candidate),
        ranks=ranks if isinstance(ranks, int) else None,
        seconds=study.range_of(study.best),
        setup={
            "search": study.search,
            "seed": study.seed,
            "budget_seconds": study.budget_seconds,
            "parameters": parameters,
            "inputs": dict(study.provenance.inputs),
        },
        results=study.to_dict(),
        versions=study.provenance.versions,
    )
