"""Tables of the modules whose records have a length of their own: Lustre, heat maps, messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from striate.formats.readers.darshan.heatmap import heat
from striate.formats.readers.darshan.log import AnyLog
from striate.formats.readers.darshan.lustre import components
from striate.formats.readers.darshan.messages import messages

FileNumber = Callable[[int], int]
Names = dict[int, str]
Part = tuple[pa.Table, bool] | None  # the table, and whether the records ended well; None: an unknown version


def _lustre(log: AnyLog, content: bytes, number: FileNumber, names: Names) -> Part:
    """One row per component of a file: the bytes it covers, its stripes, and the targets (OSTs) they lie on."""
    read = components(log.modules["LUSTRE"].version, content, order=log.order)
    if read is None:
        return None
    found, whole = read
    columns: dict[str, Any] = {
        "file": pa.array([number(one.id) for one in found], pa.int32()),
        "rank": pa.array([one.rank for one in found], pa.int64()),
        "component": pa.array([one.number for one in found], pa.int64()),
        "stripe_size": pa.array([one.stripe_size for one in found], pa.int64()),
        "stripe_count": pa.array([one.stripe_count for one in found], pa.int64()),
        "start": pa.array([one.start for one in found], pa.int64()),
        "end": pa.array([one.end for one in found], pa.int64()),
        "pool": pa.array([one.pool for one in found], pa.string()),
        "targets": pa.array([one.targets for one in found], pa.list_(pa.int64())),
    }
    return pa.table(columns), whole


def _heatmap(log: AnyLog, content: bytes, number: FileNumber, names: Names) -> Part:
    """One row per module and rank: bytes read and written in each bin of the run."""
    read = heat(log.modules["HEATMAP"].version, content, order=log.order)
    if read is None:
        return None
    found, whole = read
    columns: dict[str, Any] = {
        "file": pa.array(np.full(len(found), -1, np.int32)),
        "rank": pa.array([one.rank for one in found], pa.int64()),
        "module": pa.array([names.get(one.id, "").removeprefix("heatmap:") for one in found], pa.string()),
        "bin_seconds": pa.array([one.bin_seconds for one in found], pa.float64()),
        "read": pa.array([one.read for one in found], pa.list_(pa.int64())),
        "written": pa.array([one.written for one in found], pa.list_(pa.int64())),
    }
    return pa.table(columns), whole


def _messages(log: AnyLog, content: bytes, number: FileNumber, names: Names) -> Part:
    """One row per rank: its host, and calls, bytes and seconds of every MPI function."""
    found = messages(log.modules["APMPI"].version, content, order=log.order)
    if found is None:
        return None
    file = pa.array(np.full(len(found.rank), -1, np.int32))
    columns: dict[str, Any] = {"file": file, "rank": found.rank, "host": pa.array(found.host, pa.string())}
    return pa.table({**columns, **found.numbers, **found.times}), found.whole


PARTS: dict[str, Callable[[AnyLog, bytes, FileNumber, Names], Part]] = {
    "LUSTRE": _lustre,
    "HEATMAP": _heatmap,
    "APMPI": _messages,
}
