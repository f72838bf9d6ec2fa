"""Parts of a program between points where all ranks wait for all: each can be looked at on its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from striate.workload.application import Application
from striate.workload.kinds import ANY, BLOCKING, FILE_CALLS, ONE_SIDED, OPERANDS, Kind
from striate.workload.program import ProgramTable
from striate.workload.workload import Workload

# After these, on the world, nobody goes on before everybody has come.
_MEMORY = -2  # stands among requests for accesses to remote memory
SYNCING = frozenset((Kind.BARRIER, Kind.ALLREDUCE, Kind.ALLGATHER, Kind.ALLTOALL))


@dataclass(frozen=True, slots=True, eq=False)
class ProgramPart:
    """One phase as a workload of its own, by the first region it begins in, or by its number."""

    name: str
    workload: Workload


def phases_of(workload: Workload) -> tuple[ProgramPart, ...]:
    """The workload cut after every outermost operation or loop that ends with all ranks waiting for all.

    No cut is made while a non-blocking operation is in flight, nor between two parts that touch files: what caches,
    burst buffers and disk heads hold passes from one to the next. One part, the whole, when there is nothing to cut
    or several applications run at once.
    """
    whole = (ProgramPart("whole", workload),)
    if len(workload.applications) != 1:
        return whole
    (application,) = workload.applications
    programs = application.programs
    if not np.isin(programs.kind, list(SYNCING)).any():
        return whole
    used = [program for program in range(programs.count) if len(programs.ranks_of(program))]
    partition = {program: list(_boundaries(programs, program)) for program in used}
    if len({len(found) for found in partition.values()}) != 1:
        return whole
    partition = _with_files_together(programs, partition)
    if len(partition[used[0]]) < 2:
        return whole
    parts = []
    for number in range(len(partition[used[0]])):
        rows = {program: partition[program][number] for program in used}
        name = _region(application, rows[used[0]]) or f"phase {number + 1}"
        part = replace(application, programs=_sliced(programs, rows), start_picoseconds=0)
        parts.append(ProgramPart(name, Workload((part,))))
    return tuple(parts)


def _with_files_together(programs: ProgramTable, partition: dict[int, list[range]]) -> dict[int, list[range]]:
    """The parts from the first that touches a file to the last as one."""
    touches = [
        number
        for number in range(len(next(iter(partition.values()))))
        if any(_touches_files(programs, found[number]) for found in partition.values())
    ]
    if len(touches) < 2:
        return partition
    first, last = touches[0], touches[-1]
    return {
        program: [
            *found[:first],
            range(found[first].start, found[last].stop),
            *found[last + 1 :],
        ]
        for program, found in partition.items()
    }


def _touches_files(programs: ProgramTable, rows: range) -> bool:
    return bool(np.isin(programs.kind[rows.start : rows.stop], list(FILE_CALLS)).any())


def _boundaries(programs: ProgramTable, program: int) -> Iterator[range]:
    """Rows of each part of a program; what follows the last cut goes with the part before it when it does nothing."""
    rows = programs.rows_of(program)
    begin = row = rows.start
    ranges: list[range] = []
    pending: set[int] = set()
    while row < rows.stop:
        following = _after(programs, row)
        _follow_requests(programs, range(row, following), pending)
        if _syncs(programs, range(row, following)) and not pending:
            ranges.append(range(begin, following))
            begin = following
        row = following
    if begin < rows.stop:
        idle = all(
            programs.kind[at] in (Kind.REGION_BEGIN, Kind.REGION_END, Kind.CLOSE)
            for at in range(begin, rows.stop)
        )
        if idle and ranges:
            ranges[-1] = range(ranges[-1].start, rows.stop)
        else:
            ranges.append(range(begin, rows.stop))
    yield from ranges


def _after(programs: ProgramTable, row: int) -> int:
    """The row after the operation or the whole loop at `row`."""
    depth = 0
    for at in range(row, programs.rows):
        depth += int(programs.kind[at] == Kind.LOOP) - int(programs.kind[at] == Kind.END)
        if depth == 0:
            return at + 1
    raise AssertionError("expected an end for every loop of a program, found an open loop")


def _syncs(programs: ProgramTable, rows: range) -> bool:
    """Whether the last thing done in `rows` makes all ranks wait for all."""
    for row in reversed(rows):
        kind = Kind(int(programs.kind[row]))
        if kind is Kind.LOOP and int(programs.constant[programs.operand(row, "count")]) == 0:
            return False
        if kind not in (Kind.END, Kind.REGION_BEGIN, Kind.REGION_END):
            waits = kind in SYNCING and programs.constant[programs.operand(row, "request")] == BLOCKING
            return bool(waits and programs.communicator[row] == 0)
    return False


def _follow_requests(programs: ProgramTable, rows: range, pending: set[int]) -> None:
    """Which requests are in flight after `rows`; those that a loop renumbers stay so until all are waited for."""
    for row in rows:
        kind = Kind(int(programs.kind[row]))
        if kind is Kind.WAITALL:
            pending.clear()
        elif kind in ONE_SIDED:  # until all accesses are completed at once
            ends = kind is Kind.FLUSH and int(programs.constant[programs.operand(row, "peer")]) == ANY
            pending.discard(_MEMORY) if ends else pending.add(_MEMORY)
        elif "request" in OPERANDS[kind]:
            request = int(programs.constant[programs.operand(row, "request")])
            if kind is Kind.WAIT or (kind is Kind.OFFER and _is_last(programs, row)):
                pending.discard(request)
            elif request != BLOCKING:
                pending.add(request)


def _is_last(programs: ProgramTable, row: int) -> bool:
    return bool(programs.constant[programs.operand(row, "last")])


def _region(application: Application, rows: range) -> str | None:
    programs = application.programs
    for row in rows:
        if programs.kind[row] == Kind.REGION_BEGIN:
            return application.regions[int(programs.constant[programs.operand(row, "region")])]
    return None


def _sliced(programs: ProgramTable, rows: dict[int, range]) -> ProgramTable:
    """The chosen rows of every program; programs that nobody runs are left empty."""
    ranges = [rows.get(program, range(0)) for program in range(programs.count)]
    kept = np.concatenate([np.arange(one.start, one.stop, dtype=np.int64) for one in ranges])
    counts = np.diff(programs.first_operand.astype(np.int64))[kept]
    operands = _runs(programs.first_operand.astype(np.int64)[kept], counts)
    strides = np.diff(programs.first_stride.astype(np.int64))[operands]
    return replace(
        programs,
        first_row=_starts(np.array([len(one) for one in ranges], np.int64), np.uint32),
        kind=programs.kind[kept],
        communicator=programs.communicator[kept],
        first_operand=_starts(counts, np.uint32),
        constant=programs.constant[operands],
        per_rank=programs.per_rank[operands],
        table=programs.table[operands],
        first_stride=_starts(strides, np.uint32),
        stride=programs.stride[_runs(programs.first_stride.astype(np.int64)[operands], strides)],
    )


def _starts(lengths: np.ndarray, dtype: type[np.generic]) -> np.ndarray:
    return np.concatenate(([0], np.cumsum(lengths))).astype(dtype)


def _runs(first: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The numbers first[i], first[i] + 1, ... lengths[i] of them, run after run."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(first - before, lengths) + np.arange(int(lengths.sum()))
