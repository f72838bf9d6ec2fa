"""The text of a program whose computing takes longer by a factor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from striate.workload.kinds import Kind
from striate.workload.program import Int64s, Text


def slowed(text: Text, factor: float) -> Text:
    """Every time of a compute operation times `factor`, to the nearest picosecond; instructions stay as they are."""
    if factor == 1.0:
        return text
    times = text.first_operand[np.flatnonzero(text.kind == Kind.COMPUTE)].astype(np.int64)
    constant, per_rank, table = text.constant.copy(), text.per_rank.copy(), text.table.copy()
    stride = text.stride.copy()
    values, first_value = [text.value], text.first_value.tolist()
    copies: dict[int, int] = {}  # a table may belong to other operands too, so its slow form is a new one
    for operand in times.tolist():
        for column in (constant, per_rank):
            column[operand] = round(int(column[operand]) * factor)
        part = slice(int(text.first_stride[operand]), int(text.first_stride[operand + 1]))
        stride[part] = _scaled(stride[part], factor)
        number = int(table[operand])
        if number >= 0:
            if number not in copies:
                old = text.value[text.first_value[number] : text.first_value[number + 1]]
                copies[number] = len(first_value) - 1
                values.append(_scaled(old, factor))
                first_value.append(first_value[-1] + len(old))
            table[operand] = copies[number]
    return replace(
        text,
        constant=constant,
        per_rank=per_rank,
        table=table,
        stride=stride,
        first_value=np.array(first_value, np.int64),
        value=np.concatenate(values),
    )


def _scaled(column: Int64s, factor: float) -> Int64s:
    return np.asarray(np.rint(column * factor), np.int64)
