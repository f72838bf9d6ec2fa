"""Rewrites a workload: every rank's operations pass through a function, and what comes out is folded anew.

Used where a change to a program is tried before anybody makes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from striate.errors import WorkloadError
from striate.workload.application import Application
from striate.workload.calls.operation import PENDING, Operation
from striate.workload.generator import application_of
from striate.workload.kinds import BLOCKING, DEFAULT_ALGORITHM, NO_COUNTS, NO_EXTENTS, OPERANDS, Kind
from striate.workload.transforms.unfold import ProgramStep, unfold
from striate.workload.walk import lines
from striate.workload.workload import Workload

MOST_STEPS = 2_000_000  # operations of all ranks; unrolling more takes minutes

_NAMED = {  # operands of each kind that stand for something else than a number
    kind: tuple(
        (at, name)
        for at, name in enumerate(operands)
        if name in ("request", "file", "region", "algorithm", "counts", "extents")
    )
    for kind, operands in OPERANDS.items()
}

Rewrite = Callable[[int, Iterator[Operation]], Iterator[Operation]]


def rewritten(workload: Workload, rewrite: Rewrite) -> Workload:
    """The workload whose rank r does what `rewrite(r, operations of r)` yields; refuses very long programs."""
    return Workload(tuple(_rewritten(application, rewrite) for application in workload.applications))


def _rewritten(application: Application, rewrite: Rewrite) -> Application:
    steps = sum(line.times * len(line.ranks) for line in lines(application))
    if steps > MOST_STEPS:
        raise WorkloadError(
            f"expected a program of at most {MOST_STEPS:,} operations in all, as a changed copy of it is simulated, "
            f"got {steps:,} operations"
        )
    made = application_of(
        lambda rank, _: rewrite(rank, operations_of(application, rank)),
        ranks=application.ranks,
        name=application.name,
        communicators={one.name: one.color for one in application.communicators[1:]},
    )
    layouts = {
        application.file_name(number): file.layout
        for file in application.files
        for number in range(file.first, file.first + file.count)
    }
    methods = {
        application.file_name(number): file.collective
        for file in application.files
        for number in range(file.first, file.first + file.count)
    }
    files = tuple(
        replace(file, layout=layouts.get(file.name), collective=methods.get(file.name)) for file in made.files
    )
    return replace(
        made,
        files=files,
        communicators=application.communicators,
        start_picoseconds=application.start_picoseconds,
    )


def operations_of(application: Application, rank: int) -> Iterator[Operation]:
    """What `rank` does, as the operations that would write the same program."""
    pending: dict[int, Operation] = {}
    offered: list[Operation] = []
    for step in unfold(application, rank):
        if step.kind is Kind.OFFER:
            last = bool(step.operands["last"])
            offered.append(
                pending.pop(step.operands["request"]) if last else pending[step.operands["request"]]
            )
            continue
        if step.kind is Kind.WAITANY:
            operands = (step.operands["least"], step.operands["most"])
            yield Operation(Kind.WAITANY, operands, awaited=tuple(offered))
            offered.clear()
            continue
        if step.kind is Kind.WAIT:
            yield Operation(Kind.WAIT, (PENDING,), awaited=(pending.pop(step.operands["request"]),))
            continue
        if step.kind is Kind.TEST:
            yield Operation(Kind.TEST, (PENDING,), awaited=(pending[step.operands["request"]],))
            continue
        if step.kind is Kind.WAITALL:
            pending.clear()
        operation = _operation(application, rank, step)
        if operation.is_pending:
            pending[step.operands["request"]] = operation
        yield operation


def _operation(application: Application, rank: int, step: ProgramStep) -> Operation:
    values: list[Any] = list(step.operands.values())
    for at, name in _NAMED[step.kind]:
        values[at] = _value(application, rank, name, step.operands[name])
    communicator = application.communicators[max(step.communicator, 0)].name
    return Operation(step.kind, tuple(values), communicator)


def _value(application: Application, rank: int, name: str, value: int) -> Any:
    if name == "request":
        return PENDING if value != BLOCKING else BLOCKING
    if name == "file":
        return application.file_name(value)
    if name == "region":
        return application.regions[value]
    if name == "algorithm" and value != DEFAULT_ALGORITHM:
        return application.algorithms[value]
    if name == "counts" and value != NO_COUNTS:
        return application.counts[value][rank]
    if name == "extents" and value != NO_EXTENTS:
        return application.extents[value]
    return value
