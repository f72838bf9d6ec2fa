"""What a program calls the ranks, operations, files and servers that the core counts."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from striate.cluster.cluster import Cluster
from striate.refusals import Names
from striate.workload.application import Application
from striate.workload.transforms.merge import first_ranks, labels_of
from striate.workload.walk import lines


def names_of(application: Application, cluster: Cluster, parts: tuple[Application, ...] = ()) -> Names:
    """Names for an application, which may be several `parts` merged: ranks are counted in their own part then."""

    @cache
    def operations() -> dict[int, str]:
        return {line.row: f"operation {line.index} ({line.kind.label})" for line in lines(application)}

    return Names(
        rank=_told_apart(parts) if len(parts) > 1 else "rank {}".format,
        row=lambda row: operations().get(row, f"row {row}"),
        file=lambda file: f"file {application.file_name(file)!r:.60}",
        server=lambda server: cluster.servers[server].name,
    )


def _told_apart(parts: tuple[Application, ...]) -> Callable[[int], str]:
    firsts, labels = np.array(first_ranks(parts)), labels_of(parts)

    def own(rank: int) -> str:
        which = int(np.searchsorted(firsts, rank, side="right")) - 1
        return f"rank {rank - int(firsts[which])} of {labels[which]}"

    return own
