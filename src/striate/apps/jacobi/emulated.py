"""A Jacobi solver: strips of a grid, neighbours swap edge rows, checkpoints now and then."""

from __future__ import annotations

from collections.abc import Iterator

from striate import units
from striate.errors import WorkloadError
from striate.workload import Workload
from striate.workload.operations import (
    Operation,
    allgather,
    allreduce,
    compute,
    region_begin,
    region_end,
    sendrecv,
    write_all,
)


def workload(
    ranks: int = 16,
    *,
    rows: int = 4096,
    columns: int = 4096,
    steps: int = 100,
    every: int = 25,
    cell: units.Quantity = "2 ns",
    sweep: units.Quantity = "0 s",
    collective_calls: int = 0,
) -> Workload:
    """`steps` sweeps over a grid of doubles; every rank writes its strip after every `every` sweeps.

    A sweep takes `sweep`, and `cell` for each of its cells. MPI-IO makes so many collective calls on each write.
    Regions name the phases: `compute`, `exchange`, `checkpoint`.
    """
    if not 1 <= ranks <= rows or every < 1:
        raise WorkloadError(
            f"expected 1 to {rows} ranks, at most one per row of the grid, "
            f"and `every` (sweeps between checkpoints) of at least 1, got {ranks} ranks and `every` {every}"
        )
    line = columns * 8
    cell_seconds, sweep_seconds = units.seconds(cell), units.seconds(sweep)

    def jacobi(rank: int, size: int) -> Iterator[Operation]:
        first, last = rank * rows // size, (rank + 1) * rows // size
        for step in range(1, steps + 1):
            yield region_begin("compute")
            yield compute(sweep_seconds + (last - first) * columns * cell_seconds)
            yield region_end("compute")
            yield region_begin("exchange")
            if rank > 0:
                yield sendrecv(rank - 1, line)
            if rank < size - 1:
                yield sendrecv(rank + 1, line)
            yield allreduce(8)
            yield region_end("exchange")
            if step % every == 0:
                base = (step // every - 1) * rows * line
                yield region_begin("checkpoint")
                for _ in range(collective_calls):
                    yield allgather(16)
                yield write_all("field", offset=base + first * line, size=(last - first) * line)
                yield region_end("checkpoint")

    return Workload.from_program(jacobi, ranks)
