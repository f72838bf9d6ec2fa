"""Homes: on which brick of GlusterFS each server's new sub-files shall lie."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from striate.runtime.move.state import State
from striate.runtime.store.gluster import Brick, homes


def with_homes(state: State) -> State:
    """Collective: the state with a brick for each server, of those that rank 0 has found."""
    hosts = state.group.hosts()
    servers = state.plan.server_ranks
    edges = np.zeros((len(servers), 2), np.int64)
    if state.session.bricks:
        chosen = homes(state.session.bricks, [hosts[rank] for rank in servers])
        edges[:] = [(brick.first, brick.last) for brick in chosen]
    told = np.frombuffer(state.ranks.broadcast_known(edges.tobytes(), edges.nbytes, 0), np.int64)
    found = zip(told.reshape(-1, 2).tolist(), servers, strict=True)
    return replace(state, homes=tuple(Brick(first, last, hosts[rank]) for (first, last), rank in found))
