"""Finds the first operation that no MPI library could run, without unrolling a loop or walking rank by rank."""

from __future__ import annotations

import numpy as np

from striate.arrow import distinct
from striate.workload.application import Application, Groups
from striate.workload.checks.limits import (
    MOST_BYTES,
    MOST_PASSES,
    WORDS,
    doubtful_rows,
    end_of_values,
    least_value,
    outside,
    reach_of_lists,
)
from striate.workload.checks.matching import match_messages
from striate.workload.checks.sequences import compare_collectives
from striate.workload.kinds import (
    ACCESSES,
    ANY,
    BLOCKING,
    KINDS,
    ONE_SIDED,
    OPERANDS,
    POSITIONS,
    REMOTE_ACCESSES,
    Kind,
)
from striate.workload.operand_ranges import OperandRanges
from striate.workload.walk import ProgramLine, lines

_CLOSED = {"request", "region"}
_FOLLOWED = frozenset((Kind.WAIT, Kind.TEST, Kind.OFFER, Kind.REGION_BEGIN, Kind.REGION_END, *ONE_SIDED))


def validate(application: Application) -> None:
    """Raise WorkloadError at the first offending operation: operands, then requests, messages and collectives."""
    groups = [application.groups(number) for number in range(len(application.communicators))]
    ranges = OperandRanges.of(application.programs)
    doubtful = doubtful_rows(application, groups, ranges)
    if doubtful.any():
        for line in lines(application):
            if doubtful[line.row]:
                check_operands(line, groups)
    for program in programs_to_follow(ranges):
        check_requests(application, program)
    match_messages(application, groups)
    compare_collectives(application, groups)


def check_operands(line: ProgramLine, groups: list[Groups]) -> None:
    """Peers, roots, sizes, offsets and files of one row, for all its ranks."""
    line.refuse("expected at most 2^62 passes through all loops together", line.times > MOST_PASSES)
    group = groups[line.communicator]
    name = line.application.communicators[line.communicator].name.replace("{", "{{").replace("}", "}}")
    line.refuse(f"the rank does not belong to communicator {name!r}", group.group[line.ranks] < 0)
    members = group.size(line.ranks)
    for operand, words in WORDS.items():
        if operand in OPERANDS[line.kind]:
            least, end = least_value(line.kind, operand), end_of_values(line.application, operand, members)
            bad = outside(operand, line.lowest(operand), line.highest(operand), least, end)
            line.refuse(words.format(operand=operand, least=least, name=name), bad)
    if line.kind in ACCESSES:
        check_access(line)


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
    line.refuse("more than 2^62 bytes in all passes together", total > float(MOST_BYTES))
    highest = np.asarray(line.highest("offset"), float) + span
    line.refuse("bytes past 2^63 - 1, offset {offset}", highest > float(2**63 - 1024))


def programs_to_follow(ranges: OperandRanges) -> list[int]:
    """Programs with requests, regions or accesses to remote memory: the others leave nothing open."""
    found = np.zeros(ranges.programs.count, bool)
    for kind in distinct(ranges.programs.kind).tolist():
        rows = ranges.rows(kind)
        if KINDS[kind] not in _FOLLOWED and "request" in POSITIONS[kind]:
            low, high, exact = ranges.column(rows, POSITIONS[kind]["request"])
            rows = rows[(low != BLOCKING) | (high != BLOCKING) | ~exact]
        elif KINDS[kind] not in _FOLLOWED:
            continue
        found[ranges.program[rows]] = True
    return [int(program) for program in np.flatnonzero(found)]


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
