"""A small HDF5 file beside an uncompressed dataset, through which HDF5 tools read the very bytes (external storage)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from striate.errors import DatasetError, OutputError
from striate.runtime.front import PathLike
from striate.runtime.group_front import open_group
from striate.runtime.plan.grid import Grid
from striate.runtime.store.chunks import ChunkTable
from striate.runtime.store.files import Store, load_metadata, read_metadata
from striate.runtime.store.group_metadata import MAGIC
from striate.runtime.variable_group import VariableGroup

MOST_PIECES = 2000  # HDF5 keeps the list in one object header of 64 KiB

Piece = tuple[str, int, int]  # file, first byte, bytes


@dataclass(frozen=True)
class _Linked:
    """One dataset of the HDF5 file: the parts of the array, in order."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    pieces: list[Piece]
    attributes: dict[str, Any]
    dimensions: Sequence[str]
    values: Any = None  # of what has no bytes in sub-files


def link_hdf5(path: PathLike, output: PathLike, *, directories: Sequence[PathLike] | None = None) -> Path:
    """Write `output`, an HDF5 file that points into the sub-files of the array or group at `path`.

    It shows the generation of now: after a rewrite, link again. Refuses compressed variables, and chunks that were
    never written, for HDF5's external storage is a list of plain bytes.
    """
    h5py = _library()
    store = Store(Path(path), tuple(Path(folder) for folder in directories or ()))
    target = Path(output)
    part = target.with_name(f".{target.name}.part")
    if read_metadata(store).startswith(MAGIC):
        with open_group(None, store.path, directories=store.directories or None) as group:
            linked, attributes = list(_of_group(group, store)), group.attributes
    else:
        linked, attributes = [_of_array(store)], {}
    try:
        with h5py.File(part, "w") as file:
            file.attrs.update(attributes)
            for one in linked:
                _put(file, one)
        part.replace(target)
    except OSError as error:
        raise OutputError(f"cannot write: {error.strerror or error}", at=str(target)) from error
    finally:
        part.unlink(missing_ok=True)
    return target


def _library() -> Any:
    try:
        import h5py
    except ImportError:
        raise DatasetError("expected the package h5py, which this needs; it is not installed") from None
    return h5py


def _put(file: Any, one: _Linked) -> None:
    """What has values of its own is written; all else lies in the sub-files."""
    if one.values is not None:
        made = file.create_dataset(one.name, data=one.values)
    else:
        made = file.create_dataset(one.name, one.shape, one.dtype, external=one.pieces or None)
    made.attrs.update(one.attributes)
    for axis, name in enumerate(one.dimensions):
        made.dims[axis].label = name


def _of_array(store: Store) -> _Linked:
    metadata = load_metadata(store)
    if metadata.codec:
        raise DatasetError("expected an uncompressed dataset, got one with a codec: use `striate convert`")
    pieces = _joined(_pieces(store, metadata.grid(), ChunkTable.of(metadata), "data"), "data")
    return _Linked("data", tuple(metadata.shape), metadata.numpy_dtype(), pieces, {}, ())


def _of_group(group: VariableGroup, store: Store) -> Iterator[_Linked]:
    metadata, findings = group.metadata, list[str]()
    found: dict[str, list[Piece]] = {entry.name: [] for entry in metadata.variables}
    for place, state in group.stored_states(findings):
        name = place.partition(",")[0]
        if state.pipeline:
            raise DatasetError(f"expected uncompressed variables, got {name!r} with a codec: use xarray")
        found[name] += _pieces(store, state.grid, state.table, place)
    if findings:
        raise DatasetError(findings[0])
    for entry in metadata.variables:
        if metadata.is_scalar(entry):
            values = group.scalar(entry.name)
            yield _Linked(
                entry.name, values.shape, values.dtype, [], entry.attributes, entry.dimensions, values
            )
            continue
        shape = metadata.grid_of(entry).shape
        whole = (len(metadata.steps), *shape) if metadata.grows(entry) else shape
        pieces = _joined(found[entry.name], entry.name)
        yield _Linked(entry.name, whole, entry.numpy_dtype(), pieces, entry.attributes, entry.dimensions)


def _pieces(store: Store, grid: Grid, table: ChunkTable, place: str) -> list[Piece]:
    """The bytes of each chunk, the last one without what fills it up."""
    if (table.file < 0).any():
        raise DatasetError(
            f"expected every chunk written, got {int((table.file < 0).sum())} that were not", at=place
        )
    left, found = grid.total_bytes, []
    for chunk in range(grid.chunks):
        path = store.locate(table.subfiles[int(table.file[chunk])]).absolute()
        size = min(left, grid.chunk_bytes)
        found.append((str(path), int(table.offset[chunk]), size))
        left -= size
    return found


def _joined(pieces: list[Piece], name: str) -> list[Piece]:
    """Pieces that follow one another in a file as one."""
    runs: list[Piece] = []
    for path, first, size in pieces:
        if runs and runs[-1][0] == path and runs[-1][1] + runs[-1][2] == first:
            runs[-1] = (path, runs[-1][1], runs[-1][2] + size)
        else:
            runs.append((path, first, size))
    if len(runs) > MOST_PIECES:
        raise DatasetError(
            f"expected at most {MOST_PIECES} pieces for HDF5, got {len(runs)}: use `striate convert`", at=name
        )
    return runs
