"""Variables of a group as a program declares them: type, dimensions by name, units and attributes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np

from striate.errors import DatasetError
from striate.runtime.store.codec import pipeline_from
from striate.runtime.store.dtypes import describe_dtype
from striate.runtime.store.group_metadata import NAME, VariableEntry, count_name, element_name, start_name

_DEPTH = 4
# attributes that have a field of their own
_RESERVED = {"_ARRAY_DIMENSIONS": "dimensions=...", "coordinates": "coordinate=True", "units": "units=..."}


@dataclass(frozen=True)
class Variable:
    """One variable: `Variable("f8", ("node",), units="Pa", attributes={"long_name": "pressure"})`.

    Rows are addressed along the first dimension that does not grow. A `coordinate` is shown by xarray as one. A
    variable of the growing dimension alone is one number for each step. A `ragged` one has a list for every row.
    """

    dtype: Any
    dimensions: Sequence[str]
    units: str = ""
    attributes: Mapping[str, Any] = field(default_factory=dict)
    coordinate: bool = False
    codec: Any = None
    ragged: bool = False

    def entries(self, name: str) -> list[VariableEntry]:
        """The variable as metadata holds it; a ragged one with the lengths and beginnings of its lists."""
        entry = self.entry(name)
        if not self.ragged:
            return [entry]
        sample = {"sample_dimension": element_name(name)}  # as the CF conventions have it
        counts = Variable("i8", self.dimensions, attributes=sample).entry(count_name(name))
        starts = Variable("i8", self.dimensions).entry(start_name(name))
        return [counts, starts, msgspec.structs.replace(entry, chunk_elements=1)]

    def entry(self, name: str) -> VariableEntry:
        """The variable as metadata holds it; refuses what cannot be stored or read by others."""
        try:
            kind: np.dtype[Any] = np.dtype(self.dtype)
        except (TypeError, ValueError) as error:
            raise DatasetError(f"expected a NumPy type, got {self.dtype!r}: {error}", at=name) from None
        dimensions = [self.dimensions] if isinstance(self.dimensions, str) else list(self.dimensions)
        for word in (name, *dimensions):
            checked_name(word)
        if len(set(dimensions)) != len(dimensions) or not dimensions:
            raise DatasetError(
                f"expected a variable of at least one dimension, and each only once, got {dimensions}",
                at=name,
            )
        if self.codec == "auto":
            raise DatasetError('expected the name of a codec for a variable, got "auto"', at=name)
        attributes = checked_attributes(self.attributes, at=name)
        if self.units:
            attributes["units"] = str(self.units)
        codec = pipeline_from(self.codec, kind.itemsize).configs
        return VariableEntry(name, describe_dtype(kind), dimensions, bool(self.coordinate), codec, attributes)


def checked_name(name: Any) -> str:
    """A name that Zarr, netCDF and HDF5 all take."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise DatasetError(
            "expected the name of a variable or dimension in letters, digits and _, a letter first, "
            f"got {name!r:.60}"
        )
    return name


def checked_attributes(attributes: Mapping[str, Any], *, at: str) -> dict[str, Any]:
    """Attributes as plain data: numbers, text, truth, and lists or arrays of them."""
    found = {}
    for name, value in attributes.items():
        if not isinstance(name, str) or not name:
            raise DatasetError(f"expected the name of an attribute, got {name!r:.60}", at=at)
        if name in _RESERVED:
            raise DatasetError(
                f"expected {name!r} as Variable({_RESERVED[name]}), got it among the attributes", at=at
            )
        found[name] = _plain(value, f"{at}.{name}", 0)
    return found


def _plain(value: Any, at: str, depth: int) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, list | tuple) and depth < _DEPTH:
        return [_plain(part, at, depth + 1) for part in value]
    raise DatasetError(
        f"expected an attribute that is a finite number, text, or an array of them, got {value!r:.60}", at=at
    )
