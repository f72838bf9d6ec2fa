"""A trace's rows with names in place of numbers: what data frames and SQL want."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from striate.trace.trace import Trace


def named(trace: Trace) -> pa.Table:
    """The operations with `file`, `communicator`, `region` and `resource` as names, null where there is none."""
    table = trace.table
    words = {
        "file": trace.file_names(),
        "communicator": [communicator.name for communicator in trace.header.communicators],
        "region": list(trace.header.regions),
        "resource": list(trace.header.resources),
    }
    for name, names in words.items():
        at = table.column_names.index(name)
        table = table.set_column(at, name, _dictionary(trace.column(name), names))
    return table


def _dictionary(codes: Any, names: Sequence[str]) -> pa.Array:
    indices = pa.array(codes.astype(np.int32), mask=codes < 0)
    return pa.DictionaryArray.from_arrays(indices, pa.array(list(names), pa.string()))
