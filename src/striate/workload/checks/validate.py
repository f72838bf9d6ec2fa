"""Finds the first operation that no MPI library could run, without unrolling a loop or walking rank by rank."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from striate.workload.application import Application, Groups
from striate.workload.checks.matching import match_messages
from striate.workload.checks.sequences import compare_collectives
from striate.workload.kinds import (
    ACCESSES,
    ANY,
    BLOCKING,
    DEFAULT_ALGORITHM,
    NO_COUNTS,
    ONE_SIDED,
    OPERANDS,
    REMOTE_ACCESSES,
    ROOTED,
    TAGS_OF_CALLS,
    Kind,
)
from striate.workload.program import Int64s
from striate.workload.walk import ProgramLine, lines

_CLOSED = {"request", "region"}
_FILES = frozenset(kind for kind, names in OPERANDS.items() if "file" in names)


def validate(application: Application) -> None:
    """Raise WorkloadError at the first offending operation: operands, then requests, messages and collectives."""
    groups = [application.groups(number) for number in range(len(application.communicators))]
    for line in lines(application):
        check_operands(line, groups)
    for program in range(application.programs.count):
        check_requests(application, program)
    match_messages(application, groups)
    compare_collectives(application, groups)


def check_operands(line: ProgramLine, groups: list[Groups]) -> None:
    """Peers, roots, sizes, offsets and files of one row, for all its ranks."""
    names = OPERANDS[line.kind]
    line.refuse("expected at most 2^62 passes through all loops together", line.times > 2**62)
    group = groups[line.communicator]
    outside = group.group[line.ranks] < 0
    name = line.application.communicators[line.communicator].name.replace("{", "{{").replace("}", "}}")
    line.refuse(f"the rank does not belong to communicator {name!r}", outside)
    size = group.size(line.ranks)
    for operand in ("picoseconds", "instructions", "bytes", "source_bytes", "count", "offset"):
        if operand in names:
            line.refuse(
                f"expected {operand} of at least 0, got {{{operand}}}", line.lowest(operand) < np.int64(0)
            )
    for operand, least in (("peer", ANY if line.kind in (Kind.RECV, Kind.FLUSH) else 0), ("source", ANY)):
        if operand in names:
            line.refuse(
                f"no rank {{{operand}}} in communicator {name!r}", _outside(line, operand, least, size)
            )
    for operand, least in (("tag", ANY if line.kind is Kind.RECV else 0), ("source_tag", ANY)):
        if operand in names:
            low = np.asarray(line.lowest(operand))
            of_calls = np.isin(low, TAGS_OF_CALLS) & (low == line.highest(operand))
            line.refuse(
                f"expected {operand} of at least {least}, got {{{operand}}}", (low < least) & ~of_calls
            )
    if line.kind in ROOTED:
        line.refuse(f"no root {{root}} in communicator {name!r}", _outside(line, "root", 0, size))
    if "region" in names:
        line.refuse("no region number {region}", _outside(line, "region", 0, len(line.application.regions)))
    if "algorithm" in names:
        known = len(line.application.algorithms)
        line.refuse("no algorithm number {algorithm}", _outside(line, "algorithm", DEFAULT_ALGORITHM, known))
    if "counts" in names:
        least = 0 if line.kind is Kind.ALLTOALLV else NO_COUNTS
        known = len(line.application.counts)
        line.refuse("no matrix of counts {counts}", _outside(line, "counts", least, known))
    if line.kind in _FILES:
        line.refuse("no file number {file}", _outside(line, "file", 0, line.application.file_count))
    if line.kind in ACCESSES:
        check_access(line)


def _outside(line: ProgramLine, operand: str, least: int, end: Int64s | int) -> NDArray[np.bool_]:
    low, high = np.asarray(line.lowest(operand)), np.asarray(line.highest(operand))
    return np.asarray((low < least) | (high >= end))


def check_access(line: ProgramLine) -> None:
    """Byte runs stay inside [0, 2^63)."""
    extents = line.column("extents")
    lists = line.application.extents
    line.refuse("no extent list {extents}", (extents < -1) | (extents >= len(lists)))
    irregular = extents >= 0
    blocks = np.maximum(line.column("count").astype(float) - 1, 0)
    span = blocks * line.column("stride") + line.column("bytes")
    low = np.minimum(blocks * line.column("stride"), 0.0)
    if irregular.any():
        first, last = reach_of_lists(lists.first, lists.offsets, lists.sizes)
        span = np.where(irregular, last[extents], span)
        low = np.where(irregular, first[extents], low)
    line.refuse("bytes before the start of the file, offset {offset}", line.lowest("offset") + low < 0)
    total = np.maximum(line.column("bytes"), 1) * line.column("count").astype(float) * line.times
    line.refuse("more than 2^62 bytes in all passes together", total > 2.0**62)
    highest = np.asarray(line.highest("offset"), float) + span
    line.refuse("bytes past 2^63 - 1, offset {offset}", highest > float(2**63 - 1024))


def reach_of_lists(
    first: Int64s, offset: Int64s, length: Int64s
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lowest and highest byte of every list of runs; a negative length counts as a byte before the start."""
    lowest = np.zeros(len(first), float)
    highest = np.zeros(len(first), float)
    filled = np.flatnonzero(np.diff(first))
    if len(filled):
        start = np.where(length < 0, -1, offset).astype(float)
        lowest[filled] = np.minimum.reduceat(start, first[filled])
        highest[filled] = np.maximum.reduceat(offset.astype(float) + length, first[filled])
    return lowest, highest


def check_requests(application: Application, program: int) -> None:
    """Every request is awaited exactly once between two beginnings; regions end in the order they began."""
    written = _twice(application, program)
    for at in _unlike(written, len(application.programs.ranks_of(program))):
        _follow(written, at)
        _follow_memory(written, at)


def _unlike(written: list[ProgramLine], ranks: int) -> list[int]:
    """Where among the program's ranks to look: one for every combination in which requests and regions are numbered."""
    by_row = {line.row: line for line in written}.values()
    firsts = [
        line.first(name) for line in by_row for name in ("request", "region") if name in OPERANDS[line.kind]
    ]
    columns = [first for first in firsts if isinstance(first, np.ndarray)]
    if not columns:
        return [0] * (ranks > 0)
    unlike = np.unique(np.stack(columns, axis=1), axis=0, return_index=True)[1]
    return [int(at) for at in np.sort(unlike)]


def _follow(written: list[ProgramLine], at: int) -> None:
    """Follow the requests and regions of the rank at place `at`."""
    pending: dict[int, ProgramLine] = {}
    regions: list[ProgramLine] = []
    for line in written:
        request = int(line.column("request")[at]) if "request" in OPERANDS[line.kind] else BLOCKING
        if line.kind is Kind.WAITALL:
            pending.clear()
        elif line.kind is Kind.WAIT:
            _refuse_at(line, at, "wait for request {request}, which is not in flight", request not in pending)
            del pending[request]
        elif line.kind is Kind.TEST:
            _refuse_at(line, at, "test of request {request}, which is not in flight", request not in pending)
        elif line.kind is Kind.OFFER:
            _refuse_at(line, at, "request {request} is not in flight", request not in pending)
            if int(line.column("last")[at]):
                del pending[request]
        elif request != BLOCKING:
            _refuse_at(line, at, "request {request} begins again before it was awaited", request in pending)
            pending[request] = line
        elif line.kind is Kind.REGION_BEGIN:
            regions.append(line)
        elif line.kind is Kind.REGION_END:
            ends = regions and regions[-1].column("region")[at] == line.column("region")[at]
            _refuse_at(line, at, f"region {_region(line, at)} ends, but did not begin last", not ends)
            regions.pop()
    for line in pending.values():
        _refuse_at(line, at, "request {request} is never awaited")
    if regions:
        _refuse_at(regions[-1], at, f"region {_region(regions[-1], at)} never ends")


def _follow_memory(written: list[ProgramLine], at: int) -> None:
    """Every access to remote memory is completed, and every lock given back, of the rank at place `at`."""
    accessed: dict[tuple[int, int], ProgramLine] = {}
    locked: dict[tuple[int, int], ProgramLine] = {}
    for line in written:
        if line.kind not in ONE_SIDED:
            continue
        key = line.communicator, int(line.column("peer")[at])
        if line.kind in REMOTE_ACCESSES:
            accessed[key] = line
        elif line.kind is Kind.FLUSH and not int(line.column("local")[at]):
            gone = [one for one in accessed if one[0] == key[0] and key[1] in (ANY, one[1])]
            accessed = {one: accessed[one] for one in accessed if one not in gone}
        elif line.kind is Kind.LOCK:
            _refuse_at(line, at, "rank {peer} is locked already", key in locked)
            locked[key] = line
        elif line.kind is Kind.UNLOCK:
            _refuse_at(line, at, "unlock of rank {peer}, which is not locked", key not in locked)
            accessed.pop(key, None)
            del locked[key]
    for line in accessed.values():
        _refuse_at(
            line, at, f"a {line.kind.label} at rank {{peer}} is completed by no fence, flush or unlock"
        )
    for line in locked.values():
        _refuse_at(line, at, "rank {peer} is never unlocked")


def _refuse_at(line: ProgramLine, at: int, found: str, bad: bool = True) -> None:
    if bad:
        line.refuse(found, np.arange(len(line.ranks)) == at)


def _region(line: ProgramLine, at: int) -> str:
    name = line.application.regions[line.column("region")[at]]
    return repr(name).replace("{", "{{").replace("}", "}}")


def _twice(application: Application, program: int) -> list[ProgramLine]:
    """The program's lines with every loop's body written out twice at most: enough to see what a pass leaves over."""
    programs = application.programs
    by_row = {line.row: line for line in lines(application, program)}
    stack: list[list[ProgramLine]] = [[]]
    counts: list[int] = []
    for row in programs.rows_of(program):
        if programs.kind[row] == Kind.LOOP:
            stack.append([])
            counts.append(int(programs.constant[programs.operand(row, "count")]))
        elif programs.kind[row] == Kind.END:
            body, count = stack.pop(), counts.pop()
            closes = any(line.kind is Kind.WAITALL or _CLOSED & set(OPERANDS[line.kind]) for line in body)
            stack[-1].extend(body * min(count, 2 if closes and len(body) < 10_000 else 1))
        elif row in by_row:
            stack[-1].append(by_row[row])
    return stack[0]
