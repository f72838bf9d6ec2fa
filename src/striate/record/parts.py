"""Which traced processes left something behind: ranks of MPI, their children, and processes without MPI."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from striate.errors import TraceError
from striate.record.files import CALLED_MPI, RankFile, read_part


@dataclass(frozen=True, slots=True)
class RecordedParts:
    """`ranks` by rank; `children` of ranks and `processes` without a rank in the order they began."""

    ranks: tuple[RankFile, ...]
    children: tuple[RankFile, ...]
    processes: tuple[RankFile, ...]
    later: int  # processes that began MPI after the first program had
    broken: int  # processes whose head is not whole


def read_parts(folder: Path) -> RecordedParts:
    """All parts in `folder`; raises TraceError when the head of a rank is broken."""
    by_rank = [path for path in folder.glob("*.events") if path.name.split(".")[0].isdigit()]
    first = sorted((path for path in by_rank if path.name.endswith(".0.events")), key=_rank)
    ranks = tuple(read_part(path) for path in first)
    children: list[RankFile] = []
    processes: list[RankFile] = []
    broken = 0
    for path in sorted(folder.glob("p*.events")):
        try:
            part = read_part(path)
        except TraceError:  # killed while it began
            broken += 1
            continue
        if part.process.how == CALLED_MPI or not (len(part.events) or part.dropped):
            continue
        (children if part.size else processes).append(part)
    return RecordedParts(ranks, _by_begin(children), _by_begin(processes), len(by_rank) - len(first), broken)


def _rank(path: Path) -> int:
    return int(path.name.split(".")[0])


def _by_begin(parts: list[RankFile]) -> tuple[RankFile, ...]:
    """Those of a launcher by its ranks; a process before its children."""
    wall = {id(part): part.wall - part.clock + part.process.begun for part in parts}
    return tuple(
        sorted(parts, key=lambda part: (part.process.launch_rank, wall[id(part)], part.process.number))
    )
