"""Checks that a trace's numbers lead somewhere, before anything follows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from striate.errors import TraceError
from striate.trace.header import MOST_RANKS
from striate.trace.kinds import RANK_LEVELS

if TYPE_CHECKING:
    from striate.trace.trace import Trace

LATEST = 2**62  # nanoseconds: 146 years, and sums of two times still fit


def validate(trace: Trace) -> None:
    """Raise TraceError at the first row that does not hold together."""
    header = trace.header
    if not 1 <= header.ranks <= MOST_RANKS:
        raise TraceError(f"expected a trace of 1 to {MOST_RANKS} ranks, got {header.ranks}", at="header")
    if len(header.host_of_rank) not in (0, header.ranks):
        raise TraceError(
            f"expected a host for each of {header.ranks} ranks of the trace, got {len(header.host_of_rank)}"
        )
    if any(not 0 <= host < len(header.hosts) for host in header.host_of_rank):
        raise TraceError(f"expected host numbers below {len(header.hosts)}", at="header")
    for communicator in header.communicators:
        members = communicator.members
        if members is not None and any(not 0 <= rank < header.ranks for rank in members):
            raise TraceError(f"expected ranks below {header.ranks}", at=f"communicator {communicator.name!r}")
    if any(not 0 <= rank < header.ranks for process in header.processes for rank in process.ranks):
        raise TraceError(
            f"expected the trace's processes to have ranks from 0 to {header.ranks - 1}, found another rank",
            at="header",
        )
    _within(trace, "resource", -1, len(header.resources))
    _within(trace, "rank", -1, header.ranks)
    _refuse(
        trace,
        (trace.column("rank") < 0) & trace.at_level(*RANK_LEVELS),
        "rank",
        f"a number from 0 to {header.ranks - 1}",
    )
    _within(trace, "file", -1, len(header.files))
    _within(trace, "communicator", -1, len(header.communicators))
    _within(trace, "region", -1, len(header.regions))
    _within(trace, "extents", -1, len(trace.lists))
    for name in ("bytes", "received", "blocks"):
        _refuse(trace, trace.column(name) < 0, name, "at least 0")
    start, end, complete = (trace.column(name) for name in ("start", "end", "complete"))
    _refuse(trace, (start < 0) | (start > LATEST), "start", "a time within 146 years of the beginning")
    _refuse(trace, (end < start) | (end > LATEST), "end", "a time that is not before the start")
    _refuse(
        trace, (complete < start) | (complete > LATEST), "complete", "a time that is not before the start"
    )
    if bool((trace.lists.sizes < 0).any()):
        raise TraceError("expected byte runs of 0 or more bytes, found a negative size", at="lists")


def _within(trace: Trace, name: str, low: int, end: int) -> None:
    column = trace.column(name)
    _refuse(trace, (column < low) | (column >= end), name, f"a number from {low} to {end - 1}")


def _refuse(trace: Trace, bad: NDArray[np.bool_], name: str, wanted: str) -> None:
    if bad.any():
        row = int(np.argmax(bad))
        raise TraceError(
            f"expected {wanted}, got {int(trace.column(name)[row])}", at=f"row {row}, column {name}"
        )
