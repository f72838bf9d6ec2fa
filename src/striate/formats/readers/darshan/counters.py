"""Darshan's counters: one row per record, every counter of its module."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.formats.readers.darshan.layouts import SHAPES, Shape
from striate.trace.records import Columns


@dataclass(frozen=True, slots=True, eq=False)
class Counters:
    """One row per record: its id, the id of its file, and every counter by name."""

    id: NDArray[np.uint64]
    file: NDArray[np.uint64]  # of a data set or a variable; the id itself otherwise
    columns: Columns  # `rank` among them
    whole: bool

    def __len__(self) -> int:
        return len(self.id)

    @property
    def rank(self) -> NDArray[np.int64]:
        return self.columns["rank"]


def record_type(shape: Shape, order: str, *, name_bytes: int = 0) -> np.dtype[np.void]:
    """One record as it lies in a log; in Darshan 2's, the end of the file's name follows the rank."""
    fields = [("id", order + "u8"), ("rank", order + "i8"), *[("name", f"S{name_bytes}")] * bool(name_bytes)]
    fields += [("file", order + "u8")] * shape.inner
    fields += [(name, order + "i8") for name in shape.counters]
    fields += [(name, order + "f8") for name in shape.times]
    return np.dtype([*fields, *[("tail", f"V{shape.tail}")] * bool(shape.tail)])


def counters(module: str, version: int, content: bytes, *, order: str) -> Counters | None:
    """The records of a module, or None when its version is not one we know."""
    shape = SHAPES.get((module, version))
    if shape is None:
        return None
    record = record_type(shape, order)
    rows = np.frombuffer(content, record, len(content) // record.itemsize)
    return Counters(
        rows["id"].astype(np.uint64),
        rows["file" if shape.inner else "id"].astype(np.uint64),
        {
            name: rows[name].astype(rows[name].dtype.newbyteorder("="))
            for name in ("rank", *shape.counters, *shape.times)
        },
        len(content) % record.itemsize == 0,
    )
