"""Traces as what a queueing model wants to know: observed times at (p, d), or counts to set its parameters from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from striate.cluster.cluster import Cluster
from striate.errors import QueueingError
from striate.queueing.derive.from_workload import Derived, from_workload
from striate.queueing.fitting.observations import Observations
from striate.queueing.work import whole_numbers
from striate.trace.trace import Trace
from striate.workload import Workload

_SERVERS = "striping_factor"  # the reserved hint of MPI for the number of I/O devices a file is spread over


@dataclass(frozen=True, slots=True)
class TracedRun:
    """One traced run as an observation, and where its number of disks was found."""

    name: str
    processors: int
    disks: int
    disks_from: str
    seconds: float


def observe(traces: Mapping[str, Trace], disks: Sequence[int] = ()) -> list[TracedRun]:
    """The runs behind named traces: p is the number of ranks, the time that of the whole program.

    `disks` gives d, one number for all traces or one each; without it d is the largest striping factor among the
    hints of the files that a trace moves bytes of. Raises QueueingError where neither tells.
    """
    if not traces:
        raise QueueingError("expected at least one trace, got none")
    if len(disks) not in (0, 1, len(traces)):
        raise QueueingError(
            f"expected one number of disks, or one for each of {len(traces)} traces, got {len(disks)}",
            at="disks",
        )
    given = [int(value) for value in whole_numbers(np.asarray(disks, np.int64), name="d (disks)")]
    runs = []
    for number, (name, trace) in enumerate(traces.items()):
        if not trace.seconds > 0:
            raise QueueingError("expected a trace of a run longer than 0 s, got 0 s", source=name)
        found, why = (given[number % len(given)], "as given") if given else _striped_over(trace, name)
        runs.append(TracedRun(name, trace.ranks, found, why, trace.seconds))
    return runs


def from_runs(runs: Iterable[TracedRun]) -> Observations:
    """Times in seconds, as `fit` takes them."""
    listed = list(runs)
    return Observations(
        whole_numbers([run.processors for run in listed], name="p (processors)"),
        whole_numbers([run.disks for run in listed], name="d (disks)"),
        np.array([run.seconds for run in listed], np.float64),
        "seconds",
    )


def from_trace(
    traces: Trace | Iterable[Trace],
    cluster: Cluster,
    *,
    kind: str | None = None,
    contention: float | None = None,
) -> Derived:
    """A model counted from traces of one program at several numbers of ranks, on the machine it is asked about.

    Each trace becomes a workload, so that phases, bursts, messages and bytes are found as `from_workload` finds
    them; computing is the time between operations as it was observed. One trace gives no slope over p: S_ser is
    then 0, and messages and g are constant.
    """
    listed = [traces] if isinstance(traces, Trace) else list(traces)
    workloads: dict[int, Workload] = {}
    for trace in listed:
        if trace.ranks in workloads:
            raise QueueingError(f"expected traces of different numbers of ranks, got {trace.ranks} twice")
        workloads[trace.ranks] = Workload.from_trace(trace)
    return from_workload(
        workloads.__getitem__, cluster, processors=workloads, kind=kind, contention=contention
    )


def _striped_over(trace: Trace, name: str) -> tuple[int, str]:
    """The largest striping factor among the hints of files whose bytes were moved."""
    moved = np.unique(trace.column("file")[trace.of_kind("read", "write")])
    best, where = 0, ""
    for number in moved[moved >= 0].tolist():
        file = trace.header.files[number]
        text = file.hints.get(_SERVERS, trace.header.hints.get(_SERVERS, ""))
        if text.isascii() and text.isdigit() and len(text) < 10 and int(text) > best:
            best, where = int(text), file.name
    if not best:
        raise QueueingError(
            f"the trace has no hint {_SERVERS}, which says the number of disks; give the number as --disks",
            source=name,
        )
    return best, f"{_SERVERS} of {where}"
