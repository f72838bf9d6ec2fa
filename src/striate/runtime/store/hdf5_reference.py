"""The HDF5 reference: a small file through which HDF5 tools read the very bytes of uncompressed chunks.

HDF5 calls it external storage: a dataset is a list of (file, first byte, bytes). It has no room for checksums: what it
reads is not checked. Dimensions are scales as netCDF-4 writes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from striate.errors import DatasetError
from striate.runtime.plan.grid import Grid
from striate.runtime.store.chunks import ChunkTable
from striate.runtime.store.files import Store
from striate.runtime.store.group_metadata import (
    GroupMetadata,
    StepIndex,
    VariableEntry,
    coordinates,
    element_name,
    ragged_grid,
)
from striate.runtime.store.group_tables import Lists, static_tables, tables_of
from striate.runtime.store.metadata import Metadata

FILE_NAME = "reference.h5"
MOST_PIECES = 2000  # HDF5 keeps the list in one object header of 64 KiB
STEPS = "steps_of_"  # the group with each step of a variable that has too many pieces for one list
_BARE = "This is a netCDF dimension but not a netCDF variable.%10d"  # as netCDF itself writes it
_SCALES = frozenset({"CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "DIMENSION_LABELS"})

Piece = tuple[str, int, int]  # file, first byte, bytes


@dataclass(frozen=True)
class _Linked:
    """One dataset of the HDF5 file: of each step (or of the whole array) the parts, in order."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    steps: list[list[Piece]]
    attributes: Mapping[str, Any]
    dimensions: Sequence[str]
    values: Any = None  # of what has no bytes in sub-files

    def pieces(self) -> list[Piece]:
        """All parts, those that follow one another in a file as one."""
        return _joined([piece for step in self.steps for piece in step])


def hdf5_library() -> Any:
    """h5py; refuses where it is not installed."""
    try:
        import h5py
    except ImportError:
        raise DatasetError("an HDF5 file needs the package h5py, which is not installed") from None
    return h5py


def array_hdf5(metadata: Metadata, store: Store) -> bytes:
    """The content of the file for one array, called `data`; refuses a compressed one."""
    if metadata.codec:
        raise DatasetError("expected an uncompressed dataset, got one with a codec: use `striate convert`")
    pieces = _pieces(store, metadata.grid(), ChunkTable.of(metadata))
    return _content(
        [_Linked("data", tuple(metadata.shape), metadata.numpy_dtype(), [pieces], {}, ())], {}, {}
    )


def group_hdf5(metadata: GroupMetadata, store: Store, indexes: Sequence[StepIndex]) -> bytes:
    """The content of the file for a group, all steps; refuses compressed variables."""
    refuse_compressed(metadata.variables)
    static, steps = static_tables(metadata), [tables_of(metadata, index, growing=True) for index in indexes]
    linked = [
        *_stored(metadata, store, [static.fixed], growing=False),
        *_stored(metadata, store, [step.fixed for step in steps], growing=True),
        *_scalars(metadata),
    ]
    for growing, tables in ((False, [static]), (True, steps)):
        for entry in metadata.ragged_entries(growing=growing):
            linked.append(_lists(metadata, store, entry, [table.ragged[entry.name] for table in tables]))
    attributes = metadata.attributes | coordinates(metadata)
    lengths = metadata.dimensions | ({metadata.growing: len(steps)} if metadata.growing else {})
    lengths |= {one.dimensions[-1]: one.shape[-1] for one in linked if one.dimensions[-1] not in lengths}
    return _content(linked, attributes, lengths)


def refuse_compressed(variables: Sequence[VariableEntry]) -> None:
    """External storage is a list of plain bytes."""
    for entry in variables:
        if entry.codec:
            raise DatasetError(
                "expected uncompressed variables, "
                f"got {entry.name!r} with a codec: read the group with xarray"
            )


def _stored(
    metadata: GroupMetadata, store: Store, tables: Sequence[ChunkTable], *, growing: bool
) -> Iterator[_Linked]:
    first = 0
    for entry in metadata.stored(growing=growing):
        grid = metadata.grid_of(entry)
        end = first + grid.chunks
        steps = [_pieces(store, grid, table.part(first, end)) for table in tables]
        first = end
        shape = (len(steps), *grid.shape) if growing else grid.shape
        yield _Linked(entry.name, shape, entry.numpy_dtype(), steps, entry.attributes, entry.dimensions)


def _lists(metadata: GroupMetadata, store: Store, entry: VariableEntry, steps: Sequence[Lists]) -> _Linked:
    """The lists one after another; those of a short step end with zeros."""
    kind, longest = entry.numpy_dtype(), max([step.elements for step in steps], default=0)
    pieces = []
    for step in steps:
        found = _pieces(store, ragged_grid(entry, step.elements), step.table)
        if found and step.elements < longest:
            subfile = step.table.subfiles[0]
            missing = (longest - step.elements) * kind.itemsize
            found.append((str(store.locate(subfile).absolute()), subfile.bytes, missing))
        pieces.append(found)
    growing = metadata.grows(entry)
    shape = (len(steps), longest) if growing else (longest,)
    dimensions = [*[metadata.growing] * growing, element_name(entry.name)]
    return _Linked(entry.name, shape, kind, pieces, entry.attributes, dimensions)


def _scalars(metadata: GroupMetadata) -> Iterator[_Linked]:
    for entry in metadata.variables:
        if metadata.is_scalar(entry):
            numbers = [step.scalars.get(entry.name, 0) for step in metadata.steps]
            values = np.array(numbers, entry.numpy_dtype())
            yield _Linked(
                entry.name, values.shape, values.dtype, [], entry.attributes, entry.dimensions, values
            )


def _pieces(store: Store, grid: Grid, table: ChunkTable) -> list[Piece]:
    """The bytes of each chunk, the last one without what fills it up; one never written lies beyond a file's end.

    HDF5 reads zeros there (H5Pset_external). None when no chunk was written.
    """
    if not grid.total_bytes or (table.file < 0).all():
        return []
    names = [str(store.locate(subfile).absolute()) for subfile in table.subfiles]
    left, found = grid.total_bytes, []
    for chunk, (file, offset) in enumerate(zip(table.file.tolist(), table.offset.tolist(), strict=True)):
        size = min(left, grid.chunk_bytes)
        left -= size
        if file < 0:
            found.append((names[0], table.subfiles[0].bytes + chunk * grid.chunk_bytes, size))
        else:
            found.append((names[file], offset, size))
    return _joined(found)


def _joined(pieces: list[Piece]) -> list[Piece]:
    """Pieces that follow one another in a file as one."""
    runs: list[Piece] = []
    for path, first, size in pieces:
        if runs and runs[-1][0] == path and runs[-1][1] + runs[-1][2] == first:
            runs[-1] = (path, runs[-1][1], runs[-1][2] + size)
        else:
            runs.append((path, first, size))
    return runs


def _content(linked: Sequence[_Linked], attributes: Mapping[str, Any], lengths: Mapping[str, int]) -> bytes:
    with hdf5_library().File(
        "in memory", "w", driver="core", backing_store=False, libver=("v108", "v110")
    ) as file:
        put_attributes(file, attributes)
        made = {one.name: _put(file, one) for one in linked}
        for name, length in lengths.items():
            put_dimension(file, name, length, linked, made)
        file.flush()
        content: bytes = file.id.get_file_image()
    return content


def _put(file: Any, one: _Linked) -> Any:
    """What has values of its own is written; all else lies in the sub-files, and what was never written is zero."""
    if one.values is not None:
        made = file.create_dataset(one.name, data=one.values)
    elif len(one.steps) > 1 and (len(one.pieces()) > MOST_PIECES or not all(one.steps)):
        made = _put_steps(file, one)
    else:
        made = _put_pieces(file, one.name, one.shape, one.dtype, one.pieces())
    put_attributes(made, one.attributes)
    return made


def _put_steps(file: Any, one: _Linked) -> Any:
    """A step has a list of its own, and a virtual dataset shows them as one array."""
    h5py = hdf5_library()
    whole = h5py.VirtualLayout(one.shape, one.dtype)
    for number, pieces in enumerate(one.steps):
        name = f"{STEPS}{one.name}/{number}"
        part = _put_pieces(file, name, one.shape[1:], one.dtype, _joined(pieces))
        whole[number] = h5py.VirtualSource(".", f"/{name}", part.shape, one.dtype)
    return file.create_virtual_dataset(one.name, whole)


def _put_pieces(
    file: Any, name: str, shape: tuple[int, ...], dtype: np.dtype[Any], pieces: list[Piece]
) -> Any:
    if len(pieces) > MOST_PIECES:
        raise DatasetError(
            f"expected at most {MOST_PIECES} pieces of sub-files for HDF5, got {len(pieces)}: "
            "use `striate convert`",
            at=name,
        )
    return file.create_dataset(name, shape, dtype, external=pieces or None)


class Named(Protocol):
    """A variable as HDF5 shall show it."""

    @property
    def name(self) -> str: ...
    @property
    def dimensions(self) -> Sequence[str]: ...


def put_dimension(
    file: Any, name: str, length: int, linked: Sequence[Named], made: Mapping[str, Any]
) -> None:
    """A scale for the dimension, as netCDF has it: the variable of its name, or one without values."""
    users = [(one, list(one.dimensions).index(name)) for one in linked if name in one.dimensions]
    if name not in made:
        scale = file.create_dataset(name, (length,), ">f4")
        scale.make_scale(_BARE % length)
    elif list(next(one.dimensions for one in linked if one.name == name)) == [name]:
        scale = made[name]
        scale.make_scale(name)
    else:  # a variable of several dimensions has the name
        scale = None
    for one, axis in users:
        made[one.name].dims[axis].label = name
        if scale is not None and one.name != name:
            made[one.name].dims[axis].attach_scale(scale)


def put_attributes(target: Any, attributes: Mapping[str, Any]) -> None:
    """Attributes as HDF5 and netCDF know them; names that mean something to HDF5 end in `_`."""
    for name, value in attributes.items():
        target.attrs[f"{name}_" if name in _SCALES else name] = _as_hdf5(value)


def _as_hdf5(value: Any) -> Any:
    """A number, text, or an array of one kind; lists of several kinds as JSON."""
    if isinstance(value, bool):
        return np.int8(value)  # netCDF knows no truth
    if not isinstance(value, list):
        return value
    try:
        array = np.array(value)
    except ValueError:  # lists of different lengths
        return json.dumps(value)
    if array.dtype.kind == "b":
        return array.astype(np.int8)
    texts = array.dtype.kind == "U"
    return json.dumps(value) if array.dtype.kind == "O" or (texts and not _only_text(value)) else value


def _only_text(value: Any) -> bool:
    return all(map(_only_text, value)) if isinstance(value, list) else isinstance(value, str)
