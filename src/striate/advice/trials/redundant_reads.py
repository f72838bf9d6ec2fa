"""The same bytes are read again by the same rank, or by every rank."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from striate.advice.item import Evidence
from striate.advice.trials.edits import is_plain, place
from striate.advice.trials.finding import Finding
from striate.advice.trials.situation import Situation, column
from striate.tuning.change import Change
from striate.units import about_size
from striate.workload.kinds import Kind
from striate.workload.operations import Operation
from striate.workload.rewrite import rewritten

LEAST = 8
LEAST_SHARE = 0.10  # of the bytes read


def look(situation: Situation) -> Finding | None:
    rows = situation.accesses.where(situation.accesses.of_kind("read"))
    rows = rows.where((rows.column("offset") >= 0) & ~rows.column("collective") & (rows.column("bytes") > 0))
    keys = np.stack([column(rows, name) for name in ("file", "offset", "bytes")], axis=1)
    _, first = np.unique(keys, axis=0, return_index=True)
    again = np.ones(len(rows), bool)
    again[first] = False
    size = column(rows, "bytes")
    if again.sum() < LEAST or size[again].sum() < LEAST_SHARE * size.sum():
        return None
    count, total = int(again.sum()), int(size[again].sum())
    written = {
        int(file) for file in situation.accesses.column("file")[situation.accesses.of_kind("write")].tolist()
    }
    fixed = ~np.isin(rows.column("file"), list(written))
    if not (again & fixed).any():
        return None  # what was read again may have been written in between
    files = {situation.file_name(int(file)) for file in rows.column("file")[fixed].tolist()}
    words = f"{count:,} reads, {about_size(total)} of {about_size(size.sum())}, ask for bytes that were read before"
    return Finding(
        title="The same bytes are read again",
        evidence=Evidence(count, total, float(situation.durations(rows)[again].sum()), words),
        change=Change(
            "Read once: keep what was read, or let one rank read and broadcast",
            code="data = comm.bcast(read(path) if rank == 0 else None)  # a program's own files: local disks",
            runtime={"buffer": "64 MiB"},
        ),
        verify=f"bytes read in a new trace: {about_size(size.sum() - total)}",
        after=lambda: rewritten(
            situation.workload, lambda rank, steps: _once(rank, steps, files, _owners(rows, situation))
        ),
    )


def _owners(rows: object, situation: Situation) -> dict[tuple[str, int, int], int]:
    """Who reads each piece: the lowest rank that did."""
    from striate.trace.trace import Trace

    assert isinstance(rows, Trace)
    owners: dict[tuple[str, int, int], int] = {}
    columns = (rows.column(name).tolist() for name in ("rank", "file", "offset", "bytes"))
    for rank, file, offset, size in zip(*columns, strict=True):
        key = (situation.file_name(file), offset, size)
        owners[key] = min(rank, owners.get(key, rank))
    return owners


def _once(
    rank: int, steps: Iterator[Operation], files: set[str], owners: dict[tuple[str, int, int], int]
) -> Iterator[Operation]:
    """A piece is read by its owner, the first time."""
    done: set[tuple[str, int, int]] = set()
    for step in steps:
        if is_plain(step) and step.kind is Kind.READ and place(step)[0] in files:
            key = place(step)
            if key in done or owners.get(key, rank) != rank:
                continue
            done.add(key)
        yield step
