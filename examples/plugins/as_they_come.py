"""A reduction that takes contributions as they come: first inside every node, then between nodes.

A. Faraj, P. Patarasuk and X. Yuan, "A study of process arrival patterns for MPI collective operations" (IJPP 36(6),
2008): ranks rarely arrive together, so who comes early should not wait behind who comes late.
"""

from __future__ import annotations

from striate.plugins import ANY_RANK, CollectiveRequest, Compute, Receive, Send, Steps


class AsTheyCome:
    kind = "collective"
    name = "as-they-come"
    call = "reduce"

    def member(self, request: CollectiveRequest, rank: int) -> Steps:
        nodes, root, size_bytes = request.nodes.tolist(), request.root, request.bytes
        near = [one for one in range(request.size) if nodes[one] == nodes[rank]]
        leader = root if root in near else near[0]
        if rank != leader:
            yield [Send(leader, size_bytes)]
            return
        expected = len(near) - 1
        if rank == root:
            expected += len(set(nodes)) - 1
        for _ in range(expected):
            yield [Receive(ANY_RANK)]
            yield [Compute(size_bytes)]  # an instruction per byte combines it with what is there
        if rank != root:
            yield [Send(root, size_bytes)]


plugins = [AsTheyCome]
