"""`striate layout measure`, `advise` and `patterns`: what accesses ask of a layout, and which layout fits them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from striate.cli.output import deliver, json_option, output_option
from striate.errors import LayoutError
from striate.printable import columns, printable
from striate.units import about_size, size

if TYPE_CHECKING:
    from striate.layout.advice import LayoutAdvice
    from striate.layout.extents import Extents
    from striate.layout.patterns import Pattern
    from striate.trace.analysis.access_phases import TracedPhase

MEASURE_SCHEMA = "striate.layout.measure/1"
ADVISE_SCHEMA = "striate.layout.advise/1"
PATTERNS_SCHEMA = "striate.layout.patterns/1"
_local_option = click.option(
    "--local",
    is_flag=True,
    help="assume that the I/O servers run on the nodes of the ranks, one server per node",
)
_servers_option = click.option(
    "--servers", type=click.IntRange(min=1), required=True, help="number of I/O servers"
)


@click.command()
@click.argument("layout")
@click.option(
    "--access",
    "given",
    multiple=True,
    metavar="OFFSET:SIZE,...",
    help="the bytes that one rank accesses; give the option once per rank, beginning with rank 0",
)
@click.option(
    "--trace", "source", type=click.Path(path_type=Path), help="measure the accesses recorded in this trace"
)
@click.option(
    "--file",
    "name",
    help="for --trace: name of the file whose accesses are measured (default: the file with most bytes accessed)",
)
@json_option
@output_option("write the measures to this file")
def measure(
    layout: str,
    given: tuple[str, ...],
    source: Path | None,
    name: str | None,
    as_json: bool,
    output: Path | None,
    force: bool,
) -> None:
    """Measure how LAYOUT serves the accesses of ranks to a file.

    LAYOUT is a file layout such as simple:8:64KiB, that is a file striped over 8 servers in units of 64 KiB; `striate
    layout --help` lists all forms.

    The command prints, per rank, the servers used, the depth (rounds over all servers) and the runs (contiguous pieces
    on the servers), and over all ranks the load balance of the servers and the share of bytes on the rank's own node.

    The accesses are given per rank (--access 0:64KiB --access 64KiB:64KiB) or taken from a trace; reads and writes are
    then counted together. Rank r is assumed to run on the node of server r modulo the number of servers.
    """
    from striate.layout.measure import measure_layout
    from striate.layout.parse import parse

    if bool(given) == (source is not None):
        raise click.UsageError(
            f"expected accesses from either --access or --trace, got {'both' if given else 'neither'}"
        )
    rule = parse(layout)
    accesses = [_access(text) for text in given] if source is None else _traced_accesses(source, name)
    found = measure_layout(rule, accesses)
    rows = [("rank", "bytes", "servers", "degree", "depth", "runs")]
    for one in found.accesses:
        depth = "-" if one.depth is None else f"{one.depth:.3g}"
        reached = (f"{one.servers}", f"{one.degree_percent:.0f} %", depth)
        rows.append((f"{one.rank}", about_size(one.bytes), *reached, f"{one.runs:,}"))
    words = (
        f"balance of the servers {found.balance:.2f}, {found.local_share:.0%} of the bytes local; "
        f"units up to {about_size(found.largest_unit)} use every server"
    )
    text = f"{columns(rows, numbers_from=0)}\n\n{words}"
    deliver({"schema": MEASURE_SCHEMA, "measures": found}, text, as_json=as_json, output=output, force=force)


@click.command()
@click.argument("trace", type=click.Path(path_type=Path))
@json_option
@output_option("write the access patterns to this file")
def patterns(trace: Path, as_json: bool, output: Path | None, force: bool) -> None:
    """Recognise the spatial access pattern of every phase of TRACE, that is, how the ranks share files in this phase.

    A phase is the part of the run between two barriers.
    """
    found = [_recognised(phase) for phase in _phases(trace)]
    rows = [("phase", "access", "file", "ranks", "bytes", "pattern", "because")]
    for one in found:
        named = one["files"][0] if len(one["files"]) == 1 else f"{len(one['files'])} files"
        counts = (f"{one['ranks']}", about_size(one["bytes"]))
        rows.append((f"{one['phase']}", one["access"], named, *counts, one["pattern"], one["reason"]))
    text = printable(columns(rows, numbers_from=7))
    deliver({"schema": PATTERNS_SCHEMA, "phases": found}, text, as_json=as_json, output=output, force=force)


@click.command()
@_servers_option
@click.option(
    "--trace",
    "source",
    type=click.Path(path_type=Path),
    help="recommend a layout for every phase of this trace",
)
@click.option(
    "--runs", type=click.IntRange(min=1), help="number of independent runs of an MCMC sampler such as MrBayes"
)
@click.option("--processes", type=click.IntRange(min=1), help="number of processes of the MCMC sampler")
@click.option(
    "--generation",
    metavar="SIZE",
    help="bytes that all processes of the MCMC sampler together write per generation of samples",
)
@click.option(
    "--memory",
    metavar="SIZE",
    help="memory per process in which the samples of several generations are collected before a write",
)
@click.option(
    "--samples",
    type=click.IntRange(min=1),
    help="number of samples that the MCMC sampler writes; the number of writes is then printed",
)
@_local_option
@json_option
@output_option("write the advice to this file")
def advise(
    servers: int,
    source: Path | None,
    runs: int | None,
    processes: int | None,
    generation: str | None,
    memory: str | None,
    samples: int | None,
    local: bool,
    as_json: bool,
    output: Path | None,
    force: bool,
) -> None:
    """Recommend a file layout by published rules, for each phase of a trace or for the output of an MCMC sampler.

    A phase is the part of the run between two barriers. The options --runs, --processes and --generation describe an
    MCMC sampler such as MrBayes. For an MCMC sampler, the command also recommends from how many generations (iterations
    of the sampler) a process collects samples in a buffer before a write; the buffer takes at most three quarters of
    the memory given by --memory.

    The layout rules are heuristics of the doctoral thesis 003 (listed on the documentation page "papers"). To forecast
    the time with a layout, use `striate predict --layout`.
    """
    from striate.layout.buffering import write_count

    if source is not None and runs is None and processes is None and generation is None:
        found = [_for_phase(phase, servers, local=local) for phase in _phases(source)]
    elif source is None and runs is not None and processes is not None and generation is not None:
        sampler = _for_sampler(runs, processes, servers, size(generation), local=local, memory=memory)
        counted = {} if samples is None else {"writes": write_count(samples, sampler["buffered"])}
        found = [sampler | counted]
    else:
        raise click.UsageError(
            "expected either --trace alone, or --runs, --processes and --generation together"
        )
    text = "\n\n".join("\n".join([one["for"], f"  {one['layout']}", *_words(one)]) for one in found)
    deliver(
        {"schema": ADVISE_SCHEMA, "advice": found},
        printable(text),
        as_json=as_json,
        output=output,
        force=force,
    )


def _words(one: dict[str, Any]) -> list[str]:
    writes = [f"{one['writes']:,} writes"] if "writes" in one else []
    buffered = [f"buffer {one['buffered']} generations"] if one["buffered"] > 1 else []
    return [f"  - {word}" for word in (*one["reasons"], *buffered, *writes)]


def _for_sampler(
    runs: int, processes: int, servers: int, generation: int, *, local: bool, memory: str | None
) -> dict[str, Any]:
    from striate.layout.advice import MOST_BUFFERED, advise_samples
    from striate.layout.buffering import NodeMemory, safe_buffering

    share = max(1, -(-generation // processes))
    most = MOST_BUFFERED if memory is None else safe_buffering([NodeMemory(size(memory), 0, 0, share, 1)])
    advice = advise_samples(
        runs, processes, servers, generation, servers_on_compute_nodes=local, largest_buffering=most
    )
    head = f"{runs} runs on {processes} processes, {about_size(generation)} per generation"
    return _advice(head, advice)


def _for_phase(phase: TracedPhase, servers: int, *, local: bool) -> dict[str, Any]:
    from striate.layout.advice import advise_pattern
    from striate.layout.patterns import recognise

    pattern: Pattern = recognise(phase.accesses).pattern
    # what a rank accesses at once: one block of several, or all of its area
    sizes = [extents.total_bytes // len(extents.merged()) for extents in phase.of_ranks()]
    named = phase.files[0] if len(phase.files) == 1 else f"{len(phase.files)} files"
    head = f"phase {phase.number}, {phase.kind} of {named}"
    return _advice(head, advise_pattern(pattern, sizes, servers, servers_on_compute_nodes=local))


def _advice(head: str, advice: LayoutAdvice) -> dict[str, Any]:
    return {
        "for": head,
        "layout": str(advice.layout),
        "buffered": advice.buffered,
        "reasons": list(advice.reasons),
    }


def _recognised(phase: TracedPhase) -> dict[str, Any]:
    from striate.layout.patterns import recognise

    found = recognise(phase.accesses)
    return {
        "phase": phase.number,
        "access": phase.kind,
        "files": list(phase.files),
        "ranks": len(phase.of_ranks()),
        "bytes": phase.accesses.extents.total_bytes,
        "pattern": found.pattern.name.lower().replace("_", " "),
        "number": int(found.pattern),
        "reason": found.reason,
    }


def _phases(trace: Path) -> list[TracedPhase]:
    from striate.formats.read import read_trace
    from striate.trace.analysis.access_phases import access_phases

    found = access_phases(read_trace(trace))
    if not found:
        raise LayoutError(
            "expected a trace with file accesses at known offsets, found no such access", source=str(trace)
        )
    return found


def _traced_accesses(source: Path, name: str | None) -> list[Extents]:
    """What every rank accesses of a file in all phases, in its own order."""
    import numpy as np

    from striate.layout.extents import Extents

    mine: dict[str, list[TracedPhase]] = {}
    for phase in _phases(source):
        if len(phase.files) == 1:
            mine.setdefault(phase.files[0], []).append(phase)
    if not mine:
        raise LayoutError(
            "expected a trace with a file that several ranks access, found only files of one rank each",
            source=str(source),
        )
    if name is not None and name not in mine:
        known = ", ".join(list(mine)[:8])
        raise LayoutError(
            f"expected the name of a file that ranks share ({known}), got {name!r:.60}", source=str(source)
        )
    chosen = name or max(mine, key=lambda file: sum(one.accesses.extents.total_bytes for one in mine[file]))
    ranks = sorted({rank for one in mine[chosen] for rank in one.accesses.rank.tolist()})
    accessed = [[one.accesses.of_rank(rank) for one in mine[chosen]] for rank in ranks]
    return [
        Extents(np.concatenate([one.offsets for one in parts]), np.concatenate([one.sizes for one in parts]))
        for parts in accessed
    ]


def _access(text: str) -> Extents:
    from striate.layout.extents import Extents

    pairs = [part.split(":") for part in text.split(",")]
    if any(len(pair) != 2 for pair in pairs):
        raise LayoutError(
            f"expected an access OFFSET:SIZE such as 0:64KiB or 0:1MiB,4MiB:1MiB, got {text!r:.60}"
        )
    return Extents([size(offset) for offset, _ in pairs], [size(length) for _, length in pairs])
