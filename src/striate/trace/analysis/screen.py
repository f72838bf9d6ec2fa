"""A trace's summary as text for a terminal, at most one screen of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from striate.printable import columns, one_line
from striate.trace.header import SIMULATED
from striate.units import about_rate, about_seconds, about_size, counted

if TYPE_CHECKING:
    from striate.trace.analysis.summary import Summary


def screen(summary: Summary) -> str:
    """Who and how long first, then levels, files, phases, and what to keep in mind."""
    parts = [
        _head(summary),
        _levels(summary),
        _processes(summary),
        _files(summary),
        _phases(summary),
        _hosts(summary),
        _flags(summary),
    ]
    return "\n\n".join(part for part in parts if part)


def _head(summary: Summary) -> str:
    name = summary.program or "program"
    hosts = f" on {counted(summary.hosts, 'host')}" if summary.hosts else ""
    made = summary.source if summary.source.startswith(SIMULATED) else f"recorded by {summary.source}"
    lines = [
        f"{_shortened(name, 60)}: {counted(summary.ranks, 'rank')}{hosts}, {about_seconds(summary.seconds)}, "
        f"{counted(summary.operations, 'operation')}, {counted(summary.files, 'file')} ({made})",
        f"read {about_size(summary.bytes_read)}, wrote {about_size(summary.bytes_written)}; "
        f"{summary.io_share:.1%} of the ranks' time in I/O, {_messages(summary)}",
    ]
    if summary.read_below:
        lines.append(summary.read_below)
    if summary.slowest_rank is not None:
        least = "" if summary.ranks_known else "at least "
        lines.append(
            f"slowest rank in I/O: {summary.slowest_rank} with {least}{about_seconds(summary.slowest_rank_seconds)} "
            f"(mean {about_seconds(summary.mean_rank_seconds)})"
        )
    if summary.collectives:
        calls = ", ".join(f"{kind} {count:,}" for kind, count in summary.collectives.items())
        lines.append(f"collective calls: {calls}")
    return "\n".join(lines)


def _messages(summary: Summary) -> str:
    if summary.message_share is None:
        return "messages were not recorded"
    return f"{summary.message_share:.1%} in messages"


def _levels(summary: Summary) -> str:
    rows = [
        (
            "level",
            "operations",
            "reads",
            "read",
            "writes",
            "written",
            "opens",
            "syncs",
            "accesses",
            "metadata",
        )
    ]
    for level in summary.levels:
        read, written = about_size(level.bytes_read), about_size(level.bytes_written)
        counts = (f"{level.operations:,}", f"{level.reads:,}", read, f"{level.writes:,}", written)
        calls = (f"{level.opens:,}", f"{level.syncs:,}")
        spent = (about_seconds(level.access_seconds), about_seconds(level.metadata_seconds))
        rows.append((level.level, *counts, *calls, *spent))
    return columns(rows, numbers_from=1)


def _processes(summary: Summary, *, most: int = 8) -> str:
    if not summary.processes:
        return ""
    rows = [("process", "program", "threads", "read", "written")]
    for one in summary.processes[:most]:
        of = (
            f" {one.launch_rank}" if one.role == "rank" else f" of {one.launch_rank}" * (one.launch_rank >= 0)
        )
        moved = (about_size(one.bytes_read), about_size(one.bytes_written))
        who = f"{one.role}{of} ({one.number})"
        rows.append((who, _shortened(one.program, 48), f"{one.threads:,}", *moved))
    left = len(summary.processes) - most
    return columns(rows, numbers_from=2) + (f"\n... and {left:,} more processes" if left > 0 else "")


def _files(summary: Summary) -> str:
    if not summary.largest_files:
        return ""
    rows = [("file", "ranks", "read", "written", "seconds")]
    for file in summary.largest_files:
        read, written = about_size(file.bytes_read), about_size(file.bytes_written)
        rows.append(
            (_shortened(file.name, 56), f"{file.ranks:,}", read, written, about_seconds(file.seconds))
        )
    left = summary.files - len(summary.largest_files)
    return columns(rows, numbers_from=1) + (f"\n... and {left:,} more files" if left > 0 else "")


def _phases(summary: Summary, *, most: int = 6) -> str:
    if not summary.phases:
        return ""
    largest = sorted(summary.phases, key=lambda phase: -(phase.bytes_read + phase.bytes_written))[:most]
    rows = [("I/O phase", "lasts", "ranks", "read", "written", "rate")]
    for phase in sorted(largest, key=lambda phase: phase.start):
        lasts = phase.end - phase.start
        moved = phase.bytes_read + phase.bytes_written
        read, written = about_size(phase.bytes_read), about_size(phase.bytes_written)
        rate = about_rate(moved / lasts) if lasts > 0 else "-"
        rows.append(
            (
                f"at {about_seconds(phase.start)}",
                about_seconds(lasts),
                f"{phase.ranks:,}",
                read,
                written,
                rate,
            )
        )
    left = len(summary.phases) - len(largest)
    return columns(rows, numbers_from=1) + (f"\n... and {left:,} smaller phases" if left > 0 else "")


def _hosts(summary: Summary, *, most: int = 6) -> str:
    if not summary.resources:
        return ""
    rows: list[tuple[str, ...]] = [
        ("host", "CPU", "waiting", "memory", "received", "sent", "disks read", "written")
    ]
    for host in summary.resources[:most]:
        shares = ["-" if share is None else f"{share:.1%}" for share in (host.cpu_busy, host.cpu_wait)]
        sizes = (
            host.memory_used,
            host.network_received,
            host.network_sent,
            host.disk_read,
            host.disk_written,
        )
        rows.append(
            (
                _shortened(host.host, 40),
                *shares,
                *("-" if size is None else about_size(size) for size in sizes),
            )
        )
    left = len(summary.resources) - most
    return columns(rows, numbers_from=1) + (f"\n... and {left:,} more hosts" if left > 0 else "")


def _flags(summary: Summary) -> str:
    return "\n".join(f"note: {one_line(flag.message)}" for flag in summary.flags)


def _shortened(text: str, width: int) -> str:
    text = one_line(text)
    return text if len(text) <= width else "..." + text[3 - width :]
