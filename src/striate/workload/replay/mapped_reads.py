"""Files that were mapped into memory: what was touched of them is read where they were mapped."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pyarrow as pa

from striate.trace.kinds import KINDS
from striate.trace.trace import Trace
from striate.units import about_size


def mappings_as_reads(trace: Trace) -> Trace:
    """The trace with a read of the bytes that were touched in place of every `map` whose `unmap` tells them.

    When pages were touched is not seen; the time that this took remains between the calls.
    """
    touched = _touched(trace)
    if not touched:
        return trace
    kind, size = trace.column("kind").copy(), trace.column("bytes").copy()
    rows = np.fromiter(touched, np.int64)
    kind[rows] = KINDS.index("read")
    size[rows] = np.fromiter(touched.values(), np.int64)
    column = trace.table.column("kind").chunk(0)
    kinds = pa.DictionaryArray.from_arrays(pa.array(kind, column.type.index_type), column.dictionary)
    table = trace.table
    for name, values in (("kind", kinds), ("bytes", pa.array(size, table.schema.field("bytes").type))):
        place = table.schema.get_field_index(name)
        table = table.set_column(place, table.schema.field(place), values)
    return replace(trace, table=table)


def mapped_notes(trace: Trace) -> tuple[str, ...]:
    """What a forecast should say about it."""
    total = sum(_touched(trace).values())
    if not total:
        return ()
    return (f"{about_size(total)} of mapped files are read where they were mapped, beside the recorded time",)


def _touched(trace: Trace) -> dict[int, int]:
    """Row of a `map` -> bytes of its pages that were touched; an `unmap` belongs to the last `map` that covers it."""
    good = trace.column("status") == 0
    file, start, offset, size = (trace.column(name) for name in ("file", "start", "offset", "bytes"))
    unmapped = np.flatnonzero(trace.of_kind("unmap") & good & (size > 0))
    if not len(unmapped):
        return {}
    maps: dict[int, list[int]] = defaultdict(list)
    found: dict[int, int] = defaultdict(int)
    rows = np.concatenate([np.flatnonzero(trace.of_kind("map") & good), unmapped])
    gone = frozenset(unmapped.tolist())
    for row in rows[np.argsort(start[rows], kind="stable")].tolist():
        if row not in gone:
            maps[int(file[row])].append(row)
            continue
        own = reversed(maps[int(file[row])])
        at = next((one for one in own if offset[one] <= offset[row] < offset[one] + size[one]), None)
        if at is not None:
            found[at] += int(size[row])
    return {row: min(touched, int(size[row])) for row, touched in found.items()}
