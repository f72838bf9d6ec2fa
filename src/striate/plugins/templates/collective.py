"""A broadcast of one's own: the root sends to the first rank of every node, which passes the data on inside.

Try it: striate predict "kernel:bcast,size=1MiB" westmere --ranks 16 --plugin THIS_FILE
"""

from __future__ import annotations

import numpy as np

from striate.collectives import ScheduleDraft, recv, send
from striate.plugins import CollectiveRequest


class MyBroadcast:
    kind = "collective"
    name = "my-broadcast"
    call = "bcast"

    def schedule(self, request: CollectiveRequest) -> ScheduleDraft:
        ranks, nodes, root = np.arange(request.size), request.nodes, request.root
        _, first, node = np.unique(nodes, return_index=True, return_inverse=True)
        leader = first[node]  # per rank: the first rank of its node
        leader[nodes == nodes[root]] = root
        far = ranks[(leader == ranks) & (ranks != root)]  # who gets the data from another node
        near = ranks[leader != ranks]  # who gets it from the leader of its own node

        draft = ScheduleDraft(request.size)
        draft.step(recv(far, root, request.bytes), recv(near, leader[near], request.bytes))
        draft.step(send(np.full(len(far), root), far, request.bytes), send(leader[near], near, request.bytes))
        return draft


plugins = [MyBroadcast]
