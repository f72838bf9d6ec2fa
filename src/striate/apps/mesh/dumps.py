"""The program on `striate.runtime` as a workload: its dumps are planned by the runtime itself, and timed here.

What a rank computes, moves and compresses is compute, by the costs given; what leaves it is messages and writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from striate import units
from striate.apps.mesh.costs import CodecCost, Costs
from striate.apps.mesh.generate import NODE, Mesh
from striate.errors import WorkloadError
from striate.runtime.alignment import USUAL_ALIGNMENT
from striate.runtime.plan.budget import Budget
from striate.runtime.plan.grid import Grid, plan_grid
from striate.runtime.plan.placement import Domains, group_by_factor
from striate.workload import Workload
from striate.workload.operations import (
    Operation,
    allgather,
    barrier,
    compute,
    sync_file,
    waitall,
    write,
)

ALONE = "alone"  # the communicator of one rank: a server makes its own sub-file durable


@dataclass(frozen=True, slots=True, eq=False)
class _Dumping:
    """The plan of one dump, as the runtime makes it."""

    ranks: int
    grid: Grid
    domains: Domains
    window: int  # chunks of a domain in one round
    servers: int
    server_of_chunk: np.ndarray[tuple[int], np.dtype[np.int64]]
    codec: CodecCost | None
    kept: np.ndarray[tuple[int], np.dtype[np.float64]]  # bytes of each rank that win
    loads: bool  # chunks are not wholly covered: what was there is read first
    sync: bool
    overlap: bool  # a window is written while the next is filled
    costs: Costs

    @property
    def rounds(self) -> int:
        return -(-self.domains.chunks_per_domain // self.window)

    def chunks_in(self, turn: int, rank: int) -> range:
        """The chunks of a rank's domain that a round handles."""
        mine = self.domains.of(rank)
        return mine[turn * self.window : (turn + 1) * self.window]

    @property
    def stored(self) -> int:
        """Bytes of a chunk in its sub-file."""
        size = self.grid.chunk_bytes
        return size + -size % USUAL_ALIGNMENT if self.codec is None else round(size * self.codec.share)


def workload(
    ranks: int = 2,
    *,
    costs: Costs,
    cpus: int | None = None,
    nodes: int = 1_000_000,
    pattern: str = "random",
    steps: int = 8,
    every: int = 2,
    servers: int = 0,
    group_factor: int = 1,
    chunk: units.Quantity = "1 MiB",
    codec: str = "none",
    buffer: units.Quantity = "64 MiB",
    sync: bool = False,
) -> Workload:
    """What `striate.apps.mesh.run` does with these settings on one node; 0 servers: every rank writes.

    A window is written while the next is filled if the node has `cpus` beside those of the ranks (None: enough).
    """
    mesh = Mesh(nodes, pattern)
    if ranks < 1 or not 1 <= every <= steps or not 0 <= servers <= ranks:
        raise WorkloadError(
            f"expected at least 1 rank, `every` (steps between writes) from 1 to {steps}, and 0 to {ranks} "
            f"`servers` (ranks that write sub-files), got {ranks} ranks, `every` {every} and {servers} "
            "servers"
        )
    if codec != "none" and codec not in costs.codecs:
        raise WorkloadError(f'expected the codec "none" or a codec with measured costs, got {codec!r:.60}')
    writers = servers or ranks
    grid = plan_grid(
        (nodes,),
        NODE.itemsize,
        pieces=ranks * group_factor,
        chunk_bytes=max(1, units.size(chunk)),
        alignment=USUAL_ALIGNMENT,
    )
    domains = Domains.grouped(grid.chunks, ranks, group_factor)
    buffer_bytes = max(units.size(buffer), 4 * grid.chunk_bytes)
    budget = Budget(buffer_bytes, grid.chunk_bytes, ranks, one_node=codec == "none")
    dumping = _Dumping(
        ranks=ranks,
        grid=grid,
        domains=domains,
        window=budget.window_chunks(domains.chunks_per_domain),
        servers=writers,
        server_of_chunk=group_by_factor(grid.chunks, ranks=ranks, servers=writers, group_factor=group_factor),
        codec=costs.codecs.get(codec),
        kept=_kept_bytes(mesh, ranks),
        loads=pattern == "random",
        sync=sync,
        overlap=cpus is None or cpus > ranks,
        costs=costs,
    )
    edges = mesh.edges // ranks
    touched = round(_touched_share(mesh, ranks) * nodes)

    def mesh_on_runtime(rank: int, size: int) -> Iterator[Operation]:
        yield compute(edges * costs.setup_edge)
        halves = min(dumping.rounds, 2)
        yield compute(halves * dumping.window * grid.chunk_bytes * costs.window_byte)
        yield compute(touched * costs.schedule_record)
        yield barrier()
        for dump in range(steps // every):
            yield compute(edges * every * costs.sweep_edge)
            yield from _dump(dumping, rank, dump)

    alone = {ALONE: list(range(ranks))}
    return Workload.from_program(mesh_on_runtime, ranks, name="mesh", communicators=alone)


def _touched_share(mesh: Mesh, ranks: int) -> float:
    """Share of the nodes that a rank's edges touch (a random mesh); a local one touches its own part."""
    if mesh.pattern == "local":
        return 1 / ranks
    return float(1 - (1 - 1 / mesh.nodes) ** (2 * (mesh.edges // ranks)))


def _kept_bytes(mesh: Mesh, ranks: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Bytes of each rank that end up in the file: of a node that several touch, the highest rank's."""
    share = _touched_share(mesh, ranks)
    higher = np.arange(ranks - 1, -1, -1)
    lost = (1 - share) ** higher if mesh.pattern == "random" else np.ones(ranks)
    return np.asarray(share * lost * mesh.nodes * NODE.itemsize)


def _dump(dumping: _Dumping, rank: int, dump: int) -> Iterator[Operation]:
    """One collective write: rounds of load, exchange, sealing and writing, then the commit."""
    files = [f"blocks-{dump}-{server}" for server in range(dumping.servers)]
    ends = np.zeros(dumping.servers, np.int64)
    for turn in range(dumping.rounds):
        if turn:
            yield waitall()
        yield from _fill(dumping, rank, turn, again=dump > 0)
        yield barrier()
        yield from _seal(dumping, rank, turn)
        yield from _write(dumping, rank, turn, files, ends)
        if not dumping.overlap:
            yield barrier()  # a server that writes has no CPU beside those that fill
    yield waitall()
    if dumping.sync and rank < dumping.servers:
        yield sync_file(files[rank], comm=ALONE)
    yield barrier()
    yield allgather(8 * dumping.domains.chunks_per_domain)
    if rank == 0:
        chunk = dumping.costs.chunk if dumping.codec is None else dumping.codec.chunk
        yield compute(dumping.costs.commit + dumping.grid.chunks * chunk)
    yield barrier()


def _fill(dumping: _Dumping, rank: int, turn: int, *, again: bool) -> Iterator[Operation]:
    """Load what was there, and put the records that win into the windows."""
    costs, size = dumping.costs, dumping.grid.chunk_bytes
    own = len(dumping.chunks_in(turn, rank)) * size
    if again and dumping.loads:
        decode = dumping.codec.decode if dumping.codec else 0.0
        share = dumping.codec.share if dumping.codec else 1.0
        yield compute(own * (costs.load_byte * share + decode))
    if dumping.rounds > 1:
        yield compute(own * costs.round_byte(dumping.window * size))
    yield compute(float(dumping.kept[rank]) / dumping.rounds * costs.move_byte)


def _seal(dumping: _Dumping, rank: int, turn: int) -> Iterator[Operation]:
    """Checksums, or compression and what all must know of its result."""
    own = len(dumping.chunks_in(turn, rank)) * dumping.grid.chunk_bytes
    if dumping.codec is None:
        yield compute(own * dumping.costs.checksum_byte)
    else:
        yield compute(own * (dumping.codec.encode + dumping.codec.share * dumping.costs.checksum_byte))
        yield allgather(8 * dumping.window)


def _write(
    dumping: _Dumping,
    rank: int,
    turn: int,
    files: list[str],
    ends: np.ndarray[tuple[int], np.dtype[np.int64]],
) -> Iterator[Operation]:
    """Every server writes its chunks: they lie, compressed or not, in memory that the node shares."""
    in_turn = np.concatenate([list(dumping.chunks_in(turn, owner)) for owner in range(dumping.ranks)])
    mine = int((dumping.server_of_chunk[in_turn.astype(np.int64)] == rank).sum()) * dumping.stored
    if mine:
        yield compute(len(in_turn) * dumping.stored * dumping.costs.write_byte)
        blocking = dumping.rounds == 1 or not dumping.overlap
        yield write(files[rank], offset=int(ends[rank]), size=mine, blocking=blocking)
        ends[rank] += mine
