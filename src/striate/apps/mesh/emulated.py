"""The same program as a workload: what it computes, exchanges and writes, without the data."""

from __future__ import annotations

from typing import Any

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
    move: units.Quantity = "0 s",
    write: units.Quantity = "0 s",
    commit: units.Quantity = "0 s",
    index: units.Quantity = "0 s",
    reserve: units.Quantity = "0 s",
    attach: units.Quantity = "0 s",
    collective_calls: int = 0,
    servers: int | None = None,
) -> Workload:
    """Sweeps over 1.5 edges per node, `edge` seconds each; every `every` steps the nodes go to their owners, who write.

    Each rank touches as many nodes as its edges have ends, but none twice; what it sends to every other rank is its
    equal share of them. A sweep takes `step` beside its edges; a write takes `write`, `record` for each touched node,
    `commit` on the first rank and so many collectives, the work in equal parts between them; and `move` if all touched
    nodes are moved, less where the last of several ranks that touch a node moves it. Before all, the first rank takes
    `reserve` and everyone `attach` to share memory, and the schedule takes `index` for each touched node. Only the
    first `servers` ranks write, or all.
    """
    writers = ranks if servers is None else servers
    if ranks < 1 or nodes < ranks or not 1 <= every <= steps or not 1 <= writers <= ranks:
        raise WorkloadError(
            f"expected 1 to {nodes} ranks (at most one per mesh node), `every` (steps between writes) from 1 "
            f"to {steps}, and 1 to {ranks} `servers` (ranks that write), got {ranks} ranks, `every` {every} "
            f"and {writers} servers"
        )
    edges = nodes * 3 // 2 // ranks
    touched = touched_nodes(nodes, edges)
    domain = -(-nodes // writers) * NODE.itemsize
    sweeping = units.seconds(step) + edges * units.seconds(edge)
    parts = max(1, collective_calls)
    body = Spmd(ranks, name="mesh")
    writing: Any = units.seconds(write) + touched * units.seconds(record)
    if moving := units.seconds(move):
        writing = writing + moving * (1 - touched / nodes) ** (ranks - 1 - body.rank)
    committing = _on_first(body, units.seconds(commit))
    body.open_file("nodes.dat", create=True)
    _share_memory(body, units.seconds(reserve), units.seconds(attach))
    if scheduling := touched * units.seconds(index):
        body.compute(scheduling)
    with body.repeat(steps // every) as dump:
        with body.region("sweep"), body.repeat(every):
            body.compute(sweeping)
        with body.region("write"):
            for part in range(parts):
                if np.any(working := writing / parts + committing * (part == parts - 1)):
                    body.compute(working)
                if collective_calls:
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


def _on_first(body: Spmd, seconds: float) -> Any:
    """Seconds that the first rank alone takes."""
    return np.where(body.rank == 0, seconds, 0.0) if seconds else 0.0


def _share_memory(body: Spmd, reserve: float, attach: float) -> None:
    """The first rank gets memory of the node, tells the others, and all map it."""
    if reserve:
        body.compute(_on_first(body, reserve))
        body.bcast(32, root=0)
    if attach:
        body.compute(attach)
        body.allreduce(8)


def touched_nodes(nodes: int, edges: int) -> int:
    """Nodes that random edges touch: the share is 1 - (1 - 1 / nodes) ^ ends."""
    return round(nodes * (1 - (1 - 1 / nodes) ** (2 * edges)))
