"""The two programs of thesis 003, chapter 7, in emulated form: MrBayes with serial and with mapped output."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from striate.apps.pmc3.format import SampleFormat
from striate.apps.pmc3.line_sizes import parameter_line, tree_line
from striate.layout.extents import Extents
from striate.layout.mapped.temporal import ChainPlacement
from striate.layout.parse import parse
from striate.workload import Workload
from striate.workload.operations import (
    Operation,
    allreduce,
    barrier,
    bcast,
    compute,
    open_file,
    recv,
    send,
    sendrecv,
    write,
)

STRIPE = 65_536  # PVFS2's unit, and the thesis' measure of depth
ALLREDUCES_A_RUN = 7  # counted in MrBayes 3.2; 3.1, which the thesis used, writes in the same order
SWAP_BYTES = 64  # what two chains tell each other before they change places
MAP_BYTES = 64  # the sizes of the first generation, from which every rank makes the map


@dataclass(frozen=True)
class Costs:
    """What the thesis does not say, in seconds."""

    step: float  # one chain, one generation ...
    step_line_byte: float  # ... and what of it grows with the tree, a byte of its line
    line_byte: float  # making a byte of a line
    generation: float  # each generation of the parallel version: file pointers, screen, null processes
    create: float  # making a file, or opening it for the first time
    append_byte: float  # a byte of the line buffer passed over when a line is added to it
    request: float  # a client's part in a request to one server
    map_share: float  # of making a line: learning the sizes of the first one, for the map


@dataclass(frozen=True)
class Analysis:
    """One measurement of the thesis: the program's set-up."""

    runs: int
    processes: int
    generations: int
    line_bytes: int  # both lines of a run and generation
    chains: int = 4
    buffered: int = 1  # lambda
    layout: str = f"simple:8:{STRIPE}"  # of the parallel file

    @classmethod
    def of_taxa(cls, taxa: int, **rest: Any) -> "Analysis":
        tree = tree_line(taxa, 1, scientific=False, version="3.1")
        return cls(line_bytes=tree + parameter_line(5, 1), **rest)

    @classmethod
    def of_depth(cls, depth: float, runs: int, **rest: Any) -> "Analysis":
        """`depth`: delta_ioz, stripes that a generation puts on each of eight servers."""
        return cls(runs=runs, line_bytes=round(depth * 8 * STRIPE / runs), **rest)

    def with_(self, **changes: Any) -> "Analysis":
        return replace(self, **changes)

    def with_varstrip(self, servers: int = 8) -> "Analysis":
        """Strips as long as what a process writes at a time (section 7.7.2), in the order of the nodes."""
        chunk = max(1, self.runs * self.line_bytes * self.buffered // self.processes)
        return replace(self, layout="varstrip:" + ";".join(f"{server}:{chunk}" for server in range(servers)))

    @cached_property
    def placement(self) -> ChainPlacement:
        return ChainPlacement(self.runs, self.chains, self.processes)

    @cached_property
    def writers(self) -> list[int]:
        """The rank that holds each run's cold chain; they stay where they begin."""
        return [hosts[0] for hosts in self.placement.hosts]


def serial(analysis: Analysis, costs: Costs) -> Workload:
    """All lines go to rank 0, run after run, with everybody waiting (section 4.2.3)."""
    size = analysis.line_bytes

    def program(rank: int, ranks: int) -> Iterator[Operation]:
        if rank == 0:
            yield compute(2 * analysis.runs * costs.create)
        for generation in range(analysis.generations):
            yield from _steps(analysis, rank, costs)
            for run, host in enumerate(analysis.writers):
                for _ in range(ALLREDUCES_A_RUN):
                    yield allreduce(8)
                if rank == host:
                    yield compute(size * costs.line_byte)
                    yield from (send(0, part) for part in (8, size) if host)
                elif rank == 0:
                    yield from (recv(host, part) for part in (8, size))
                if rank == 0:
                    yield write(f"run{run}", offset=generation * size, size=size)
                yield barrier()
            yield barrier()

    return Workload.from_program(program, analysis.processes, name="serial")


def mapped(analysis: Analysis, costs: Costs) -> Workload:
    """Every rank writes the lines of its cold chains where the map of the first generation puts them."""
    size, last = analysis.line_bytes, analysis.generations
    parts = {"tree": size - size // 10, "parameter": size // 10}
    record_map = SampleFormat(analysis.runs, last, parts["parameter"], parts["tree"]).record_map()
    layout = parse(analysis.layout)

    def saved(mine: list[int], first: int, count: int) -> Iterator[Operation]:
        for run in mine:
            for kind, part in parts.items():
                offset = int(record_map.offset(kind, run=run, line=first))
                servers = np.bincount(layout.split(Extents([offset], [count * part])).server)
                yield compute(np.count_nonzero(servers) * costs.request)
                yield write("samples", offset=offset, size=count * part)

    def program(rank: int, ranks: int) -> Iterator[Operation]:
        mine = [run for run, host in enumerate(analysis.writers) if host == rank]
        yield open_file("samples", create=True)
        yield compute(costs.create + costs.map_share * size * costs.line_byte)
        yield bcast(MAP_BYTES)
        kept = 0
        for generation in range(last):
            yield from _steps(analysis, rank, costs)
            yield compute(len(mine) * size * costs.line_byte + costs.generation)
            if analysis.buffered > 1:
                yield compute(_appending(kept, len(mine), size) * costs.append_byte)
            kept += 1
            if kept == analysis.buffered or generation == last - 1:
                yield from saved(mine, generation + 1 - kept, kept)
                kept = 0
            yield barrier()

    return Workload.from_program(
        program, analysis.processes, name="mapped", layouts={"samples": analysis.layout}
    )


def _appending(kept: int, lines: int, size: int) -> float:
    """Bytes passed over to add `lines` lines to a buffer that holds `kept` generations of them."""
    return lines * kept * lines * size + size * lines * (lines - 1) / 2


def _steps(analysis: Analysis, rank: int, costs: Costs) -> Iterator[Operation]:
    """A step of every chain of the rank; runs that span ranks exchange what a swap needs."""
    step = costs.step + analysis.line_bytes * costs.step_line_byte
    yield compute(int(analysis.placement.chains_of_processes[rank]) * step)
    for hosts in analysis.placement.hosts:
        if len(hosts) > 1 and rank in hosts:
            partner = hosts.index(rank) ^ 1
            if partner < len(hosts):
                yield sendrecv(hosts[partner], SWAP_BYTES)


def steps_only(analysis: Analysis, costs: Costs) -> Workload:
    """The program without any output."""

    def program(rank: int, ranks: int) -> Iterator[Operation]:
        for _ in range(analysis.generations):
            yield from _steps(analysis, rank, costs)

    return Workload.from_program(program, analysis.processes, name="steps")
