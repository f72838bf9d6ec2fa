"""Time that nobody recorded: between the calls of a log that did not see all, it may be computing or waiting."""

from __future__ import annotations

from striate.trace.trace import Trace

NO_ACCESSES = "accesses-missing"  # flag of a log with counters only


def has_unrecorded_time(trace: Trace) -> bool:
    """Whether gaps between operations may be anything: the recorder did not watch messages, or kept sums only."""
    if has_counters_only(trace):
        return True
    return trace.ranks > 1 and any(flag.code == "messages-missing" for flag in trace.header.flags)


def has_counters_only(trace: Trace) -> bool:
    """Whether the log kept sums and no single access."""
    return any(flag.code == NO_ACCESSES for flag in trace.header.flags)
