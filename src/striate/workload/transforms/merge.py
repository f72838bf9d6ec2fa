"""Several applications as one: what an engine plays that takes only one program table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from striate.layout.extent_lists import ExtentLists
from striate.workload.application import Application, Communicator, File, largest_reused
from striate.workload.kinds import OPERANDS, Kind
from striate.workload.program import Int64s, ProgramTable

_NUMBERED = (
    "file",
    "region",
    "extents",
    "counts",
    "algorithm",
)  # operands that number what an application names


def _named(application: Application) -> dict[str, int]:
    """How many files, regions, ... an application names."""
    counts = (
        application.file_count,
        len(application.regions),
        len(application.extents),
        len(application.counts),
        len(application.algorithms),
    )
    return dict(zip(_NUMBERED, counts, strict=True))


def merged(applications: tuple[Application, ...]) -> Application:
    """One application of all ranks, in order; every communicator, file and region stays its application's own.

    A file of the same name in two applications is two files.
    """
    if len(applications) == 1:
        return applications[0]
    labels = labels_of(applications)
    total = sum(application.ranks for application in applications)
    return Application(
        name=", ".join(labels),
        programs=_joined(applications),
        communicators=tuple(
            communicator
            for application, label, first in zip(applications, labels, first_ranks(applications), strict=True)
            for communicator in _communicators(application, label, first, total)
        ),
        files=_files(applications, labels),
        regions=tuple(region for application in applications for region in application.regions),
        extents=_extents(applications),
        counts=tuple(
            _raised(matrix, first, total)
            for application, first in zip(applications, first_ranks(applications), strict=True)
            for matrix in application.counts
        ),
        algorithms=tuple(name for application in applications for name in application.algorithms),
        reused_buffer=largest_reused(applications),
    )


def labels_of(applications: tuple[Application, ...]) -> list[str]:
    """Names that tell the applications apart."""
    names = [application.name for application in applications]
    return [
        f"{name} ({names[:at].count(name) + 1})" if names.count(name) > 1 else name
        for at, name in enumerate(names)
    ]


def first_ranks(applications: tuple[Application, ...]) -> list[int]:
    """The number that rank 0 of each application has among all."""
    ends = np.cumsum([application.ranks for application in applications]).tolist()
    return [0, *ends[:-1]]


def _communicators(application: Application, label: str, first: int, total: int) -> list[Communicator]:
    mine = slice(first, first + application.ranks)
    found = []
    for communicator in application.communicators:
        color = np.full(total, -1, np.int64)
        color[mine] = 0 if communicator.color is None else communicator.color
        key = None
        if communicator.key is not None:
            key = np.zeros(total, np.int64)
            key[mine] = communicator.key
        found.append(Communicator(f"{label}: {communicator.name}", color, key))
    return found


def _files(applications: tuple[Application, ...], labels: list[str]) -> tuple[File, ...]:
    found, first = [], 0
    for application, label in zip(applications, labels, strict=True):
        found += [
            replace(file, name=f"{label}: {file.name}", first=first + file.first)
            for file in application.files
        ]
        first += application.file_count
    return tuple(found)


def _extents(applications: tuple[Application, ...]) -> ExtentLists:
    lists = [application.extents for application in applications]
    ends = np.cumsum([0, *(len(each.offsets) for each in lists)])
    return ExtentLists(
        np.concatenate([[0], *(each.first[1:] + end for each, end in zip(lists, ends, strict=False))]).astype(
            np.int64
        ),
        np.concatenate([each.offsets for each in lists]),
        np.concatenate([each.sizes for each in lists]),
    )


def _raised(matrix: Int64s, first: int, total: int) -> Int64s:
    """The rows of an application's ranks where all ranks have one."""
    rows = np.zeros((total, matrix.shape[1]), np.int64)
    rows[first : first + len(matrix)] = matrix
    return rows


def _joined(applications: tuple[Application, ...]) -> ProgramTable:
    """The program tables one after the other, every number that leads somewhere made to lead there still."""
    parts: list[ProgramTable] = []
    before = dict.fromkeys(("rank", "program", "row", "operand", "stride", "value", "table", "family"), 0)
    named = dict.fromkeys(_NUMBERED, 0)
    for application in applications:
        parts.append(_shifted(_renumbered(application, named), before))
        programs = parts[-1]
        before["rank"] += application.ranks
        before["program"] += programs.count
        before["row"] += programs.rows
        before["operand"] += len(programs.constant)
        before["stride"] += len(programs.stride)
        before["value"] += len(programs.value)
        before["table"] += len(programs.first_value) - 1
        before["family"] += len(application.communicators)
        for name, count in _named(application).items():
            named[name] += count
    starts = ("first_row", "first_operand", "first_stride", "first_value")
    columns = {
        name: np.concatenate(
            [
                getattr(part, name)[:-1] if name in starts and part is not parts[-1] else getattr(part, name)
                for part in parts
            ]
        )
        for name in ProgramTable.__slots__
    }
    return ProgramTable(**columns)


def _shifted(programs: ProgramTable, before: dict[str, int]) -> ProgramTable:
    """Rows, programs and tables counted on from those before; rank r of the table is rank `before + r` of all."""
    rank = before["rank"]
    return replace(
        programs,
        first_row=(programs.first_row + before["row"]).astype(np.uint32),
        communicator=np.where(programs.communicator < 0, -1, programs.communicator + before["family"]).astype(
            np.int32
        ),
        first_operand=(programs.first_operand + before["operand"]).astype(np.uint32),
        constant=programs.constant - programs.per_rank * rank,
        table=np.where(programs.table < 0, -1, programs.table + before["table"]).astype(np.int32),
        first_stride=(programs.first_stride + before["stride"]).astype(np.uint32),
        first_value=programs.first_value + before["value"] - rank,
        program_of_rank=(programs.program_of_rank + before["program"]).astype(np.int32),
    )


def _renumbered(application: Application, named: dict[str, int]) -> ProgramTable:
    """The programs with files, regions, lists and algorithms counted on from those of the applications before."""
    programs = application.programs
    constant, per_rank, table = programs.constant.copy(), programs.per_rank.copy(), programs.table.copy()
    values: list[Any] = [programs.value]
    first_value = programs.first_value.tolist()
    everyone = np.arange(application.ranks, dtype=np.int64)
    for row in range(programs.rows):
        for name in OPERANDS[Kind(int(programs.kind[row]))]:
            shift = named.get(name, 0)
            if not shift:
                continue
            operand = programs.operand(row, name)
            numbers = np.broadcast_to(np.asarray(programs.base(operand, everyone)), everyone.shape)
            moved = np.where(numbers < 0, numbers, numbers + shift)
            if (moved == moved[0]).all():
                constant[operand], per_rank[operand], table[operand] = moved[0], 0, -1
                continue
            constant[operand], per_rank[operand], table[operand] = 0, 0, len(first_value) - 1
            values.append(moved)
            first_value.append(first_value[-1] + len(moved))
    return replace(
        programs,
        constant=constant,
        per_rank=per_rank,
        table=table,
        value=np.concatenate(values).astype(np.int64),
        first_value=np.array(first_value, np.int64),
    )
