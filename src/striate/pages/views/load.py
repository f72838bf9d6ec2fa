"""How busy every resource of a simulation was over time, and sampled hosts; rates, queues, memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.pages.names import shown_name
from striate.pages.page import View
from striate.pages.run import Run
from striate.pages.spread import spread, whole
from striate.trace.analysis.intervals import covered
from striate.trace.kinds import RESOURCE_LEVELS
from striate.trace.trace import Trace

TIME_BINS, MOST_RESOURCES = 240, 64
_SAMPLED = {"cpu": "CPU", "memory": "memory"}


def view(runs: Sequence[Run]) -> View | None:
    """Rows of resources for every run that tells of them."""
    columns: dict[str, NDArray[Any]] = {}
    parts: list[dict[str, Any]] = []
    for run in runs:
        if run.trace is None:
            continue
        found = [*resources_of(run.trace), *hosts_of(run.trace)]
        if not found:
            continue
        columns[f"busy{len(parts)}"] = np.concatenate([shares for _, shares in found])
        curves, occupancy = curves_of(run.trace), occupancy_of(run.trace)
        for name, (_, values) in occupancy.items():
            columns[f"{name}{len(parts)}"] = values
        for level, (moved, in_flight) in curves.items():
            columns[f"{level}Moved{len(parts)}"], columns[f"{level}UnderWay{len(parts)}"] = moved, in_flight
        parts.append(
            {
                "name": shown_name(run.name),
                "origin": run.origin,
                "seconds": run.trace.seconds,
                "bins": TIME_BINS,
                "resources": [described for described, _ in found],
                "curves": list(curves),
                "occupancy": {name: described for name, (described, _) in occupancy.items()},
            }
        )
    return View("load", "Load of resources", {"parts": parts}, columns) if parts else None


Row = tuple[dict[str, Any], NDArray[np.int64]]


def resources_of(trace: Trace) -> list[Row]:
    """Servers, links and disks, the busiest of each first; shares of time in thousandths."""
    last = max(round(trace.seconds * 1e9), 1)
    edges = np.linspace(0, last, TIME_BINS + 1)
    found: list[Row] = []
    for level in RESOURCE_LEVELS:
        rows = np.flatnonzero(trace.at_level(level) & (trace.column("resource") >= 0))
        if not len(rows):
            continue
        number, place = np.unique(trace.column("resource")[rows], return_inverse=True)
        place = np.ravel(place)
        start, end, size = (trace.column(name)[rows] for name in ("start", "end", "bytes"))
        busy = covered(place, start, end, len(number))
        shares = spread(place, start, end, end - start, edges, len(number)) / np.diff(edges)
        moved = np.zeros(len(number), np.int64)
        np.add.at(moved, place, size.astype(np.int64))
        for at in np.argsort(-busy, kind="stable")[:MOST_RESOURCES].tolist():
            name = trace.header.resources[int(number[at])]
            described = {
                "name": shown_name(name, 80),
                "level": level,
                "busy": busy[at] / last,
                "bytes": int(moved[at]),
            }
            found.append((described, _thousandths(shares[at])))
    return found


def curves_of(trace: Trace) -> dict[str, tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Of all servers and all disks together: bytes moved in every bin, and requests there, in thousandths of one.

    A server's row lasts from when it hears of a request to its answer, so these are the requests that wait or are
    worked on: the length of its queue.
    """
    edges = np.linspace(0, max(round(trace.seconds * 1e9), 1), TIME_BINS + 1)
    found = {}
    for level in ("server", "disk"):
        rows = np.flatnonzero(trace.at_level(level) & (trace.column("resource") >= 0))
        if not len(rows):
            continue
        start, end, size = (trace.column(name)[rows] for name in ("start", "end", "bytes"))
        together = np.zeros(len(rows), np.int64)
        in_flight = spread(together, start, end, end - start, edges, 1)[0] / np.diff(edges)
        moved = whole(spread(together, start, end, size, edges, 1))
        found[level] = (moved, np.rint(in_flight * 1000).astype(np.int64))
    return found


def occupancy_of(trace: Trace) -> dict[str, tuple[dict[str, Any], NDArray[np.int64]]]:
    """What all servers together have in memory, per bin, and the most that one of them ever had."""
    table = trace.occupancy
    start, end = (np.asarray(table.column(name).to_numpy()) for name in ("start", "end"))
    edges = np.linspace(0, max(round(trace.seconds * 1e9), 1), TIME_BINS + 1)
    found = {}
    for name in ("dirty", "cached"):
        average, most = (np.asarray(table.column(column).to_numpy()) for column in (name, f"most_{name}"))
        if not most.any():
            continue
        together = np.zeros(len(start), np.int64)
        level = spread(together, start, end, average * (end - start), edges, 1)[0] / np.diff(edges)
        fullest = int(np.argmax(most))
        described = {
            "most": int(most[fullest]),
            "server": shown_name(table.column("server")[fullest].as_py()),
        }
        found[name] = (described, np.rint(level).astype(np.int64))
    return found


def hosts_of(trace: Trace) -> list[Row]:
    """CPU and memory of every host, as far as they were sampled."""
    table = trace.resources()
    if not table.num_rows:
        return []
    last = max(round(trace.seconds * 1e9), 1)
    edges = np.linspace(0, last, TIME_BINS + 1)
    columns = {name: table.column(name).to_numpy(zero_copy_only=False) for name in table.column_names}
    found: list[Row] = []
    for host in dict.fromkeys(columns["host"].tolist()):
        mine = columns["host"] == host
        start, end = columns["start"][mine], columns["end"][mine]
        for name, share in _host_shares({key: column[mine] for key, column in columns.items()}).items():
            known = np.isfinite(share)
            if not known.any():
                continue
            zero = np.zeros(int(known.sum()), np.int64)
            weighted = spread(zero, start[known], end[known], share[known] * (end - start)[known], edges, 1)
            described = {
                "name": f"{shown_name(host, 60)}: {_SAMPLED[name]}",
                "level": "host",
                "busy": float(np.average(share[known], weights=(end - start)[known])),
                "bytes": 0,
            }
            found.append((described, _thousandths(weighted[0] / np.diff(edges))))
    return found


def _host_shares(columns: dict[str, NDArray[Any]]) -> dict[str, NDArray[np.float64]]:
    def number(name: str) -> NDArray[np.float64]:
        return columns[name].astype(np.float64)

    return {
        "cpu": number("cpu_user") + number("cpu_system"),
        "memory": number("memory_used") / np.maximum(number("memory_total"), 1),
    }


def _thousandths(shares: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.rint(np.clip(shares, 0, 1) * 1000).astype(np.int64)
