"""From what a probe found to a cluster description, every measured number with its range."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from striate.cluster.cluster import CROWD_SHARES, Cluster
from striate.cluster.description.software import dirty_bytes, most_dirty_bytes, mpi_settings
from striate.cluster.load import cluster_from_tables
from striate.interval import Interval
from striate.probe.describe_servers import has_servers, names_of, servers_of, settings_of_servers
from striate.probe.draft import Draft
from striate.probe.fresh_memory import FRESH, READY
from striate.probe.links import BOTH, ONE_PAIR, RING
from striate.probe.page_cache.copies import CACHED_BUFFER, REUSED_READ, REUSED_WRITE
from striate.probe.report import ProbeReport
from striate.probe.samples import Measurement
from striate.probe.shared_file import EXCHANGE, FLUSH, OWN_READ, OWN_WRITE, RUN, THREAD
from striate.probe.waits import waits
from striate.units import about_seconds, format_rate, format_size

_NEAR = "messages, same socket: latency"
PACKET = "16 KiB"  # messages go through shared memory in parts about this large, copied while more arrive
_FASTER = 16.0  # parts that do not limit anything are this much faster than those that do
_DUPLEX = (
    0.95  # of a link's rate that it has at least in each direction, when both are in use and do not meet
)
_WRITE_MESSAGES = 3  # request, data, acknowledgement: a write passes the server's link so often


def describe(report: ProbeReport, *, name: str) -> Cluster:
    """The machine of a report; raises ProbeError when the report lacks what a description needs."""
    draft = Draft()
    tables: dict[str, Any] = {
        "name": name,
        "source": _source(report),
        "settings": _settings(draft, report),
        "node": [_node(draft, report)],
        "server": [servers_of(draft, report) if has_servers(report) else _server(draft, report)],
        "placement": {"kind": "block"},
    }
    if report.facts.nodes > 1:
        tables["network"] = {"topology": "star", "switch": {"bandwidth": _plenty(report, "two nodes")}}
        tables["settings"] |= mpi_settings(report.facts.mpi)
    if not has_servers(report):
        tables["settings"] |= _copies(draft, report)
    else:
        tables["settings"] |= settings_of_servers(report)
        tables["metadata"] = names_of(draft, report)
    return cluster_from_tables(tables | {"measured": draft.measured})


def _settings(draft: Draft, report: ProbeReport) -> dict[str, Any]:
    found: dict[str, Any] = {"packet": PACKET}
    if (cpu := report.get("I/O call, CPU time")) is not None:
        found["io_cpu"] = draft.time("settings.io_cpu", cpu.value, cpu.samples, cpu.how)
    if (run := report.get(RUN)) is not None:
        found["piece_cpu"] = draft.time("settings.piece_cpu", run.value, run.samples, run.how)
    if (thread := report.get(THREAD)) is not None:
        found["io_thread"] = draft.time("settings.io_thread", thread.value, thread.samples, thread.how)
    differences = [one for one in report.found.measurements if one.name.startswith("I/O variation")]
    for one in differences[:1]:
        found["io_variation"] = draft.time("settings.io_variation", one.value, one.samples, one.how)
    for key, wait in waits(report).items():
        how = (
            "collective calls beside busy processes"
            if key == "time_slice"
            else "collective calls of more ranks than CPUs"
        )
        number = draft.count if key in CROWD_SHARES else draft.time
        found[key] = number(f"settings.{key}", wait.value, wait.samples, how)
    if (load := report.get("background")) is not None:
        found["background"] = draft.count("settings.background", load.value, load.samples, load.how)
    return found


def _node(draft: Draft, report: ProbeReport) -> dict[str, Any]:
    facts, cpu, near = report.facts, report.need("cpu rate"), report.get(_NEAR)
    node: dict[str, Any] = {
        "name": "node",
        "count": facts.nodes,
        "sockets": facts.sockets,
        "cpus_per_socket": max(1, facts.cpus // facts.sockets),
        "instructions_per_second": draft.count(
            "node[0].instructions_per_second", cpu.value, cpu.samples, cpu.how
        ),
        "memory": facts.memory_bytes,
        **(_unseen_inside(draft, report) if facts.nodes > 1 and near is None else _inside(draft, report)),
    }
    if facts.sockets > 1:
        link = _between(draft, report, "node[0].hub.link", "two sockets", near)
        node["hub"] = {"bandwidth": _plenty(report, "two sockets"), "link": link}
    if facts.nodes > 1:
        node["uplink"] = _between(draft, report, "node[0].uplink", "two nodes", near)
        node |= _both_directions(draft, report, node.get("hub"))
    return node


def _both_directions(draft: Draft, report: ProbeReport, hub: dict[str, Any] | None) -> dict[str, Any]:
    """What limits a node that sends and receives at once: a hub at its uplink, which messages inside do not pass."""
    alone = report.get(f"{ONE_PAIR}: rate")
    both = report.get(f"{RING}: rate") or report.get(f"{BOTH}: rate")
    if alone is None or both is None or both.value.low >= _DUPLEX * alone.value.estimate:
        return {}  # even at worst
    together = _each(both.value, lambda rate: 2 * rate)
    how = f"{both.name.rpartition(':')[0]}, both directions together"
    plenty = {"bandwidth": _plenty(report, "two nodes"), "latency": "0 s"}
    bandwidth = draft.rate("node[0].hub.bandwidth", together, both.samples, how)
    return {"hub": {"link": plenty, **(hub or {}), "bandwidth": bandwidth}}


def _inside(draft: Draft, report: ProbeReport) -> dict[str, Any]:
    """Interface and socket of a node, from messages of ranks that share it."""
    startup, rate = report.need(_NEAR), report.need("messages, same socket: rate")
    half = _each(startup.value, lambda seconds: seconds / 2)
    link = {
        "bandwidth": draft.rate(
            "node[0].nic.link.bandwidth", rate.value, rate.samples, "messages, same socket"
        ),
        "latency": draft.time("node[0].nic.link.latency", half, startup.samples, "half a message's latency"),
    }
    bandwidth = _plenty(report, "same socket")
    if (
        report.facts.nodes == 1
    ):  # ranks of several nodes exchange over the network, which says nothing of a socket
        all_at_once = report.need("all-to-all saturation")
        together = _at_least(all_at_once.value, rate.value)
        bandwidth = draft.rate("node[0].socket.bandwidth", together, all_at_once.samples, all_at_once.how)
    return {
        "nic": {"bandwidth": _plenty(report, "same socket"), "link": link},
        "socket": {"bandwidth": bandwidth},
    }


def _unseen_inside(draft: Draft, report: ProbeReport) -> dict[str, Any]:
    """The same where no two ranks share a node: memory is the only thing known of its inside."""
    copy = report.need("memory copy")
    rate = draft.rate("node[0].socket.bandwidth", copy.value, copy.samples, copy.how)
    plenty = format_rate(float(f"{copy.value.estimate * _FASTER:.4g}"))
    return {
        "nic": {"bandwidth": plenty, "link": {"bandwidth": plenty, "latency": "0 s"}},
        "socket": {"bandwidth": rate},
    }


def _between(
    draft: Draft, report: ProbeReport, key: str, level: str, near: Measurement | None
) -> dict[str, Any]:
    """A link that is passed twice between processes further apart: what they take longer, half of it each time."""
    startup, rate = (report.need(f"messages, {level}: {what}") for what in ("latency", "rate"))
    rate = (level == "two nodes" and report.get(f"{ONE_PAIR}: rate")) or rate
    less = near.value.estimate if near is not None else 0.0
    more = _each(startup.value, lambda seconds: max(0.0, seconds - less) / 2)
    return {
        "bandwidth": draft.rate(f"{key}.bandwidth", rate.value, rate.samples, rate.name.rpartition(":")[0]),
        "latency": draft.time(f"{key}.latency", more, startup.samples, f"messages, {level}"),
    }


def _copies(draft: Draft, report: ProbeReport) -> dict[str, Any]:
    """Settings of a file system of one node: data are copied by the CPU of the rank, one write to a file at a time.

    A flush is the fsync of one process: it waits for what this process has written, not for the files of others.
    """
    found: dict[str, Any] = {"inode_lock": True, "sync_alone": True}
    for key in ("write", "read"):
        copy = report.need(f"cached {key}: rate")
        found[f"{key}_copy"] = draft.rate(f"settings.{key}_copy", copy.value, copy.samples, copy.how)
    return found | _exchange_copy(draft, report) | _cached_copies(draft, report)


def _exchange_copy(draft: Draft, report: ProbeReport) -> dict[str, str]:
    """What an aggregator's copies take beside the messages of the others; nothing where messages alone take as long."""
    found = _of_all_ranks(report, EXCHANGE)
    if found is None:
        return {}
    measurement, ranks = found
    link = report.need("messages, same socket: rate").value.estimate
    sent = (ranks - 1) / ranks / link  # seconds per collected byte
    if 1 / measurement.value.high <= sent:
        return {}
    rate = _each(measurement.value, lambda rate: 1 / (1 / rate - sent))
    return {"exchange_copy": draft.rate("settings.exchange_copy", rate, measurement.samples, measurement.how)}


def _of_all_ranks(report: ProbeReport, name: str, end: str = "") -> tuple[Measurement, int] | None:
    """The measurement of this name that all ranks made together, and how many these were."""
    for one in report.found.measurements:
        if found := re.fullmatch(rf"{re.escape(name)} (\d+) ranks{end}", one.name):
            return one, int(found[1])
    return None


def _cached_copies(draft: Draft, report: ProbeReport) -> dict[str, Any]:
    """The same for buffers that are used again and again, and how large they may be."""
    size = report.get(CACHED_BUFFER)
    if size is None:
        return {}
    found: dict[str, Any] = {"cached_buffer": format_size(int(size.value.estimate))}
    for key, name in (("write_copy_cached", REUSED_WRITE), ("read_copy_cached", REUSED_READ)):
        copy = report.need(f"{name}: rate")
        found[key] = draft.rate(f"settings.{key}", copy.value, copy.samples, copy.how)
    return found


def _server(draft: Draft, report: ProbeReport) -> dict[str, Any]:
    """One server on the first node: its link is the page cache of all ranks together, its disk what a flush reaches."""
    together = max(
        (report.need(f"{name}: rate") for name in (OWN_WRITE, OWN_READ)), key=lambda one: one.value.estimate
    )
    call = report.need(f"{OWN_WRITE}: latency")
    own = report.need(_NEAR).value
    lag = _each(call.value, lambda seconds: max(0.0, seconds / _WRITE_MESSAGES - own.estimate / 2))
    key, how = "server[0].nic.link", f"{together.name.rpartition(':')[0]}, all ranks together"
    link = {
        "bandwidth": draft.rate(f"{key}.bandwidth", together.value, together.samples, how),
        "latency": draft.time(f"{key}.latency", lag, call.samples, "a third of a small MPI-IO write"),
    }
    return {
        "name": "files",
        "count": 1,
        "on": "nodes",
        "nic": {"bandwidth": format_rate(float(f"{together.value.estimate * _FASTER:.4g}")), "link": link},
        "cache": {
            "policy": "aggregation-reorder",
            **_written_data(report),
            "keeps_reads": True,
            **_journal(draft, report),
            **_fresh_memory(draft, report),
        },
        "disk": _disk(draft, report),
    }


def _written_data(report: ProbeReport) -> dict[str, int]:
    """Written data that the page cache keeps until a sync, and holds at most: disks do not begin at once."""
    memory = report.facts.memory_bytes
    dirty, most = report.facts.page_cache or (dirty_bytes(memory), most_dirty_bytes(memory))
    return {"memory": most, "dirty": dirty}


def _in_turns(report: ProbeReport) -> Interval:
    """Seconds of a flush, beside its data, during which others wait; all of it where it was not measured.

    Ranks that flush at once wait for the device one after the other, and for the journal's commit at the same time: of
    n ranks, each takes n times what is done in turns, and no less than one rank alone.
    """
    alone = report.need("flush: latency").value
    found = _of_all_ranks(report, FLUSH, ": latency")
    if found is None:
        return alone
    together, ranks = found
    return _each(together.value, lambda seconds: min(seconds / ranks, alone.estimate))


def _journal(draft: Draft, report: ProbeReport) -> dict[str, str]:
    """What ranks that flush at once wait for together; nothing where flushes take turns."""
    alone, turns = report.need("flush: latency"), _in_turns(report)
    if turns.estimate >= alone.value.estimate:
        return {}
    together = _each(alone.value, lambda seconds: max(0.0, seconds - turns.estimate))
    return {"sync": draft.time("server[0].cache.sync", together, alone.samples, alone.how)}


def _fresh_memory(draft: Draft, report: ProbeReport) -> dict[str, Any]:
    """What a host leaves of free memory, and how fast it gives more; nothing where all memory is at hand."""
    ready, fresh = report.get(READY), report.get(FRESH)
    if ready is None or fresh is None:
        return {}
    key = "server[0].cache"
    return {
        "ready": draft.size(f"{key}.ready", ready.value, ready.samples, ready.how),
        "fresh_rate": draft.rate(f"{key}.fresh_rate", fresh.value, fresh.samples, fresh.how),
    }


def _disk(draft: Draft, report: ProbeReport) -> dict[str, Any]:
    flush, startup = (report.need(f"flush: {what}") for what in ("rate", "latency"))
    if (together := _of_all_ranks(report, FLUSH, ": rate")) is not None:
        flush = together[0]
    turns = _in_turns(report)
    read = report.get("direct read, sequential: rate") or report.need("cached read: rate")
    lag = report.get("direct read, sequential: latency") or report.need("cached read: latency")
    key = "server[0].disk"
    return {
        "kind": "flash",
        "read_rate": draft.rate(f"{key}.read_rate", read.value, read.samples, read.how),
        "write_rate": draft.rate(f"{key}.write_rate", flush.value, flush.samples, flush.how),
        "read_latency": draft.time(f"{key}.read_latency", lag.value, lag.samples, lag.how),
        "write_latency": draft.time(f"{key}.write_latency", turns, startup.samples, startup.how),
    }


def _plenty(report: ProbeReport, level: str) -> str:
    rate = report.need(f"messages, {level}: rate").value.estimate
    return format_rate(float(f"{rate * _FASTER:.4g}"))


def _each(value: Interval, function: Callable[[float], float]) -> Interval:
    """The interval whose ends are those of `value`, changed by a function that keeps their order."""
    return Interval(function(value.low), function(value.estimate), function(value.high))


def _at_least(value: Interval, floor: Interval) -> Interval:
    """All together are no slower than two alone."""
    ends = ((value.low, floor.low), (value.estimate, floor.estimate), (value.high, floor.high))
    return Interval(*(max(pair) for pair in ends))


def _source(report: ProbeReport) -> str:
    facts = report.facts
    lines = [
        f"Measured by striate probe on {facts.host}, {report.made}, in {about_seconds(report.seconds)}; {facts.mpi}.",
        "Ranges of measured numbers are in the [[measured]] tables. Assumed, not measured: packet, eager, io_request "
        "and stripe_unit. How much written data the page cache keeps is what the system is set to.",
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
