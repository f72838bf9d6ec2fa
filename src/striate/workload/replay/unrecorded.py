"""Time that nobody recorded: between the calls of a log that did not see all, it may be computing or waiting."""

from __future__ import annotations

import numpy as np

from striate.trace.trace import Trace
from striate.units import about_seconds, counted

NO_ACCESSES = "accesses-missing"  # flag of a log with counters only


def has_unrecorded_time(trace: Trace) -> bool:
    """Whether gaps between operations may be anything: the recorder did not watch messages, or kept sums only."""
    if has_counters_only(trace):
        return True
    return trace.ranks > 1 and any(flag.code == "messages-missing" for flag in trace.header.flags)


def has_counters_only(trace: Trace) -> bool:
    """Whether the log kept sums and no single access."""
    return any(flag.code == NO_ACCESSES for flag in trace.header.flags)


def has_remote_accesses(trace: Trace) -> bool:
    """Whether accesses to remote memory were recorded, which explain the time of the calls that complete them."""
    return bool((trace.of_kind("rma") & (trace.column("bytes") > 0)).any())


def unplayed(trace: Trace) -> tuple[str, ...]:
    """Sentences about recorded calls that a replay cannot play: their time is kept as computing."""
    rows = trace.of_kind("other") & trace.at_level("mpi")
    if not has_remote_accesses(trace):
        rows |= trace.of_kind("fence") & trace.at_level("mpi")
    if not rows.any():
        return ()
    names = trace.functions()
    found, times = np.unique(trace.column("function")[rows], return_counts=True)
    most = [names[code] for code in found[np.argsort(-times)].tolist() if names[code]]
    spent = float((trace.column("end")[rows] - trace.column("start")[rows]).sum()) / 1e9 / trace.ranks
    words = ", ".join(most[:4]) + (" and others" if len(most) > 4 else "")
    calls = counted(int(rows.sum()), "call")
    return (f"{calls} of {words} are replayed with their recorded time, {about_seconds(spent)} per rank",)
