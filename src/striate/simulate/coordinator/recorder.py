"""What ranks asked of the machine, written down as the operations of a workload."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from striate.errors import LayoutError, WorkloadError
from striate.layout.parse import parse
from striate.simulate.coordinator.ranks import CommGroup
from striate.simulate.wire import SELF, WORLD_GROUP
from striate.workload import operations
from striate.workload.application import Communicator
from striate.workload.generator import application_of
from striate.workload.kinds import Kind
from striate.workload.operations import Operation, Several
from striate.workload.workload import Workload


class Recorder:
    """Operations of every rank in order; those whose sizes are not known yet are changed later."""

    def __init__(self, ranks: int) -> None:
        self._operations: list[list[Operation]] = [[] for _ in range(ranks)]
        self._files: dict[str, str | None] = {}  # name -> layout that hints ask for
        self._families: dict[str, list[CommGroup]] = {}
        self.any_source = 0  # receives that did not say from whom
        self.polls = 0  # tests and probes that found nothing

    def add(self, rank: int, operation: Operation) -> Operation:
        self._operations[rank].append(operation)
        return operation

    def remove(self, rank: int, operation: Operation) -> None:
        """Forget an operation that came to nothing."""
        kept = self._operations[rank]
        del kept[max(at for at, one in enumerate(kept) if one is operation)]

    def compute(self, rank: int, seconds: float) -> None:
        """Time of computing; stretches that follow each other are one."""
        if seconds <= 0:
            return
        before = self._operations[rank]
        if before and before[-1].kind is Kind.COMPUTE:
            ticks = before[-1].operands[0]
            before[-1].operands = (ticks + round(seconds * 1e12), 0)
        else:
            before.append(operations.compute(seconds))

    def wait(self, rank: int, awaited: Iterable[Operation | Several | None]) -> None:
        known = [one for one in awaited if one is not None]
        if known:
            self.add(rank, operations.wait(*known))

    def family(self, groups: Iterable[CommGroup]) -> None:
        """Take note of communicators that one call made."""
        listed = list(groups)
        if listed:
            self._families[listed[0].family] = listed

    def file(self, name: str, hints: Mapping[str, str]) -> None:
        """Take note of a file, and of the stripes that hints ask for."""
        self._files[name] = self._files.get(name) or layout_of(hints)

    def workload(self, name: str, *, folds: bool = True) -> Workload:
        """The program that was run, with communicators and files under their names; loops are found if it `folds`."""
        ranks = len(self._operations)
        tables = [_communicator(family, groups, ranks) for family, groups in self._families.items()]
        tables.append(Communicator(SELF, np.arange(ranks)))
        made = application_of(
            lambda rank, _: self._operations[rank],
            ranks=ranks,
            name=name,
            communicators={table.name: table.color for table in tables},
            folds=folds,
        )
        keyed = {table.name: table for table in tables}
        made = replace(made, communicators=tuple(keyed.get(one.name, one) for one in made.communicators))
        asked = {file.name: self._files.get(file.name) for file in made.files}
        made = made.with_layouts({file: layout for file, layout in asked.items() if layout is not None})
        return Workload((made,), notes=tuple(self._notes()))

    def _notes(self) -> Iterable[str]:
        if self.any_source:
            yield (
                f"{self.any_source:,} receives from any source took their messages in the order of an estimate, "
                "and are simulated in that order"
            )
        if self.polls:
            yield f"{self.polls:,} tests and probes that found nothing are not simulated"


def _communicator(name: str, groups: list[CommGroup], ranks: int) -> Communicator:
    color, key = np.full(ranks, -1, np.int64), np.zeros(ranks, np.int64)
    for group in groups:
        for rank, position in group.position.items():
            color[rank], key[rank] = group.id[1], position
    return Communicator(name, color, key)


def layout_of(hints: Mapping[str, str]) -> str | None:
    """The layout that MPI-IO hints ask a striped file system for."""
    try:
        servers, unit = int(hints["striping_factor"]), int(hints["striping_unit"])
        return str(parse(f"simple:{servers}:{unit}"))
    except (KeyError, ValueError, LayoutError, WorkloadError):
        return None


def communicator_name(group: CommGroup) -> Any:
    """The name of a group's family in a workload."""
    return "world" if group.id == WORLD_GROUP else group.family
