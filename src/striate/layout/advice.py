"""Which layout fits a pattern: the rules of thesis 003, section 8.2, each with its reason.

The rules are heuristics: a prediction on the machine in question confirms or overrules them.
"""

from __future__ import annotations

from dataclasses import dataclass

from striate.errors import LayoutError
from striate.layout.columns import positive
from striate.layout.distributions.basic import Basic
from striate.layout.distributions.simple_stripe import SimpleStripe
from striate.layout.distributions.varstrip import VarStrip
from striate.layout.layout import Layout
from striate.layout.mapped.temporal import is_balanced
from striate.layout.metrics import depth_of_parallelism, largest_whole_unit
from striate.layout.patterns import Pattern
from striate.units import about_size

REFERENCE_UNIT = 65536  # the thesis measures depth against PVFS2's default striping unit
DEEP = 8  # DP_lim of section 7.7.2.3: from here on, buffering costs time
SHALLOW = 4  # up to here, buffering up to MOST_BUFFERED generations saves time
MOST_BUFFERED = 16


@dataclass(frozen=True)
class LayoutAdvice:
    """A layout, how many generations to buffer before a write, and why."""

    layout: Layout
    buffered: int
    reasons: tuple[str, ...]


def advise_samples(
    runs: int,
    processes: int,
    servers: int,
    generation_bytes: int,
    *,
    servers_on_compute_nodes: bool,
    largest_buffering: int = MOST_BUFFERED,
) -> LayoutAdvice:
    """For a sampler of `runs` runs on `processes` processes that writes `generation_bytes` a generation."""
    for value, what in (
        (generation_bytes, "bytes per generation"),
        (largest_buffering, "generations buffered"),
    ):
        positive(value, what)
    if not is_balanced(runs, processes):
        moving = f"{runs} runs on {processes} processes: the writers change from sample to sample"
        return _striped(
            generation_bytes, servers, (moving, "variable strips would send most bytes elsewhere")
        )
    if processes != servers or not servers_on_compute_nodes:
        apart = "no process has a server of its own, so variable strips would keep nothing local"
        return _striped(generation_bytes, servers, ("the same processes write every sample", apart))
    return _varstrip(processes, generation_bytes, largest_buffering)


def _varstrip(processes: int, generation_bytes: int, largest_buffering: int) -> LayoutAdvice:
    depth = depth_of_parallelism(generation_bytes, REFERENCE_UNIT, processes)
    buffered = _buffering(depth, largest_buffering)
    share = -(-generation_bytes // processes)
    reasons = (
        "the same processes write every sample, each on a node with a server (pattern pi_1)",
        f"{about_size(share)} per process and generation, depth {depth:.2g}: buffer {buffered}",
        "local only if the samples follow in the order of time, and headers lie outside the strips",
    )
    return LayoutAdvice(
        VarStrip([(server, share * buffered) for server in range(processes)]), buffered, reasons
    )


def _buffering(depth: float, largest: int) -> int:
    """Section 8.2.4.1: 1 from depth 8 on, up to 16 below depth 4, the more the shallower."""
    if depth >= DEEP:
        return 1
    if depth > SHALLOW:
        return min(2, largest)
    return max(1, min(largest, MOST_BUFFERED, int(MOST_BUFFERED / max(1.0, depth))))


def advise_pattern(
    pattern: Pattern, sizes: list[int], servers: int, *, servers_on_compute_nodes: bool
) -> LayoutAdvice:
    """For a phase of that spatial pattern in which rank r moves `sizes[r]` bytes."""
    total = sum(sizes)
    if pattern is Pattern.FILE_PER_PROCESS:
        return LayoutAdvice(
            Basic(), 1, ("every rank has a file of its own: nothing to share, one server each",)
        )
    if (
        pattern in (Pattern.PARTITIONED, Pattern.PARTIAL)
        and servers_on_compute_nodes
        and len(sizes) == servers
    ):
        if min(sizes) < 1:
            raise LayoutError(
                "expected at least one byte from every rank, as each rank's area becomes a strip on its own server, "
                "got none from some ranks"
            )
        reasons = ("each rank has one area and a server on its node: its own strip keeps every byte local",)
        return LayoutAdvice(VarStrip(list(enumerate(sizes))), 1, reasons)
    return _striped(total, servers, (f"pattern {pattern.name.lower().replace('_', ' ')}",))


def _striped(size: int, servers: int, reasons: tuple[str, ...]) -> LayoutAdvice:
    """The largest unit that uses every server once (section 8.2.4.2)."""
    unit = max(1, largest_whole_unit(size, servers))
    why = f"a unit of {about_size(unit)} puts {about_size(size)} on all {servers} servers, once each"
    return LayoutAdvice(SimpleStripe(servers, unit), 1, (*reasons, why))
