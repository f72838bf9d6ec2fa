"""Collective I/O in which every aggregator accesses one server only, stripe after stripe.

W.-k. Liao and A. Choudhary, "Dynamically adapting file domain partitioning methods for collective I/O based on
underlying parallel file system locking protocols" (SC 2008): the static-cyclic partitioning.
"""

from __future__ import annotations

import numpy as np

from striate.plugins import CollectiveAccess, Piece

ROUND_BYTES = 16 << 20  # per aggregator


class ByServer:
    kind = "collective-io"
    name = "by-server"

    def plan(self, access: CollectiveAccess) -> list[Piece]:
        runs = np.concatenate(access.runs)
        if not runs[:, 1].any():
            return []
        settings, servers = access.machine.settings, len(access.machine.servers)
        unit = int(settings.stripe_unit)
        _, leaders = np.unique(access.nodes, return_index=True)
        chosen = leaders[:servers].tolist()  # an aggregator on each of so many nodes
        first, last = int(runs[:, 0].min()) // unit, (int(runs.sum(axis=1).max()) - 1) // unit
        stripes = range(first, last + 1)
        per_round = max(1, ROUND_BYTES // unit) * len(chosen)
        return [
            Piece((stripe - first) // per_round, chosen[stripe % len(chosen)], stripe * unit, unit)
            for stripe in stripes
        ]


plugins = [ByServer]
