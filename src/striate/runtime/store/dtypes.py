"""NumPy types as plain data: written as NumPy describes them, read back from a short list of safe forms."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import numpy as np

from striate.errors import DatasetError

MOST_FIELDS = 4096
_PLAIN = re.compile(
    r"\|b1|\|[iu]1|[<>][iu][248]|[<>]f(2|4|8|16)|[<>]c(8|16|32)|\|[SV][0-9]{1,7}|[<>]U[0-9]{1,6}"
)
_TIME = re.compile(r"[<>][mM]8(\[[0-9]{0,6}(Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\])?")


def describe_dtype(dtype: np.dtype[Any]) -> Any:
    """`dtype` as text and lists; refuses objects and types without a fixed size."""
    if dtype.subdtype is not None:
        raise DatasetError(
            f"expected the type {dtype.base} and all axes in the shape of the array, got {dtype}"
        )
    if dtype.hasobject or dtype.itemsize == 0:
        raise DatasetError(f"expected a type of fixed size without Python objects, got {dtype}")
    description = _described(dtype)
    if dtype_from_description(description) != dtype:
        raise DatasetError(f"expected a type with its fields in order and without explicit gaps, got {dtype}")
    return description


def _described(dtype: np.dtype[Any]) -> Any:
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return {"type": _described(base), "shape": list(shape)}
    if dtype.names is None:
        return dtype.str
    return {
        "size": dtype.itemsize,
        "fields": [
            [name, _described(dtype.fields[name][0]), dtype.fields[name][1]]  # type: ignore[index]
            for name in dtype.names
        ],
    }


def dtype_from_description(description: Any, depth: int = 0) -> np.dtype[Any]:
    """The type described; refuses anything but numbers, fixed text and bytes, times, and records of them."""
    if depth > 8:
        raise DatasetError("expected a record type nested at most 8 levels deep", at="$.dtype")
    if isinstance(description, str):
        return _plain(description)
    if isinstance(description, dict) and description.keys() == {"type", "shape"}:
        return _sub_array(description, depth)
    if isinstance(description, dict) and description.keys() == {"size", "fields"}:
        return _record(description, depth)
    raise DatasetError(f"expected a NumPy type of the elements, got {_short(description)}", at="$.dtype")


def _sub_array(description: dict[str, Any], depth: int) -> np.dtype[Any]:
    shape = description["shape"]
    good = isinstance(shape, list) and 1 <= len(shape) <= 8
    if not good or not all(isinstance(length, int) and 0 < length <= 2**20 for length in shape):
        raise DatasetError(
            f"expected array fields of 1 to 8 axes of length 1 to 2^20, got {_short(shape)}", at="$.dtype"
        )
    return _built((dtype_from_description(description["type"], depth + 1), tuple(shape)))


def _record(description: dict[str, Any], depth: int) -> np.dtype[Any]:
    fields, size = description["fields"], description["size"]
    if not isinstance(fields, list) or not 1 <= len(fields) <= MOST_FIELDS or not isinstance(size, int):
        raise DatasetError(
            f"expected a record type of 1 to {MOST_FIELDS} fields and a size, got {_short(fields)}",
            at="$.dtype",
        )
    for field in fields:
        if not (isinstance(field, list) and len(field) == 3 and isinstance(field[0], str)):
            raise DatasetError(
                f"expected a field [name, type, offset] of the record type, got {_short(field)}", at="$.dtype"
            )
        if not isinstance(field[2], int) or not 0 <= field[2] < 2**31:
            raise DatasetError(f"expected an offset, got {_short(field[2])}", at="$.dtype")
    return _built(
        {
            "names": [field[0] for field in fields],
            "formats": [dtype_from_description(field[1], depth + 1) for field in fields],
            "offsets": [field[2] for field in fields],
            "itemsize": size,
        }
    )


@lru_cache(256)
def _plain(description: str) -> np.dtype[Any]:
    if not (_PLAIN.fullmatch(description) or _TIME.fullmatch(description)):
        raise DatasetError(f"expected a NumPy type of the elements, got {_short(description)}", at="$.dtype")
    return _built(description)


def _built(arguments: Any) -> np.dtype[Any]:
    try:
        dtype: np.dtype[Any] = np.dtype(arguments)
    except (TypeError, ValueError, OverflowError, MemoryError) as error:
        raise DatasetError(f"expected a NumPy type: {error}", at="$.dtype") from None
    if not 0 < dtype.itemsize < 2**31:
        raise DatasetError(f"expected an element of 1 to 2^31 - 1 bytes, got {dtype.itemsize}", at="$.dtype")
    return dtype


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def flat_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The same bytes as plain fields side by side, for readers without arrays or records inside a record.

    `x` of two numbers becomes `x_0` and `x_1`; bytes that belong to no field become one of their own.
    """
    if dtype.names is None:
        return dtype
    fields: list[tuple[str, Any]] = []
    end = 0
    for name, kind, offset in sorted(_leaves(dtype, "", 0), key=lambda leaf: leaf[2]):
        if offset > end:
            fields.append((f"gap_{end}", f"V{offset - end}"))
        fields.append((name, kind))
        end = offset + kind.itemsize
    if end < dtype.itemsize:
        fields.append((f"gap_{end}", f"V{dtype.itemsize - end}"))
    return np.dtype(fields)


def _leaves(dtype: np.dtype[Any], prefix: str, base: int) -> list[tuple[str, np.dtype[Any], int]]:
    if dtype.subdtype is not None:
        inner, shape = dtype.subdtype
        count = int(np.prod(shape))
        parts = [_leaves(inner, f"{prefix}_{at}", base + at * inner.itemsize) for at in range(count)]
        return [leaf for part in parts for leaf in part]
    if dtype.names is None or dtype.fields is None:
        return [(prefix, dtype, base)]
    joined = f"{prefix}_" if prefix else ""
    fields = [(name, *dtype.fields[name][:2]) for name in dtype.names]
    return [leaf for name, kind, at in fields for leaf in _leaves(kind, joined + name, base + at)]
