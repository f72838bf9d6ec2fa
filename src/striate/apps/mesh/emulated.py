"""The same program as a workload: what it computes, exchanges and writes, without the data."""

from __future__ import annotations

import numpy as np

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
    step: units.Quantity = "0 s",
    record: units.Quantity = "0 s",
    write: units.Quantity = "0 s",
    index: units.Quantity = "0 s",
    agreements: int = 0,
    servers: int | None = None,
) -> Workload:
    """Sweeps over 1.5 edges a node, `edge` seconds each; every `every` steps the nodes go to their owners, who write.

    Each rank touches as many nodes as its edges have ends, but none twice; what it sends to every other rank is its
    equal share of them. A sweep takes `step` beside its edges; a write takes `write`, `record` for each touched node
    and so many collectives; the schedule takes `index` for each. Only the first `servers` ranks write, or all.
    """
    writers = ranks if servers is None else servers
    if ranks < 1 or nodes < ranks or not 1 <= every <= steps or not 1 <= writers <= ranks:
        raise WorkloadError(
            f"expected a node a rank, one write at least and servers among ranks, got {nodes} nodes, {ranks} ranks"
        )
    edges = nodes * 3 // 2 // ranks
    touched = touched_nodes(nodes, edges)
    domain = -(-nodes // writers) * NODE.itemsize
    sweeping = units.seconds(step) + edges * units.seconds(edge)
    writing = units.seconds(write) + touched * units.seconds(record)
    body = Spmd(ranks, name="mesh")
    body.open_file("nodes.dat", create=True)
    if scheduling := touched * units.seconds(index):
        body.compute(scheduling)
    with body.repeat(steps // every) as dump:
        with body.region("sweep"), body.repeat(every):
            body.compute(sweeping)
        with body.region("write"):
            if writing:
                body.compute(writing)
            for _ in range(agreements):
                body.allreduce(8)
            body.alltoall(touched * NODE.itemsize // ranks)
            if writers == ranks:
                body.write_all("nodes.dat", offset=(dump * ranks + body.rank) * domain, size=domain)
            else:
                with body.only(np.arange(ranks) < writers):
                    body.write("nodes.dat", offset=(dump * writers + body.rank) * domain, size=domain)
                body.barrier()
    body.close_file("nodes.dat")
    return body.workload()


def touched_nodes(nodes: int, edges: int) -> int:
    """Nodes that random edges touch: the share is 1 - (1 - 1 / nodes) ^ ends."""
    return round(nodes * (1 - (1 - 1 / nodes) ** (2 * edges)))
