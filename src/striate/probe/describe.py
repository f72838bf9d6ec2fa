"""From what a probe found to a cluster description, every measured number with its range."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from striate.cluster.cluster import CROWD_SHARES, Cluster
from striate.cluster.load import cluster_from_tables
from striate.interval import Interval
from striate.probe.report import Report
from striate.probe.samples import Measurement
from striate.probe.waits import waits
from striate.units import about_seconds, format_picoseconds, format_rate

PACKET = "16 KiB"  # messages go through shared memory in parts about this large, copied while more arrive
_FASTER = 16.0  # parts that do not limit anything are this much faster than those that do
_WRITE_MESSAGES = 3  # request, data, acknowledgement: a write passes the server's link so often


class _Draft:
    """Tables of a description while it is written, and the ranges of its numbers."""

    def __init__(self) -> None:
        self.measured: list[dict[str, Any]] = []

    def rate(self, key: str, value: Interval, samples: int, how: str) -> str:
        """A rate in bytes per second for `key`."""
        return self._number(key, value, samples, how, lambda rate: format_rate(float(f"{rate:.4g}")))

    def time(self, key: str, value: Interval, samples: int, how: str) -> str:
        """A time for `key`, to four digits."""
        return self._number(key, value, samples, how, _time)

    def count(self, key: str, value: Interval, samples: int, how: str) -> str:
        return self._number(key, value, samples, how, lambda count: f"{count:.4g}")

    def _number(self, key: str, value: Interval, samples: int, how: str, text: Any) -> str:
        low, middle, high = (text(end) for end in (value.low, value.estimate, value.high))
        self.measured.append({"key": key, "low": low, "high": high, "samples": samples, "how": how[:400]})
        return str(middle)


def describe(report: Report, *, name: str) -> Cluster:
    """The machine of a report; raises ProbeError when the report lacks what a description needs."""
    draft = _Draft()
    tables: dict[str, Any] = {
        "name": name,
        "source": _source(report),
        "settings": _settings(draft, report),
        "node": [_node(draft, report)],
        "server": [_server(draft, report)],
        "placement": {"kind": "block"},
    }
    if report.facts.nodes > 1:
        tables["network"] = {"topology": "star", "switch": {"bandwidth": _plenty(report, "two nodes")}}
    return cluster_from_tables(tables | {"measured": draft.measured})


def _settings(draft: _Draft, report: Report) -> dict[str, Any]:
    found: dict[str, Any] = {"packet": PACKET}
    if (cpu := report.get("I/O call, CPU time")) is not None:
        found["io_cpu"] = draft.time("settings.io_cpu", cpu.value, cpu.samples, cpu.how)
    differences = [one for one in report.found.measurements if one.name.startswith("I/O variation")]
    for one in differences[:1]:
        found["io_variation"] = draft.time("settings.io_variation", one.value, one.samples, one.how)
    for key, wait in waits(report).items():
        how = (
            "agreements beside busy processes"
            if key == "time_slice"
            else "agreements of more ranks than CPUs"
        )
        number = draft.count if key in CROWD_SHARES else draft.time
        found[key] = number(f"settings.{key}", wait.value, wait.samples, how)
    if (load := report.get("background")) is not None:
        found["background"] = draft.count("settings.background", load.value, load.samples, load.how)
    return found


def _node(draft: _Draft, report: Report) -> dict[str, Any]:
    facts = report.facts
    startup, rate = (report.need(f"messages, same socket: {what}") for what in ("start-up", "rate"))
    all_at_once = report.need("all-to-all saturation")
    cpu = report.need("cpu rate")
    half = _each(startup.value, lambda seconds: seconds / 2)
    link = {
        "bandwidth": draft.rate(
            "node[0].nic.link.bandwidth", rate.value, rate.samples, "messages, same socket"
        ),
        "latency": draft.time("node[0].nic.link.latency", half, startup.samples, "half a message's start-up"),
    }
    together = _at_least(all_at_once.value, rate.value)
    node: dict[str, Any] = {
        "name": "node",
        "count": facts.nodes,
        "sockets": facts.sockets,
        "cpus_per_socket": max(1, facts.cpus // facts.sockets),
        "instructions_per_second": draft.count(
            "node[0].instructions_per_second", cpu.value, cpu.samples, cpu.how
        ),
        "memory": facts.memory_bytes,
        "nic": {"bandwidth": _plenty(report, "same socket"), "link": link},
        "socket": {
            "bandwidth": draft.rate(
                "node[0].socket.bandwidth", together, all_at_once.samples, all_at_once.how
            )
        },
    }
    if facts.sockets > 1:
        link = _between(draft, report, "node[0].hub.link", "two sockets", startup)
        node["hub"] = {"bandwidth": _plenty(report, "two sockets"), "link": link}
    if facts.nodes > 1:
        node["uplink"] = _between(draft, report, "node[0].uplink", "two nodes", startup)
    return node


def _between(draft: _Draft, report: Report, key: str, level: str, near: Measurement) -> dict[str, Any]:
    """A link that is passed twice between processes further apart: what they take longer, half of it each time."""
    startup, rate = (report.need(f"messages, {level}: {what}") for what in ("start-up", "rate"))
    more = _each(startup.value, lambda seconds: max(0.0, seconds - near.value.estimate) / 2)
    return {
        "bandwidth": draft.rate(f"{key}.bandwidth", rate.value, rate.samples, f"messages, {level}"),
        "latency": draft.time(f"{key}.latency", more, startup.samples, f"messages, {level}"),
    }


def _server(draft: _Draft, report: Report) -> dict[str, Any]:
    """One server on the first node: its link is the page cache, its disk what a flush reaches."""
    write, call = (report.need(f"MPI-IO write: {what}") for what in ("rate", "start-up"))
    first = report.get("first write")
    slowest = write.value.low if first is None else min(write.value.low, first.value.low)
    own = report.need("messages, same socket: start-up").value
    lag = _each(call.value, lambda seconds: max(0.0, seconds / _WRITE_MESSAGES - own.estimate / 2))
    key, how = "server[0].nic.link", "MPI-IO writes of new data by all ranks; low: into fresh memory"
    link = {
        "bandwidth": draft.rate(f"{key}.bandwidth", replace(write.value, low=slowest), write.samples, how),
        "latency": draft.time(f"{key}.latency", lag, call.samples, "a third of a small MPI-IO write"),
    }
    return {
        "name": "files",
        "count": 1,
        "on": "nodes",
        "nic": {"bandwidth": format_rate(float(f"{write.value.estimate * _FASTER:.4g}")), "link": link},
        "cache": {
            "policy": "aggregation-reorder",
            "memory": report.facts.memory_bytes // 10,
            "keeps_reads": True,
        },
        "disk": _disk(draft, report),
    }


def _disk(draft: _Draft, report: Report) -> dict[str, Any]:
    flush, startup = (report.need(f"flush: {what}") for what in ("rate", "start-up"))
    read = report.get("direct read, sequential: rate") or report.need("cached read: rate")
    lag = report.get("direct read, sequential: start-up") or report.need("cached read: start-up")
    key = "server[0].disk"
    return {
        "kind": "flash",
        "read_rate": draft.rate(f"{key}.read_rate", read.value, read.samples, read.how),
        "write_rate": draft.rate(f"{key}.write_rate", flush.value, flush.samples, flush.how),
        "read_latency": draft.time(f"{key}.read_latency", lag.value, lag.samples, lag.how),
        "write_latency": draft.time(f"{key}.write_latency", startup.value, startup.samples, startup.how),
    }


def _plenty(report: Report, level: str) -> str:
    rate = report.need(f"messages, {level}: rate").value.estimate
    return format_rate(float(f"{rate * _FASTER:.4g}"))


def _each(value: Interval, function: Callable[[float], float]) -> Interval:
    """The interval whose ends are those of `value`, changed by a function that keeps their order."""
    return Interval(function(value.low), function(value.estimate), function(value.high))


def _at_least(value: Interval, floor: Interval) -> Interval:
    """All together are no slower than two alone."""
    ends = ((value.low, floor.low), (value.estimate, floor.estimate), (value.high, floor.high))
    return Interval(*(max(pair) for pair in ends))


def _time(seconds: float) -> str:
    """A time to four digits, and at least a nanosecond's hundredth."""
    ticks = round(seconds * 1e12)
    digits = max(0, len(str(ticks)) - 4)
    return format_picoseconds(round(ticks, -digits))


def _source(report: Report) -> str:
    facts = report.facts
    lines = [
        f"Measured by striate probe on {facts.host}, {report.made}, in {about_seconds(report.seconds)}; {facts.mpi}.",
        "Ranges of measured numbers are in the [[measured]] tables. Assumed, not measured: packet, eager, io_request "
        "and stripe_unit; a tenth of the memory holds written data before writers must wait.",
        *_lines(report.found.measurements),
        *(f"Note: {note}." for note in report.found.notes),
    ]
    return "\n".join(lines)


def _lines(measurements: Sequence[Measurement]) -> list[str]:
    """Every number that was measured, also those that the description has no place for."""
    found = []
    for one in measurements:
        ends = f"{one.value.low:.4g} to {one.value.high:.4g}, {one.samples} samples"
        found.append(f"{one.name}: {one.value.estimate:.4g} {one.unit} ({ends})")
    return found
