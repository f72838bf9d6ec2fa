"""The sampler in emulated form: what it computes, sends and writes, for the simulators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from striate import units
from striate.apps.pmc3.format import SampleFormat
from striate.apps.pmc3.line_sizes import parameter_line, serial_operations, tree_line
from striate.apps.pmc3.strips import strips_of
from striate.errors import WorkloadError
from striate.layout.mapped.temporal import ChainPlacement
from striate.workload import Workload
from striate.workload.operations import (
    Operation,
    allgather,
    allreduce,
    barrier,
    compute,
    open_file,
    recv,
    send,
    sync_file,
    write,
)

PARAMETERS = 14  # numbers on a line under GTR with gamma classes
POSTERIOR_BYTES = 16  # what ranks tell each other of a chain before a swap


def workload(
    ranks: int = 8,
    *,
    runs: int = 8,
    chains: int = 4,
    generations: int = 20,
    taxa: int = 1024,
    step: units.Quantity = "1 ms",
    buffered: int = 1,
    output: Literal["mapped", "serial"] = "mapped",
    generation: units.Quantity = "0 s",
    collective_calls: int = 1,
    checkpoints: bool = False,
    strips: bool = False,
) -> Workload:
    """`generations` samples, one per generation, of `runs` runs; a step of one chain takes `step`.

    A generation takes `generation` on every rank beside its chains; ranks exchange posteriors by so many collectives.
    Mapped: every rank writes the lines of the cold chains it holds, `buffered` generations at a time. Serial: all lines
    go to rank 0, which writes two files per run, with the messages and collectives MrBayes 3.2 makes. Cold chains stay
    where they begin. With `checkpoints` all flush what they have written before the first generation and after the
    last, as the program does. With `strips` the mapped file is in the order of time, and what a rank writes at a time
    is one strip of the file system (`--arrangement generation --layout varstrip`).
    """
    if output not in ("mapped", "serial") or generations < 1 or buffered < 1:
        raise WorkloadError(
            "expected `generations` (iterations of the sampler) and `buffered` (generations per write) of at least 1 "
            'and the `output` "mapped" or "serial", '
            f"got generations {generations}, buffered {buffered} and output {output!r}"
        )
    placement = ChainPlacement(runs, chains, ranks)
    sizes = (parameter_line(PARAMETERS, PARAMETERS, generations), tree_line(taxa, generations))
    format_ = SampleFormat(runs, generations, *sizes, together=buffered if strips else 0)
    costs = _Costs(units.seconds(step), units.seconds(generation), collective_calls)
    cold = [hosts[0] for hosts in placement.hosts]

    def mapped(rank: int, size: int) -> Iterator[Operation]:
        mine = [run for run, host in enumerate(cold) if host == rank]
        record_map = format_.record_map("generation" if strips else "run")
        yield open_file("samples", create=True)
        flushes = [sync_file("samples"), barrier()] * 2 if checkpoints else []
        yield from flushes
        for first in range(0, generations, buffered):
            last = min(first + buffered, generations)
            for _ in range(first, last):
                yield from _generation(placement, rank, costs)
            where = format_.indices(np.array(mine, np.int64)[:, None], np.arange(first, last))
            lines = [record_map.extents(kind, **where) for kind in ("tree", "parameter")]
            pieces = lines[0].followed_by(lines[1]).merged()
            for offset, size_bytes in zip(pieces.offsets.tolist(), pieces.sizes.tolist(), strict=True):
                yield write("samples", offset=offset, size=size_bytes)
        yield from flushes

    def serial(rank: int, size: int) -> Iterator[Operation]:
        calls = serial_operations(cold)
        for generation in range(generations):
            yield from _generation(placement, rank, costs)
            for _ in range(calls["allreduce"]):
                yield allreduce(8)
            for run, host in enumerate(cold):
                yield from _through_rank_0(rank, host, run, generation, sizes)
                yield barrier()
            yield barrier()

    program = mapped if output == "mapped" else serial
    layouts = {"samples": str(strips_of(format_, ranks))} if strips and output == "mapped" else {}
    return Workload.from_program(program, ranks, name=f"pmc3 {output}", layouts=layouts)


@dataclass(frozen=True)
class _Costs:
    """Seconds of a chain's step and of a generation itself, and the collectives of an exchange."""

    step: float
    generation: float
    collective_calls: int


def _generation(placement: ChainPlacement, rank: int, costs: _Costs) -> Iterator[Operation]:
    """A step of every chain of the rank, and the exchange that a swap needs."""
    yield compute(costs.generation + int(placement.chains_of_processes[rank]) * costs.step)
    for _ in range(costs.collective_calls):
        yield allgather(POSTERIOR_BYTES * max(1, int(placement.chains_of_processes[0])))


def _through_rank_0(
    rank: int, host: int, run: int, generation: int, sizes: tuple[int, int]
) -> Iterator[Operation]:
    """Both lines of a run: a length and a text each when the cold chain is elsewhere, then two writes."""
    for kind, line in zip("pt", sizes, strict=True):
        for size in (8, line) if host != 0 else ():
            if rank == host:
                yield send(0, size)
            elif rank == 0:
                yield recv(host, size)
        if rank == 0:
            yield write(f"run{run + 1}.{kind}", offset=generation * line, size=line)
