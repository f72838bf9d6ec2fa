"""Collective I/O of one's own: the first rank of every node accesses an equal part of the file, in one round.

Try it: striate predict checkpoint westmere --plugin THIS_FILE
"""

from __future__ import annotations

import numpy as np

from striate.plugins import CollectiveAccess, Piece


class MyCollectiveIO:
    kind = "collective-io"
    name = "my-collective-io"

    def plan(self, access: CollectiveAccess) -> list[Piece]:
        runs = np.concatenate(access.runs)
        if not runs[:, 1].any():
            return []
        begin, end = int(runs[:, 0].min()), int(runs.sum(axis=1).max())
        _, leaders = np.unique(access.nodes, return_index=True)
        width = -(-(end - begin) // len(leaders))
        starts = range(begin, end, width)
        return [
            Piece(0, int(rank), start, min(width, end - start))
            for rank, start in zip(leaders, starts, strict=False)
        ]


plugins = [MyCollectiveIO]
