"""Calls that never returned, as rows that last until the end of the trace: a hang shows where."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from striate.record.clocks import Correction
from striate.record.files import RankFile
from striate.record.part_names import MergedNames
from striate.trace.columns import UNFINISHED, operations
from striate.trace.functions import meaning
from striate.trace.kinds import KINDS, LEVELS


def unfinished_rows(
    parts: Sequence[RankFile], fixes: Sequence[Correction], origin: int, merged: MergedNames
) -> list[pa.Table]:
    """One row for each call that a process was inside of when it ended; they end with the last that was recorded."""
    pairs = list(zip(parts, fixes, strict=True))
    if not any(part.inside for part in parts):
        return []
    times = [
        fix.apply(np.array([*part.events["end"].tolist(), *(call.start for call in part.inside)], np.int64))
        for part, fix in pairs
    ]
    last = max(int(one.max(initial=origin)) for one in times) - origin
    tables = []
    for part, fix in pairs:
        for call in part.inside:
            told = meaning(call.function)
            start = max(int(fix.apply(np.array([call.start]))[0]) - origin, 0)
            columns = {
                "rank": part.rank,
                "thread": call.thread,
                "kind": KINDS.index(told.kind),
                "level": LEVELS.index(told.level),
                "collective": told.collective,
                "function": (0, (call.function,)),
                "start": start,
                "end": max(last, start),
                "status": UNFINISHED,
            }
            tables.append(operations(1, columns))
    return tables
