"""The reference of a group: its variables as Zarr arrays, with names, dimensions, coordinates and attributes."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from striate.runtime.store.chunks import ChunkTable
from striate.runtime.store.files import Store
from striate.runtime.store.group_metadata import (
    GroupMetadata,
    StepIndex,
    VariableEntry,
    coordinates,
    element_name,
)
from striate.runtime.store.group_tables import Lists, static_tables, tables_of
from striate.runtime.store.reference import kerchunk_files, location, zarr_array
from striate.runtime.store.zarr3 import DOCUMENT, zarr3_array, zarr3_group

Entry = tuple[str, Any]


def group_references(
    metadata: GroupMetadata, store: Store, indexes: Sequence[StepIndex]
) -> dict[str, bytes | None]:
    """Kerchunk references (version 1) to one Zarr group, by file name; steps are chunks along the growing dimension."""
    refs: dict[str, Any] = {
        ".zgroup": {"zarr_format": 2},
        ".zattrs": metadata.attributes | coordinates(metadata),
    }
    static, steps = static_tables(metadata), [tables_of(metadata, index, growing=True) for index in indexes]
    refs.update(_static(metadata, store, static.fixed))
    refs.update(_growing(metadata, store, [step.fixed for step in steps]))
    for entry in metadata.ragged_entries(growing=False):
        refs.update(_lists(entry, store, [static.ragged[entry.name]], growing=""))
    for entry in metadata.ragged_entries(growing=True):
        refs.update(
            _lists(entry, store, [step.ragged[entry.name] for step in steps], growing=metadata.growing)
        )
    refs.update(_scalars(metadata))
    documents = {key: value for key, value in refs.items() if key.rpartition("/")[2].startswith(".z")}
    chunks = {key: value for key, value in refs.items() if key not in documents}
    texts = {key: json.dumps(document) for key, document in documents.items()}
    return kerchunk_files(texts, _modern(metadata, documents), chunks, store)


def _static(metadata: GroupMetadata, store: Store, table: ChunkTable) -> Iterator[Entry]:
    first = 0
    for entry in metadata.stored(growing=False):
        grid = metadata.grid_of(entry)
        part = table.part(first, first + grid.chunks)
        first += grid.chunks
        whole = bool((part.file >= 0).all())
        yield from _documents(entry, list(grid.shape), list(grid.chunk_shape), whole=whole)
        yield from _chunks(entry, store, part, grid.chunk_bytes, f"{entry.name}/", len(grid.shape))


def _growing(metadata: GroupMetadata, store: Store, steps: Sequence[ChunkTable]) -> Iterator[Entry]:
    first = 0
    for entry in metadata.stored(growing=True):
        grid = metadata.grid_of(entry)
        parts = [step.part(first, first + grid.chunks) for step in steps]
        first += grid.chunks
        whole = all(bool((part.file >= 0).all()) for part in parts)
        shape, chunk = [len(steps), *grid.shape], [1, *grid.chunk_shape]
        yield from _documents(entry, shape, chunk, whole=whole)
        for number, part in enumerate(parts):
            yield from _chunks(
                entry, store, part, grid.chunk_bytes, f"{entry.name}/{number}.", len(grid.shape)
            )


def _lists(entry: VariableEntry, store: Store, steps: Sequence[Lists], *, growing: str) -> Iterator[Entry]:
    """The lists one after another, along a dimension as long as the longest step needs."""
    longest = max([step.elements for step in steps], default=0)
    shown = msgspec.structs.replace(entry, dimensions=[*[growing] * bool(growing), element_name(entry.name)])
    shape = [len(steps), longest] if growing else [longest]
    chunk = [1, entry.chunk_elements] if growing else [entry.chunk_elements]
    whole = all(step.elements == longest for step in steps)
    yield from _documents(shown, shape, chunk, whole=whole)
    chunk_bytes = entry.chunk_elements * entry.numpy_dtype().itemsize
    for number, step in enumerate(steps):
        prefix = f"{entry.name}/{number}." if growing else f"{entry.name}/"
        yield from _chunks(entry, store, step.table, chunk_bytes, prefix, 1)


def _scalars(metadata: GroupMetadata) -> Iterator[Entry]:
    """One number for each step, in the reference itself."""
    for entry in metadata.variables:
        if metadata.is_scalar(entry):
            numbers = [step.scalars.get(entry.name, 0) for step in metadata.steps]
            values = np.array(numbers, entry.numpy_dtype())
            yield from _documents(entry, [len(numbers)], [max(1, len(numbers))], whole=True)
            if numbers:
                yield f"{entry.name}/0", "base64:" + base64.b64encode(values.tobytes()).decode()


def _modern(metadata: GroupMetadata, refs: Mapping[str, Any]) -> dict[str, Any]:
    """The same in Zarr 3, of all variables or of none: a reader takes one version for the group."""
    found = {DOCUMENT: zarr3_group(metadata.attributes | coordinates(metadata))}
    for entry in metadata.variables:
        array, shown = (refs[f"{entry.name}/{document}"] for document in (".zarray", ".zattrs"))
        modern = zarr3_array(
            entry.numpy_dtype(),
            array["shape"],
            array["chunks"],
            entry.codec,
            shown["_ARRAY_DIMENSIONS"],
            entry.attributes,
        )
        if modern is None:
            return {}
        found[f"{entry.name}/{DOCUMENT}"] = modern
    return found


def _documents(entry: VariableEntry, shape: list[int], chunk: list[int], *, whole: bool) -> Iterator[Entry]:
    array = zarr_array(entry.numpy_dtype(), shape, chunk, entry.codec, whole=whole)
    yield f"{entry.name}/.zarray", array
    yield f"{entry.name}/.zattrs", entry.attributes | {"_ARRAY_DIMENSIONS": entry.dimensions}


def _chunks(
    entry: VariableEntry, store: Store, table: ChunkTable, chunk_bytes: int, prefix: str, axes: int
) -> Iterator[Entry]:
    names = [location(store, subfile.server, subfile.name) for subfile in table.subfiles]
    inner = ".0" * (axes - 1)  # chunks are whole rows
    for chunk in np.flatnonzero(table.file >= 0).tolist():
        length = int(table.length[chunk]) if entry.codec else chunk_bytes
        yield f"{prefix}{chunk}{inner}", [names[int(table.file[chunk])], int(table.offset[chunk]), length]
