"""`refine`: a cluster description brought nearer to what traces of real runs show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from striate.cluster.build import build
from striate.cluster.cluster import Cluster
from striate.cluster.description.measured import Number, value_at, with_value
from striate.cluster.description.quantities import BytesPerSecond, Ticks
from striate.cluster.description.tables import Description, MeasuredTable
from striate.errors import ClusterError, ProbeError
from striate.interval import Interval
from striate.probe.observed import Observed, accesses, flushes, messages
from striate.probe.samples import Floats, Line, TimeCurve, line_of
from striate.trace.trace import Trace
from striate.units import format_picoseconds, format_rate

LEAST_SAMPLES = 8
SCHEMA = "striate.fit/1"


@dataclass(frozen=True, slots=True)
class Refinement:
    """One number of the description: what it was, in seconds or bytes per second, and what measurements say."""

    key: str
    before: float
    after: Interval
    samples: int
    how: str


@dataclass(frozen=True, slots=True)
class Refined:
    """The better description, what changed, what could not be determined and why, and measured against fitted."""

    cluster: Cluster
    refinements: tuple[Refinement, ...]
    undetermined: tuple[str, ...]
    curves: tuple[TimeCurve, ...]


@dataclass(frozen=True, slots=True)
class _Sort:
    """A sort of operations, and the keys that its start-up (divided by `passes`) and its rate belong to."""

    name: str
    startup: str | None
    rate: str
    observe: Callable[[Trace, Cluster], Observed]
    passes: int = 1  # how often an operation pays the latency at the key
    fastest: float = 1.0  # the share of operations looked at: those that did not wait for others
    known_seconds: float = 0.0  # of the start-up, described by another key


def refine(cluster: Cluster, traces: Sequence[Trace]) -> Refined:
    """Fit start-ups and rates to the traces' operations; raises ClusterError for a machine without a description."""
    if cluster.description is None:
        raise ClusterError(
            "this cluster was not loaded from a description, so a trace cannot refine its numbers"
        )
    description, refinements, undetermined = cluster.description, list[Refinement](), list[str]()
    curves = []
    for sort in _sorts(description):
        seen = Observed.joined([sort.observe(trace, cluster) for trace in traces])
        try:
            line = _line(sort, seen)
        except ProbeError as error:
            undetermined.append(f"{sort.name}: {error.message}")
            continue
        curves.append(line.curve)
        for one in _refinements(sort, line, description):
            refinements.append(one)
            description = with_refinement(description, one)
    return Refined(build(description), tuple(refinements), tuple(undetermined), tuple(curves))


def _sorts(description: Description) -> list[_Sort]:
    """What can be looked for on this machine."""
    nic = "node[0].nic.link"
    sorts = [_messages("same socket", nic, passes=2)]
    if description.node[0].sockets > 1:
        sorts.append(_messages("two sockets", "node[0].hub.link", passes=2))
    if description.node[0].uplink is not None:
        sorts.append(_messages("two nodes", "node[0].uplink", passes=2))
    if not description.server:
        return sorts
    server = description.server[0]
    disk = "server[0].disk[0]" if isinstance(server.disk, tuple) else "server[0].disk"
    flash = type(server.all_disks()[0]).__name__ == "FlashDisk"
    writes = f"{disk}.write_rate" if flash else f"{disk}.rate"
    lag = f"{disk}.write_latency" if flash else None
    settings = description.settings
    if server.cache.holds_writes and server.nic is not None:
        link = "server[0].nic.link"
        if settings.write_copy is None:
            sorts.append(_Sort("writes", f"{link}.latency", f"{link}.bandwidth", _writes, passes=3))
        else:  # under the lock of the file's inode: a quarter of them waited least
            sorts.append(
                _Sort("writes", f"{link}.latency", "settings.write_copy", _writes, passes=3, fastest=0.25)
            )
        journal = server.cache.sync / 1e12
        sorts.append(_Sort("flushes", lag, writes, _flushes, known_seconds=journal))
    else:
        sorts.append(_Sort("writes", lag, writes, _writes))
    if server.cache.keeps_reads and settings.read_copy is not None:
        sorts.append(_Sort("reads", None, "settings.read_copy", _reads))
    elif flash and not server.cache.keeps_reads:
        sorts.append(_Sort("reads", f"{disk}.read_latency", f"{disk}.read_rate", _reads))
    return sorts


def _messages(level: str, key: str, *, passes: int) -> _Sort:
    def observe(trace: Trace, cluster: Cluster) -> Observed:
        return messages(trace, cluster)[level]

    return _Sort(f"messages, {level}", f"{key}.latency", f"{key}.bandwidth", observe, passes, 0.25)


def _writes(trace: Trace, cluster: Cluster) -> Observed:
    return accesses(trace, "write")


def _reads(trace: Trace, cluster: Cluster) -> Observed:
    return accesses(trace, "read")


def _flushes(trace: Trace, cluster: Cluster) -> Observed:
    return flushes(trace)


def _line(sort: _Sort, seen: Observed) -> Line:
    """The line through the operations; refuses when there are too few, or all of one size."""
    if len(seen.bytes) < LEAST_SAMPLES:
        raise ProbeError(
            f"expected at least {LEAST_SAMPLES} operations to fit a line to their times, "
            f"got {len(seen.bytes)}"
        )
    sizes, rounds = seen.binned()
    if len(sizes) < 2:
        raise ProbeError(
            f"expected operations of at least two sizes, to separate latency from bandwidth, got {len(sizes)}"
        )
    return line_of(sort.name, sizes, [_fast_part(column, sort.fastest) for column in rounds])


def _fast_part(seconds: Floats, share: float) -> Floats:
    return np.sort(seconds)[: max(1, round(len(seconds) * share))]


def _refinements(sort: _Sort, line: Line, description: Description) -> list[Refinement]:
    found = []
    parts = [(sort.rate, line.rate)]
    if sort.startup is not None:
        startup, known = line.startup, sort.known_seconds
        ends = (max(end - known, 0.0) / sort.passes for end in (startup.low, startup.estimate, startup.high))
        parts.append((sort.startup, Interval(*ends)))
    for key, after in parts:
        value = value_at(description, key)
        if value is None:
            continue
        before = value / 1e12 if isinstance(value, Ticks) else float(value)
        found.append(Refinement(key, before, after, line.samples, f"{sort.name} of traces"))
    return found


def with_refinement(description: Description, one: Refinement) -> Description:
    """The description with the number and its range."""
    value = value_at(description, one.key)
    low, middle, high = (_text(value, end) for end in (one.after.low, one.after.estimate, one.after.high))
    table = MeasuredTable(key=one.key, low=low, high=high, samples=one.samples, how=one.how)
    return with_value(description, table, type(value).read(middle))


def _text(like: Number, value: float) -> str:
    """To four digits, as the description writes it."""
    if isinstance(like, BytesPerSecond):
        return format_rate(float(f"{max(value, 1.0):.4g}"))
    ticks = round(value * 1e12)
    return format_picoseconds(round(ticks, -max(0, len(str(ticks)) - 4)))
