"""Export of a group: all variables and steps in one HDF5 file or Zarr store of its own, piece by piece, checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from striate.errors import DatasetError
from striate.runtime.export import Progress, library, write_whole
from striate.runtime.store.dtypes import flat_dtype
from striate.runtime.store.group_metadata import VariableEntry, coordinates, element_name
from striate.runtime.store.hdf5_reference import put_attributes, put_dimension
from striate.runtime.variable_group import VariableGroup

SUFFIXES = (".h5", ".zarr")
PIECE = 16 * 2**20  # bytes read at once

Part = tuple[Any, npt.NDArray[Any]]  # where in the variable, and what


@dataclass(frozen=True)
class Shown:
    """One variable as other programs see it: steps are its first axis; lists lie one after another."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    dimensions: Sequence[str]
    attributes: Mapping[str, Any]
    parts: Callable[[], Iterator[Part]]


def export_group(group: VariableGroup, output: Path, *, progress: Progress = lambda parts: None) -> None:
    """Write the whole group to `output`; its suffix says how. Appears complete or not at all."""
    writers = {".h5": _to_hdf5, ".zarr": _to_zarr}
    if output.suffix not in writers:
        raise DatasetError(
            f"expected an output ending in {', '.join(SUFFIXES)} for a group, got {output.name!r}"
        )
    write_whole(output, lambda part: writers[output.suffix](group, part, progress))


def parts_of(group: VariableGroup) -> int:
    """What there is to do: variables, each in every step that it has."""
    return sum(_steps(group, entry) for entry in group.metadata.variables)


def _steps(group: VariableGroup, entry: VariableEntry) -> int:
    metadata = group.metadata
    return len(metadata.steps) if metadata.grows(entry) and not metadata.is_scalar(entry) else 1


def _to_hdf5(group: VariableGroup, path: Path, progress: Progress) -> None:
    with library("h5py").File(path, "w") as file:
        put_attributes(file, _attributes(group))
        shown, made = _shown(group), {}
        for one in shown:
            made[one.name] = file.create_dataset(one.name, one.shape, one.dtype)
            _fill(made[one.name], one, progress)
            put_attributes(made[one.name], one.attributes)
        for name, length in _lengths(group, shown).items():
            put_dimension(file, name, length, shown, made)


def _to_zarr(group: VariableGroup, path: Path, progress: Progress) -> None:
    """Every chunk is stored, so that no fill value is needed: xarray would take it for "missing"."""
    zarr = library("zarr")
    target = zarr.open_group(str(path), mode="w", zarr_format=2)
    target.attrs.update(_attributes(group))
    for one in _shown(group):
        kind = flat_dtype(one.dtype)
        array = target.create_array(
            one.name,
            shape=one.shape,
            dtype=kind,
            chunks=_chunks(group, one),
            fill_value=None,
            config={"write_empty_chunks": True},
            attributes={**one.attributes, "_ARRAY_DIMENSIONS": list(one.dimensions)},
        )
        _fill(array, one, progress, kind)
    zarr.consolidate_metadata(str(path), zarr_format=2)


def _fill(target: Any, one: Shown, progress: Progress, kind: np.dtype[Any] | None = None) -> None:
    done = set()
    for where, values in one.parts():
        target[where] = values if kind is None else values.view(kind)
        step = where[0] if len(where) > 1 else 0
        progress(int(step not in done))
        done.add(step)


def _attributes(group: VariableGroup) -> dict[str, Any]:
    return group.metadata.attributes | coordinates(group.metadata)


def _lengths(group: VariableGroup, shown: Sequence[Shown]) -> dict[str, int]:
    lists = {one.dimensions[-1]: one.shape[-1] for one in shown}
    return group.dimensions | {name: length for name, length in lists.items() if name not in group.dimensions}


def _chunks(group: VariableGroup, one: Shown) -> tuple[int, ...]:
    """Steps one by one, and rows as the group has them."""
    grows = one.dimensions[0] == group.metadata.growing and len(one.shape) > 1
    rows = group.metadata.rows.get(one.dimensions[int(grows)])
    inner = one.shape[int(grows) :]
    first = rows.chunk_rows if rows else PIECE // max(1, one.dtype.itemsize)
    chunk = (min(max(1, inner[0]), first), *(max(1, part) for part in inner[1:]))
    return (1, *chunk) if grows else chunk


def _shown(group: VariableGroup) -> list[Shown]:
    return [_variable(group, entry) for entry in group.metadata.variables]


def _variable(group: VariableGroup, entry: VariableEntry) -> Shown:
    metadata, kind = group.metadata, entry.numpy_dtype()
    if metadata.is_scalar(entry):
        values = group.scalar(entry.name)
        return _new(entry, values.shape, entry.dimensions, lambda: iter([((slice(None),), values)]))
    grows = metadata.grows(entry)
    numbers: list[int | None] = list(group.steps) if grows else [None]
    if entry.chunk_elements:
        return _lists(group, entry, numbers)
    shape = metadata.grid_of(entry).shape
    rows = max(1, PIECE // max(1, int(np.prod(shape[1:])) * kind.itemsize))

    def parts() -> Iterator[Part]:
        for at, step in enumerate(numbers):
            for first in range(0, shape[0], rows):
                part = slice(first, min(first + rows, shape[0]))
                found = group.read_all(entry.name, part, step=-1 if step is None else step)
                yield ((at, part) if grows else (part,)), found

    return _new(entry, (len(numbers), *shape) if grows else shape, entry.dimensions, parts)


def _lists(group: VariableGroup, entry: VariableEntry, numbers: list[int | None]) -> Shown:
    """The lists one after another; those of a short step end with zeros."""

    def values(step: int | None) -> npt.NDArray[Any]:
        found: npt.NDArray[Any] = group.read_all(entry.name, step=-1 if step is None else step).values
        return found

    grows = group.metadata.grows(entry)
    longest = max((len(values(step)) for step in numbers), default=0)
    dimensions = [*[group.metadata.growing] * grows, element_name(entry.name)]

    def parts() -> Iterator[Part]:
        for at, step in enumerate(numbers):
            found, part = values(step), slice(0, longest)
            padded = np.concatenate([found, np.zeros(longest - len(found), found.dtype)])
            yield ((at, part) if grows else (part,)), padded

    return _new(entry, (len(numbers), longest) if grows else (longest,), dimensions, parts)


def _new(
    entry: VariableEntry,
    shape: tuple[int, ...],
    dimensions: Sequence[str],
    parts: Callable[[], Iterator[Part]],
) -> Shown:
    return Shown(entry.name, shape, entry.numpy_dtype(), dimensions, entry.attributes, parts)
