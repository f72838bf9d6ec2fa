"""Workloads from traces: what a program asked for, in the order it asked, with the time between as compute.

Messages keep their partners, collectives their communicators, non-blocking operations their waits; calls below MPI-IO
are left out, for they are how it was done and not what was asked. Repeated stretches are folded into loops.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from striate.errors import WorkloadError
from striate.trace.analysis.span import run_span
from striate.trace.analysis.tables import front
from striate.trace.columns import NONE
from striate.trace.kinds import COLLECTIVES
from striate.trace.trace import Trace
from striate.workload import operations
from striate.workload.application import WORLD, Application, Communicator
from striate.workload.generator import application_of
from striate.workload.kinds import Kind
from striate.workload.operations import Operation
from striate.workload.replay.deletions import within_mpi_deletes
from striate.workload.replay.families import families
from striate.workload.replay.from_counters import application_of_counters
from striate.workload.replay.mapped_reads import mappings_as_reads
from striate.workload.replay.meetings import (
    after_the_last,
    called_by_all,
    heard_from,
    metadata_nanoseconds,
)
from striate.workload.replay.plain_columns import is_plain, plain_application
from striate.workload.replay.recorded_hints import RecordedAccess
from striate.workload.replay.trace_rows import ALONE, BEGIN, CALL, FILE_CALLS, ReplayRows, Source
from striate.workload.replay.unrecorded import has_counters_only, has_remote_accesses

# Waiting for a message or for others is not compute; these end the gap before them without an operation of their own.
_WAITS = frozenset(("probe", "finalize"))
_KEPT = frozenset(
    (
        *("open", "close", "sync", "delete", "stat", "read", "write"),
        *("send", "recv", "sendrecv", "wait"),
        *COLLECTIVES,
        *_WAITS,
        *("communicator", "fence", "neighbor", "rma"),
        "region",
    )
)


def application_of_trace(
    trace: Trace, *, name: str | None = None, metadata_recorded: bool = False
) -> Application:
    """The program that a trace shows; raises WorkloadError when the trace holds no operation to replay.

    With `metadata_recorded` opening, closing and deleting files take the time they took: for machines that describe
    no metadata server.
    """
    if has_counters_only(trace):
        counted = application_of_counters(trace, name=name or _short(trace.header.program) or "log")
        return RecordedAccess.of(trace).given_to(counted, trace)
    trace = mappings_as_reads(trace.of_ranks())
    chosen = trace.where(_chosen(trace))
    exact = trace.is_simulated
    if not len(chosen):
        raise WorkloadError("expected a trace with operations that can be simulated, found no such operation")
    table, family = families(trace.header.communicators, trace.ranks)
    first = np.searchsorted(chosen.column("rank"), np.arange(trace.ranks + 1))
    recorded = RecordedAccess.of(chosen)
    source = Source(
        chosen,
        family,
        _files_used_together(chosen),
        first,
        run_span(trace),
        recorded,
        {kind: called_by_all(chosen, kind) for kind in ("communicator", "fence")},
        _fences_kept(chosen) + (metadata_nanoseconds(chosen) if metadata_recorded else 0),
        heard_from(chosen),
        tuple(name.lower() for name in chosen.functions()),
        exact,
    )
    colors = {one.name: one.color for one in table if one.name != WORLD}
    if _some_call_alone(source):
        colors[ALONE] = np.arange(trace.ranks)
    label = name or _short(trace.header.program) or "trace"
    if is_plain(source):
        application = plain_application(source, ranks=trace.ranks, name=label, communicators=colors)
    else:
        application = application_of(
            lambda rank, ranks: _operations(source, rank),
            ranks=trace.ranks,
            name=label,
            communicators=colors,
            files=trace.file_names() if exact else (),
        )
    application = replace(application, communicators=_with_keys(application.communicators, table))
    return recorded.given_to(application, trace)


def _fences_kept(trace: Trace) -> NDArray[np.int64]:
    """Nanoseconds that calls of all ranks on a window took after the last had come, unless accesses explain them."""
    kept = after_the_last(trace, "fence")
    return np.zeros_like(kept) if has_remote_accesses(trace) else kept


def _short(program: str) -> str:
    words = [word.rsplit("/", 1)[-1] for word in program.split()[:2]]
    return " ".join(words)[:80]


def _with_keys(plain: tuple[Communicator, ...], table: tuple[Communicator, ...]) -> tuple[Communicator, ...]:
    keys = {one.name: one.key for one in table}
    return tuple(replace(one, key=keys.get(one.name)) for one in plain)


def _chosen(trace: Trace) -> NDArray[np.bool_]:
    """What the program itself asked for: MPI, MPI-IO, POSIX on files that MPI-IO does not touch, and deletions."""
    keep = trace.of_kind(*_KEPT, *(("compute",) if trace.is_simulated else ()))
    access = trace.of_kind("read", "write")
    files = trace.column("file")
    through_mpi = np.zeros(len(trace.header.files) + 1, bool)
    through_mpi[files[trace.at_level("mpi-io")]] = True
    through_mpi[-1] = False
    below = trace.at_level("posix") & through_mpi[files]
    below &= ~trace.of_kind("delete") | within_mpi_deletes(trace)
    good = (trace.column("status") == 0) | trace.of_kind("wait")
    return np.asarray(keep & ~below & good & (~access | front(trace)))


def _files_used_together(trace: Trace) -> NDArray[np.bool_]:
    """Files on which every rank called each collective operation equally often, where no communicator is known."""
    found = np.ones(len(trace.header.files) + 1, bool)
    called = trace.of_kind("read", "write", "open", "close", "sync")
    rows = trace.column("collective") & called & (trace.column("communicator") < 0)
    pairs = np.stack([trace.column("file")[rows], trace.column("kind")[rows]], axis=1)
    if not len(pairs):
        return found
    kinds, which = np.unique(pairs, axis=0, return_inverse=True)
    counts = np.zeros((len(kinds), trace.ranks), np.int64)
    np.add.at(counts, (which.ravel(), trace.column("rank")[rows]), 1)
    uneven = (counts != counts[:, :1]).any(axis=1)
    found[kinds[uneven, 0]] = False
    return found


def _some_call_alone(source: Source) -> bool:
    """Whether a rank opens, closes or flushes a file by itself."""
    if source.exact:
        return False
    calls = source.trace.of_kind("open", *FILE_CALLS)
    together = source.trace.column("collective") & source.together[source.trace.column("file")]
    return bool((calls & ~together).any())


def _operations(source: Source, rank: int) -> Iterator[Operation]:
    """One rank's operations in order, compute between them and after the last."""
    rows = ReplayRows(source, rank)
    pending: list[tuple[int, Operation]] = []
    for ticks, moment, row in rows.events():
        if ticks:
            yield Operation(Kind.COMPUTE, (ticks, 0))
        if moment != CALL:
            mark = operations.region_begin if moment == BEGIN else operations.region_end
            yield mark(rows.region(row))
            continue
        if source.exact and rows.kind(row) in ("wait", "probe"):
            if rows.takes_nothing(row):  # a step, and no wait
                asked = [operation for _, operation in pending]
                yield operations.testany(asked) if asked else operations.waitall()
                continue
            yield from _named_request(pending, rows.request(row), asks=rows.kind(row) == "probe")
            continue
        if rows.kind(row) == "wait":
            yield from _awaited(pending, rows.end(row))
            continue
        for operation in rows.calls(row):
            yield operation
            if operation.is_pending and not rows.waits_itself(row):
                pending.append((rows.request(row) if source.exact else rows.complete(row), operation))
    yield from _awaited(pending, 2**63 - 1)
    yield from rows.left_open()
    if rows.trailing():
        yield Operation(Kind.COMPUTE, (rows.trailing(), 0))


def _named_request(pending: list[tuple[int, Operation]], request: int, *, asks: bool) -> Iterator[Operation]:
    """A wait or a test of a simulated trace names its request; a wait for all names none."""
    named = [operation for number, operation in pending if request in (number, NONE)]
    if asks:
        yield operations.test(*named)
        return
    pending[:] = [] if request == NONE else [entry for entry in pending if entry[0] != request]
    yield operations.wait(*named) if request != NONE else operations.waitall()


def _awaited(pending: list[tuple[int, Operation]], until: int) -> Iterator[Operation]:
    done = [operation for complete, operation in pending if complete <= until]
    pending[:] = [entry for entry in pending if entry[0] > until]
    if done:
        yield operations.wait(*done)
