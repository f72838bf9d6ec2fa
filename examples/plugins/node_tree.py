"""A broadcast down a tree of nodes, in blocks: data enters every node once, and each block travels on at once.

N. Karonis et al., "Exploiting hierarchy in parallel computer networks to optimize collective operation performance"
(IPDPS 2000), with the blocks of a pipelined binary tree.
"""

from __future__ import annotations

import numpy as np

from striate.collectives import ScheduleDraft, recv, send
from striate.plugins import CollectiveRequest

BLOCK_BYTES = 64 * 1024


class NodeTree:
    kind = "collective"
    name = "node-tree"
    call = "bcast"

    def schedule(self, request: CollectiveRequest) -> ScheduleDraft:
        child, parent = self._edges(request)
        whole, rest = divmod(request.bytes, BLOCK_BYTES)
        blocks = [BLOCK_BYTES] * whole + [rest] * (rest > 0 or whole == 0)
        draft = ScheduleDraft(request.size)
        for turn in range(len(blocks) + 1):  # a rank passes one block on while the next one comes in
            actions = []
            if turn > 0:
                actions.append(send(parent, child, blocks[turn - 1], turn - 1))
            if turn < len(blocks):
                actions.append(recv(child, parent, blocks[turn], turn))
            draft.step(*actions)
        return draft

    @staticmethod
    def _edges(request: CollectiveRequest) -> tuple[np.ndarray, np.ndarray]:
        """Leaders of nodes form a binary tree; inside a node the data goes from rank to rank."""
        nodes = np.asarray(request.nodes)
        order = [request.root, *(rank for rank in range(request.size) if rank != request.root)]
        members: dict[int, list[int]] = {}
        for rank in order:
            members.setdefault(int(nodes[rank]), []).append(rank)
        edges = [pair for ranks in members.values() for pair in zip(ranks[1:], ranks, strict=False)]
        leaders = [ranks[0] for ranks in members.values()]
        edges += [(leaders[i], leaders[(i - 1) // 2]) for i in range(1, len(leaders))]
        child, parent = np.array(edges, np.int32).reshape(-1, 2).T
        return child, parent


plugins = [NodeTree]
