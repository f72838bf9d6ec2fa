"""How many values the columns of a Parquet file hold, by its footer alone.

pyarrow ends the process where it cannot make sense of a column's description, so the description is read here, from
the file: the footer is a structure in Thrift's compact protocol.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

_DEEPEST = 16
_NUMBERS = (4, 5, 6)
_ROW_GROUPS, _COLUMNS, _METADATA, _VALUES = (
    4,
    1,
    3,
    5,
)  # fields of the footer, of a group, of a column and of its data


def values_of(source: Path | bytes) -> list[int]:
    """The number of values of each column of each row group; columns without a description are left out.

    `source` is a Parquet file, or what it holds. Raises ValueError or IndexError where it is damaged.
    """
    footer = _Compact(_footer(source)).structure(0)
    columns = [column for group in footer.get(_ROW_GROUPS, []) for column in group.get(_COLUMNS, [])]
    return [column[_METADATA][_VALUES] for column in columns if _VALUES in column.get(_METADATA, {})]


def _footer(source: Path | bytes) -> bytes:
    with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as file:
        end = file.seek(0, io.SEEK_END) - 8  # of the footer: its length and a mark follow
        file.seek(max(0, end))
        length = int.from_bytes(file.read(4), "little")
        if length > end:
            raise ValueError("the Parquet footer is longer than the file")
        file.seek(end - length)
        return file.read(length)


class _Compact:
    """A reader of Thrift's compact protocol; structures become dictionaries by field number."""

    def __init__(self, content: bytes) -> None:
        self._content, self._at = content, 0

    def structure(self, depth: int) -> dict[int, Any]:
        if depth > _DEEPEST:
            raise ValueError("nested too deeply")
        found: dict[int, Any] = {}
        field = 0
        while head := self._byte():
            field = field + (head >> 4) if head >> 4 else self._number()
            found[field] = head & 15 == 1 if head & 15 <= 2 else self._value(head & 15, depth)
        return found

    def _value(self, kind: int, depth: int) -> Any:
        if kind in _NUMBERS:
            return self._number()
        if kind == 12:
            return self.structure(depth + 1)
        if kind in (9, 10):
            return self._list(depth)
        if kind == 8:
            return self._bytes(self._unsigned())
        if kind in (1, 2, 3):  # inside a list, a truth value takes a byte
            return self._byte()
        if kind == 7:
            return self._bytes(8)
        raise ValueError(f"no such type: {kind}")

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        size = self._unsigned() if head >> 4 == 15 else head >> 4
        return [self._value(head & 15, depth) for _ in range(size)]

    def _number(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)

    def _unsigned(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 128:
            value, shift = value | (byte & 127) << shift, shift + 7
        return value | byte << shift

    def _byte(self) -> int:
        self._at += 1
        return self._content[self._at - 1]

    def _bytes(self, length: int) -> bytes:
        self._at += length
        return self._content[self._at - length : self._at]
