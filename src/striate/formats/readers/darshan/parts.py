"""Tables of the modules whose records have a length of their own: Lustre, heat maps, messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from striate.arrow import array, lists, strings
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
        "file": array(np.array([number(one.id) for one in found], np.int32)),
        "rank": array(np.array([one.rank for one in found], np.int64)),
        "component": array(np.array([one.number for one in found], np.int64)),
        "stripe_size": array(np.array([one.stripe_size for one in found], np.int64)),
        "stripe_count": array(np.array([one.stripe_count for one in found], np.int64)),
        "start": array(np.array([one.start for one in found], np.int64)),
        "end": array(np.array([one.end for one in found], np.int64)),
        "pool": strings([one.pool for one in found]),
        "targets": lists([one.targets for one in found]),
    }
    return pa.table(columns), whole


def _heatmap(log: AnyLog, content: bytes, number: FileNumber, names: Names) -> Part:
    """One row per module and rank: bytes read and written in each bin of the run."""
    read = heat(log.modules["HEATMAP"].version, content, order=log.order)
    if read is None:
        return None
    found, whole = read
    columns: dict[str, Any] = {
        "file": array(np.full(len(found), -1, np.int32)),
        "rank": array(np.array([one.rank for one in found], np.int64)),
        "module": strings([names.get(one.id, "").removeprefix("heatmap:") for one in found]),
        "bin_seconds": array(np.array([one.bin_seconds for one in found], np.float64)),
        "read": lists([one.read for one in found]),
        "written": lists([one.written for one in found]),
    }
    return pa.table(columns), whole


def _messages(log: AnyLog, content: bytes, number: FileNumber, names: Names) -> Part:
    """One row per rank: its host, and calls, bytes and seconds of every MPI function."""
    found = messages(log.modules["APMPI"].version, content, order=log.order)
    if found is None:
        return None
    file = array(np.full(len(found.rank), -1, np.int32))
    columns: dict[str, Any] = {"file": file, "rank": array(found.rank), "host": strings(found.host)}
    columns |= {name: array(column) for name, column in (found.numbers | found.times).items()}
    return pa.table(columns), found.whole


PARTS: dict[str, Callable[[AnyLog, bytes, FileNumber, Names], Part]] = {
    "LUSTRE": _lustre,
    "HEATMAP": _heatmap,
    "APMPI": _messages,
}
