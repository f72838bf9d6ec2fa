"""Figures 5 to 9 of paper 002 in simulation on the machine `sp2`: `python verification/paper_002_sp2.py`.

Writes docs/images/sp2-figure-*.svg, and prints the numbers in them as tables. The program is the paper's: 64 ranks, 8 M
nodes of 40 bytes, 12 M random edges. Ranks send the nodes that their edges touch to the owners (exchange); an owner
cuts its 5 MB into as many blocks as the group factor says and sends them to the servers in turn (to servers); the first
ranks are servers and write a sub-file each on their own node (write). Writes are durable.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import pairwise

from paper_002_figures import bars, legend, save

from striate.apps.mesh.emulated import touched_nodes
from striate.apps.mesh.generate import NODE
from striate.cluster import Cluster
from striate.cluster.load import cluster_from_toml
from striate.ladder import predict
from striate.workload import Workload
from striate.workload.operations import (
    Operation,
    alltoall,
    barrier,
    compute,
    irecv,
    isend,
    sync_file,
    waitall,
    write,
)

NODES = 8_000_000
SERVERS = (4, 8, 16, 64)
COLORS = {"exchange": "#4477aa", "compress": "#ccbb44", "to servers": "#aa3377", "write": "#228833"}
COMPRESSING, SHARE = (
    1.0,
    0.5,
)  # seconds for 5 MB ("more than 1 sec"), and what is left of them (the paper does not say)
ALONE = "alone"


@dataclass(frozen=True)
class Output:
    """One write of the program."""

    ranks: int
    servers: int
    factor: int
    compressed: bool = False
    part: float = 1.0  # of all nodes that are written
    exchanged: float = 1.0  # of all touched nodes that are sent to their owners

    @property
    def domain(self) -> int:
        """Bytes of a rank's domain that go to servers."""
        whole = round(NODES * NODE.itemsize * self.part / self.ranks)
        return round(whole * SHARE) if self.compressed else whole

    def blocks(self, rank: int) -> list[tuple[int, int]]:
        """(server, bytes) of a rank's blocks: dealt to the servers in turn, going on where the rank before ended."""
        size = self.domain // self.factor
        return [((rank * self.factor + block) % self.servers, size) for block in range(self.factor)]


def exchange(output: Output) -> Iterator[Operation]:
    touched = touched_nodes(NODES, NODES * 3 // 2 // output.ranks) * output.exchanged
    yield alltoall(round(touched * NODE.itemsize / output.ranks))


def compress(output: Output) -> Iterator[Operation]:
    if output.compressed:
        yield compute(COMPRESSING)


def to_servers(output: Output, rank: int) -> Iterator[Operation]:
    """A block that stays on its rank is not sent."""
    begun = 0
    if rank < output.servers:
        for source in range(output.ranks):
            for block, (server, size) in enumerate(output.blocks(source)):
                if server == rank and source != rank:
                    yield irecv(source, size, tag=block)
                    begun += 1
    for block, (server, size) in enumerate(output.blocks(rank)):
        if server != rank:
            yield isend(server, size, tag=block)
            begun += 1
    if begun:
        yield waitall()
    yield barrier()


def store(output: Output, rank: int) -> Iterator[Operation]:
    if rank < output.servers:
        parts = [
            size for source in range(output.ranks) for server, size in output.blocks(source) if server == rank
        ]
        yield write(f"sub.{rank}", offset=0, size=sum(parts))
        yield sync_file(f"sub.{rank}", comm=ALONE)
    yield barrier()


def machine_of(servers: int) -> Cluster:
    """`sp2` with an I/O node on each of the first nodes, its 10 MB/s those of one local disk."""
    text = (files("striate.cluster") / "data" / "sp2.toml").read_text()
    for old, new in (
        ("count = 12", f"count = {servers}"),
        ("disks = 4", "disks = 1"),
        ('2.5 MB/s"', '10 MB/s"'),
    ):
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return cluster_from_toml(text)


def seconds(*outputs: Output, stages: int = 4) -> float:
    """The time of these writes one after the other, each up to a stage."""

    def program(rank: int, ranks: int) -> Iterator[Operation]:
        for output in outputs:
            steps = (exchange(output), compress(output), to_servers(output, rank), store(output, rank))
            for step in steps[:stages]:
                yield from step

    ranks, servers = outputs[0].ranks, outputs[0].servers
    layouts = {f"sub.{server}": "basic" for server in range(servers)} if stages == 4 else {}
    alone = {ALONE: list(range(ranks))}
    made = Workload.from_program(program, ranks, communicators=alone, layouts=layouts)
    return predict(made, machine_of(servers), rung="fine").bounds.estimate


def stages_of(output: Output) -> dict[str, float]:
    ends = [0.0, *(seconds(output, stages=count) for count in range(1, 5))]
    return {name: after - before for name, (before, after) in zip(COLORS, pairwise(ends), strict=True)}


def draw_writes(figure: int, outputs: list[Output], words: str) -> None:
    """The bandwidth and the stages of writes, as pictures and as a table."""
    found = [(output, stages_of(output)) for output in outputs]
    labels = [f"({output.servers}, {output.factor})" for output in outputs]
    total = NODES * NODE.itemsize / 1e6
    speeds = [[("#4477aa", total / sum(stages.values()))] for _, stages in found]
    title = f"Figure {figure}: bandwidth over (servers, group factor){words}, in simulation"
    save(f"sp2-figure-{figure}.svg", bars(title, "MB/s", list(zip(labels, speeds, strict=True))))
    parts = [[(COLORS[name], value) for name, value in stages.items()] for _, stages in found]
    title = f"Figure {figure + 1}: stages of a write{words}, in simulation"
    shapes = bars(title, "s", list(zip(labels, parts, strict=True))) + legend(COLORS)
    save(f"sp2-figure-{figure + 1}.svg", shapes)
    print(f"| servers | group factor | {' s | '.join(COLORS)} s | MB/s |\n|{'---|' * 7}")
    for output, stages in found:
        numbers = " | ".join(f"{value:.2f}" for value in stages.values())
        print(f"| {output.servers} | {output.factor} | {numbers} | {total / sum(stages.values()):.1f} |")
    print(flush=True)


def loops(share: float, factor: int, *, cached: bool) -> float:
    """Two loops over half the nodes each: what both touch is written once where it is kept, and asked for before."""
    whole = Output(32, 16, factor, part=0.5, exchanged=0.5)
    if not cached:
        return seconds(whole, whole)
    asking = 0.5 * 8 / NODE.itemsize  # the numbers of the nodes of the second loop
    return seconds(replace(whole, part=0.5 * (1 - share), exchanged=0.5 + asking), whole)


def draw_loops() -> None:
    columns = []
    print("| overlap | group factor | without cache s | with cache s |\n|---|---|---|---|")
    for factor in (1, 16):
        plain = loops(0, factor, cached=False)
        columns.append((f"none, {factor}", [("#bbbbbb", plain)]))
        for overlap in (1, 8, 16, 24, 31):
            kept = loops(overlap / 32, factor, cached=True)
            columns.append((f"{overlap}/32, {factor}", [("#228833", kept)]))
            print(f"| {overlap}/32 | {factor} | {plain:.2f} | {kept:.2f} |", flush=True)
    title = "Figure 9: two loops over (overlap, group factor), in simulation"
    save("sp2-figure-9.svg", bars(title, "s", columns))


def main() -> int:
    pairs = [(servers, factor) for servers in SERVERS for factor in sorted({1, 4, min(servers, 16), servers})]
    draw_writes(5, [Output(64, servers, factor) for servers, factor in pairs], "")
    draw_writes(7, [Output(64, servers, 1, compressed=True) for servers in SERVERS], ", compressed")
    draw_loops()
    return 0


if __name__ == "__main__":
    sys.exit(main())
