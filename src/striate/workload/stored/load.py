"""Workloads from disk: every number that leads somewhere is checked before it is followed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from striate.errors import TraceError, WorkloadError
from striate.limits import ReadBudget
from striate.workload.application import Application, Communicator, File, collective_text, layout_text
from striate.workload.stored.load_arrays import MOST_RANKS, columns_of, counts_of, expect, extents_of, sized
from striate.workload.stored.load_program import programs_of
from striate.workload.stored.parquet_form import LATER, SCHEMA, WorkloadHeader, schema

if TYPE_CHECKING:
    import pyarrow as pa

_VALUES_PER_ROW = 64  # columns, and values by rank


def load(path: Path) -> tuple[Application, ...]:
    """Read a workload's applications; every number that leads somewhere is checked before it is followed."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        metadata = pq.read_schema(path).metadata or {}
        if metadata.get(b"striate") != SCHEMA.encode():
            found = metadata.get(b"striate", b"another Parquet file")[:60].decode(errors="replace")
            raise WorkloadError(f"expected a saved workload ({SCHEMA}), got {found}")
        file = pq.ParquetFile(path)
        ReadBudget.of(path).take_table(path, file.metadata, _VALUES_PER_ROW)
        table = _complete(file.read())
        headers = msgspec.json.decode(metadata.get(b"applications", b""), type=list[WorkloadHeader])
        applications = tuple(_application(table, number, header) for number, header in enumerate(headers))
    except WorkloadError as error:
        raise error.in_source(str(path)) from None
    except TraceError as error:
        raise WorkloadError(error.message, source=str(path)) from None
    except (pa.ArrowException, msgspec.DecodeError, UnicodeDecodeError, OverflowError) as error:
        raise WorkloadError(f"not a workload: {error}", source=str(path)) from None
    except OSError as error:
        if error.errno is not None:
            raise
        raise WorkloadError(f"not a workload: {error}", source=str(path)) from None  # Arrow's own complaints
    if not applications:
        raise WorkloadError("the file holds no application", source=str(path))
    return applications


def _complete(table: pa.Table) -> pa.Table:
    """The table with the columns that older files lack; raises WorkloadError when another is missing."""
    import pyarrow as pa

    wanted = schema()
    for name in LATER:
        if name not in table.schema.names:
            table = table.append_column(name, pa.nulls(table.num_rows, pa.int64()))
    if sorted(table.schema.names) == sorted(wanted.names):
        table = table.select(wanted.names)
    if not table.schema.equals(wanted, check_metadata=False):
        raise WorkloadError("expected the columns of a saved workload, found other columns")
    return table


def _application(table: pa.Table, number: int, header: WorkloadHeader) -> Application:
    import pyarrow.compute as pc

    mine = table.filter(pc.equal(table["application"], number))
    carries = pc.is_null(mine["kind"])
    named = columns_of(mine.filter(carries))
    expect(1 <= header.ranks <= MOST_RANKS, f"expected 1 to {MOST_RANKS} ranks, got {header.ranks}")
    expect(0 <= header.start_picoseconds < 2**63, "the start time is out of range")
    buffer = header.reused_buffer
    expect(buffer is None or 1 <= buffer < 2**63, f"expected a reused buffer of at least 1 B, got {buffer}")
    programs = programs_of(mine.filter(pc.invert(carries)), header, named)
    names = enumerate(header.communicators)
    communicators = tuple(
        Communicator(name, sized(named, f"color {i}", header.ranks), sized(named, f"key {i}", header.ranks))
        for i, name in names
    )
    counts = tuple(counts_of(named, i, header.ranks) for i in range(min(header.counts, len(named))))
    return Application(
        header.name,
        programs,
        communicators,
        _files(header.files),
        tuple(header.regions),
        extents_of(named),
        counts,
        tuple(header.algorithms),
        header.start_picoseconds,
        header.reused_buffer,
    )


def _files(files: list[File]) -> tuple[File, ...]:
    at = 0
    for file in files:
        expect(file.first == at and 1 <= file.count <= MOST_RANKS, f"file {file.name!r:.60} is out of order")
        layout_text(file.layout, file.name)
        collective_text(file.collective, file.name)
        at += file.count
    return tuple(files)
