"""The same program as a workload: what it computes, exchanges and writes, without the data."""

from __future__ import annotations

from striate import units
from striate.apps.mesh.generate import NODE
from striate.errors import WorkloadError
from striate.workload import Spmd, Workload


def workload(
    ranks: int = 64,
    *,
    nodes: int = 8_000_000,
    steps: int = 20,
    every: int = 5,
    edge: units.Quantity = "20 ns",
) -> Workload:
    """Sweeps over 1.5 edges a node, `edge` seconds each; every `every` steps the nodes go to their owners, who write.

    Each rank touches as many nodes as its edges have ends, but none twice (a random mesh: the share of nodes that a
    rank touches is 1 - (1 - 1 / nodes) ^ ends); what it sends to every other rank is its equal share of them.
    """
    if ranks < 1 or nodes < ranks or not 1 <= every <= steps:
        raise WorkloadError(
            f"expected a node a rank and one write at least, got {nodes} nodes, {ranks} ranks"
        )
    edges = nodes * 3 // 2 // ranks
    touched = round(nodes * (1 - (1 - 1 / nodes) ** (2 * edges)))
    record, domain = NODE.itemsize, -(-nodes // ranks) * NODE.itemsize
    body = Spmd(ranks, name="mesh")
    body.open_file("nodes.dat", create=True)
    with body.repeat(steps // every) as dump:
        with body.region("sweep"), body.repeat(every):
            body.compute(edges * units.seconds(edge))
        with body.region("write"):
            body.alltoall(touched * record // ranks)
            body.write_all("nodes.dat", offset=(dump * ranks + body.rank) * domain, size=domain)
    body.close_file("nodes.dat")
    return body.workload()
