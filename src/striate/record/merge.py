"""Merges what the traced processes left behind into one trace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from striate.errors import TraceError
from striate.provenance import versions
from striate.record.clocks import Correction, corrections
from striate.record.files import ENDED, RankFile
from striate.record.part_names import MergedNames
from striate.record.parts import RecordedParts, read_parts
from striate.record.processes import (
    described,
    ended,
    mapped_flags,
    process_flags,
    processes,
    program_of,
    threads_as_ranks,
    with_ranks,
    with_threads,
)
from striate.record.rows import rows_of
from striate.record.samples import samples_of
from striate.record.unfinished import unfinished_rows
from striate.trace.header import Flag, Header, TracedCommunicator, TracedFile
from striate.trace.trace import Trace


def merge(folder: str | Path, *, levels: Sequence[str]) -> Trace:
    """One trace from all parts in `folder`: of ranks where a process called MPI_Init, of processes otherwise.

    Raises TraceError when there is none.
    """
    folder = Path(folder)
    parts = read_parts(folder)
    if parts.ranks:
        return _of_ranks(folder, parts, levels)
    if not parts.processes:
        raise TraceError(
            "no process called MPI_Init or opened a file: nothing was recorded", source=str(folder)
        )
    return _of_processes(folder, parts)


def _of_ranks(folder: Path, found: RecordedParts, levels: Sequence[str]) -> Trace:
    parts = found.ranks
    fixes = corrections(parts)
    origin = min(int(fix.apply(np.array([_first(part)]))[0]) for part, fix in zip(parts, fixes, strict=True))
    merged = MergedNames()
    tables = [rows_of(part, fix, origin, merged) for part, fix in zip(parts, fixes, strict=True)]
    tables += unfinished_rows(parts, fixes, origin, merged)
    tables += _children(found, fixes, origin, merged)
    header = _header(parts, fixes, origin, merged, levels).flagged(*_flags(found, fixes, merged))
    return _joined(folder, parts, fixes, origin, tables, header, merged)


def _of_processes(folder: Path, found: RecordedParts) -> Trace:
    parts = found.processes
    fixes = corrections(parts)
    pairs = list(zip(parts, fixes, strict=True))
    origin = min(int(fix.apply(np.array([part.process.begun]))[0]) for part, fix in pairs)
    last = max(int(fix.apply(np.array([ended(part)]))[0]) for part, fix in pairs)
    merged, ranks = MergedNames(), threads_as_ranks(parts)
    tables = [
        with_ranks(rows_of(part, fix, origin, merged), threads)
        for (part, fix), threads in zip(pairs, ranks, strict=True)
    ]
    hosts = list(dict.fromkeys(part.host for part in parts))
    header = Header(
        sum(map(len, ranks)),
        f"striate {versions()['striate']}",
        program_of(parts),
        max(0, parts[0].wall + origin - parts[0].clock),
        max(last - origin, 0),
        tuple(hosts),
        tuple(hosts.index(part.host) for part, own in zip(parts, ranks, strict=True) for _ in own),
        _traced_files(merged),
        regions=tuple(merged.regions),
        levels=("posix",),
        versions=versions(),
        processes=described(parts, ranks),
    ).flagged(*process_flags(parts, found.broken), *_recorded_flags(parts, fixes))
    return _joined(folder, parts, fixes, origin, tables, header, merged)


def _joined(
    folder: Path,
    parts: Sequence[RankFile],
    fixes: Sequence[Correction],
    origin: int,
    tables: list[pa.Table],
    header: Header,
    merged: MergedNames,
) -> Trace:
    table = pa.concat_tables(tables).unify_dictionaries().combine_chunks()
    samples, whole = samples_of(folder, parts, fixes, origin)
    header = header.flagged(*mapped_flags(table))
    if not whole:
        header = header.flagged(Flag("damaged", "some samples of the hosts' resources are damaged"))
    return Trace.of(table, header, merged.lists.lists(), samples)


def _children(
    found: RecordedParts, fixes: Sequence[Correction], origin: int, merged: MergedNames
) -> list[pa.Table]:
    """What processes did that ranks forked or started: rows of further threads of their ranks."""
    fix_of = {part.rank: fix for part, fix in zip(found.ranks, fixes, strict=True)}
    threads = {part.rank: 1 + int(part.events["thread"].max(initial=0)) for part in found.ranks}
    tables = []
    for part in found.children:
        if part.rank not in fix_of:
            continue
        table = with_threads(rows_of(part, fix_of[part.rank], origin, merged), threads[part.rank])
        threads[part.rank] += 1 + int(part.events["thread"].max(initial=0))
        tables.append(table)
    return tables


def _first(part: RankFile) -> int:
    """When the process left MPI_Init: the run begins then; where that was not recorded, when recording began."""
    begun = part.events["end"][part.called("MPI_Init", "MPI_Init_thread")]
    return int(begun.min()) if len(begun) else part.clock


def _duration(parts: Sequence[RankFile], fixes: Sequence[Correction], origin: int) -> int:
    """Until the last process entered MPI_Finalize; 0 where one never did."""
    last = 0
    for part, fix in zip(parts, fixes, strict=True):
        ended = part.events["start"][part.called("MPI_Finalize")]
        if not len(ended):
            return 0
        last = max(last, int(fix.apply(ended.astype(np.int64)).max()) - origin)
    return last


def _header(
    parts: Sequence[RankFile],
    fixes: Sequence[Correction],
    origin: int,
    merged: MergedNames,
    levels: Sequence[str],
) -> Header:
    ranks = max(part.size for part in parts)
    hosts = list(dict.fromkeys(part.host for part in parts))
    host_of = {part.rank: hosts.index(part.host) for part in parts}
    first = parts[0]
    program = first.names["program"].get(0, b"").replace(b"\0", b" ").decode("utf-8", "replace").strip()
    members = {number: names for (names, _), number in merged.communicators.items()}
    world = tuple(range(ranks))
    return Header(
        ranks,
        f"striate {versions()['striate']}, {Path(first.library).name}",
        program,
        max(0, first.wall + origin - first.clock),
        _duration(parts, fixes, origin),
        tuple(hosts),
        tuple(host_of.get(rank, 0) for rank in range(ranks)),
        _traced_files(merged),
        (
            TracedCommunicator("world"),
            *(
                TracedCommunicator(
                    f"communicator {number}", None if members[number] == world else members[number]
                )
                for number in sorted(members)
            ),
        ),
        tuple(merged.regions),
        tuple(levels),
        clock_offsets=tuple(fix.offset for fix in fixes) if any(fix.offset for fix in fixes) else (),
        versions=versions(),
    )


def _traced_files(merged: MergedNames) -> tuple[TracedFile, ...]:
    return tuple(TracedFile(name, hints=hints) for name, (_, hints) in merged.files.items())


def _flags(found: RecordedParts, fixes: Sequence[Correction], merged: MergedNames) -> list[Flag]:
    flags, parts = [], found.ranks
    ranks = max(part.size for part in parts)
    killed = [part.rank for part in parts if part.finished != ENDED]
    if killed:
        flags.append(
            Flag("crashed", f"{len(killed)} ranks ended without MPI_Finalize, the first is rank {killed[0]}")
        )
    inside = [(part.rank, call.function) for part in parts for call in part.inside]
    if inside:
        named = ", ".join(f"rank {rank} in {function}" for rank, function in inside[:8])
        flags.append(Flag("unfinished", f"{len(inside)} calls never returned: {named}"))
    if len(parts) < ranks:
        flags.append(Flag("damaged", f"{ranks - len(parts)} of {ranks} ranks left no records"))
    flags += _recorded_flags(parts, fixes)
    if found.children:
        begun = f"{processes(len(found.children))} that ranks forked or started"
        flags.append(Flag("children", f"{begun} show as threads of their ranks"))
    if merged.shared_pointers:
        flags.append(
            Flag(
                "offset-unknown",
                f"{merged.shared_pointers:,} accesses through the shared file pointer have no offset",
            )
        )
    if merged.views_missed:
        flags.append(
            Flag(
                "strides-collapsed",
                f"{merged.views_missed:,} views of unsupported datatypes or too many byte ranges show as one range",
            )
        )
    if found.later:
        flags.append(
            Flag(
                "several-programs",
                f"{found.later} more processes began MPI later; only the first program is shown",
            )
        )
    return flags


def _recorded_flags(parts: Sequence[RankFile], fixes: Sequence[Correction]) -> list[Flag]:
    """What happened to the records themselves."""
    flags = []
    if not all(part.whole for part in parts):
        flags.append(Flag("damaged", "some processes' records are damaged; the undamaged part was read"))
    dropped = sum(part.dropped for part in parts)
    if dropped:
        flags.append(
            Flag(
                "throttled",
                f"{dropped:,} later operations did not fit into the memory allowed or onto the disk",
            )
        )
    if not all(fix.measured for fix in fixes):
        flags.append(
            Flag(
                "clocks-unaligned",
                "the clocks of some hosts could not be compared; their wall clocks were used",
            )
        )
    return flags
