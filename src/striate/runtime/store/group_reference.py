"""The reference of a group: its variables as Zarr arrays, with names, dimensions, coordinates and attributes."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from striate.runtime.store.files import Store
from striate.runtime.store.group_metadata import (
    GroupMetadata,
    RaggedTable,
    StepIndex,
    VariableEntry,
    coordinates,
    element_name,
)
from striate.runtime.store.metadata import Chunks, SubFile
from striate.runtime.store.reference import encoded, kerchunk_files, location, zarr_array
from striate.runtime.store.zarr3 import DOCUMENT, zarr3_array, zarr3_group

Entry = tuple[str, Any]
NO_LISTS = RaggedTable(0, Chunks([], [], [], []))


@dataclass(frozen=True)
class Described:
    """What the documents of a variable say that a write may change."""

    name: str
    shape: tuple[int, ...]
    chunk: tuple[int, ...]
    whole: bool  # every chunk was written
    dimensions: tuple[str, ...]


class GroupReferences:
    """References to a group, again and again as it grows; documents are encoded when what they say changes."""

    def __init__(self) -> None:
        self._declared: list[VariableEntry] = []
        self._described: list[Described] = []
        self._documents = b"", b""

    def files(
        self, metadata: GroupMetadata, store: Store, indexes: Sequence[StepIndex]
    ) -> dict[str, bytes | None]:
        """Kerchunk references (version 1) to one Zarr group, by file name; steps are chunks along the growing axis."""
        described: list[Described] = []
        chunks: dict[str, Any] = {}
        static = StepIndex(metadata.subfiles, metadata.chunks, metadata.ragged)
        for growing, stored in ((False, [static]), (True, indexes)):
            tables = [_Table(store, index) for index in stored]
            for one, found in _fixed(metadata, tables, growing=growing):
                described.append(one)
                chunks.update(found)
        for growing, stored in ((False, [static]), (True, indexes)):
            tables = [_Table(store, index) for index in stored]
            for entry in metadata.ragged_entries(growing=growing):
                described.append(_described_lists(metadata, entry, stored, growing=growing))
                chunks.update(_lists(entry, tables, growing=growing))
        for entry in metadata.variables:
            if metadata.is_scalar(entry):
                described.append(_described_scalar(metadata, entry))
                chunks.update(_scalar(metadata, entry))
        if self._declared is not metadata.variables or described != self._described:
            self._documents = _documents(metadata, described)
            self._declared, self._described = metadata.variables, described
        return kerchunk_files(*self._documents, chunks, store)


def group_references(
    metadata: GroupMetadata, store: Store, indexes: Sequence[StepIndex]
) -> dict[str, bytes | None]:
    """The references, made once."""
    return GroupReferences().files(metadata, store, indexes)


class _Table:
    """Chunks of a step, or of the variables that do not grow, and how the reference names their sub-files."""

    def __init__(self, store: Store, index: StepIndex) -> None:
        self.index = index
        self.names = [_name(store, subfile) for subfile in index.subfiles]

    def listed(
        self, chunks: Chunks, first: int, end: int, prefix: str, suffix: str, plain: int
    ) -> Iterator[Entry]:
        """The chunks from `first` to `end` that were written; of `plain` bytes, or for 0 as long as stored."""
        for chunk, file in enumerate(chunks.file[first:end]):
            if file >= 0:
                length = plain or chunks.length[first + chunk]
                yield f"{prefix}{chunk}{suffix}", [self.names[file], chunks.offset[first + chunk], length]


def _name(store: Store, subfile: SubFile) -> str:
    return location(store, subfile.server, subfile.name)


def _fixed(
    metadata: GroupMetadata, tables: Sequence[_Table], *, growing: bool
) -> Iterator[tuple[Described, dict[str, Any]]]:
    """The variables of fixed size that grow, or those that do not, with their chunks."""
    first = 0
    for entry in metadata.stored(growing=growing):
        grid = metadata.grid_of(entry)
        end, suffix = first + grid.chunks, ".0" * (len(grid.shape) - 1)  # chunks are whole rows
        whole, found = True, dict[str, Any]()
        for number, table in enumerate(tables):
            chunks, prefix = table.index.chunks, f"{entry.name}/{number}." if growing else f"{entry.name}/"
            whole = whole and min(chunks.file[first:end], default=0) >= 0
            found.update(
                table.listed(chunks, first, end, prefix, suffix, 0 if entry.codec else grid.chunk_bytes)
            )
        shape, chunk = grid.shape, grid.chunk_shape
        if growing:
            shape, chunk = (len(tables), *shape), (1, *chunk)
        yield Described(entry.name, shape, chunk, whole, tuple(entry.dimensions)), found
        first = end


def _described_lists(
    metadata: GroupMetadata, entry: VariableEntry, stored: Sequence[StepIndex], *, growing: bool
) -> Described:
    """The lists one after another, along a dimension as long as the longest step needs."""
    elements = [index.ragged.get(entry.name, NO_LISTS).elements for index in stored]
    longest = max(elements, default=0)
    shape, chunk, dimensions = (longest,), (entry.chunk_elements,), (element_name(entry.name),)
    whole = all(one == longest for one in elements)
    if not growing:
        return Described(entry.name, shape, chunk, whole, dimensions)
    return Described(entry.name, (len(stored), *shape), (1, *chunk), whole, (metadata.growing, *dimensions))


def _lists(entry: VariableEntry, tables: Sequence[_Table], *, growing: bool) -> Iterator[Entry]:
    plain = 0 if entry.codec else entry.chunk_elements * entry.numpy_dtype().itemsize
    for number, table in enumerate(tables):
        chunks = table.index.ragged.get(entry.name, NO_LISTS).chunks
        prefix = f"{entry.name}/{number}." if growing else f"{entry.name}/"
        yield from table.listed(chunks, 0, len(chunks.file), prefix, "", plain)


def _described_scalar(metadata: GroupMetadata, entry: VariableEntry) -> Described:
    count = len(metadata.steps)
    return Described(entry.name, (count,), (max(1, count),), True, tuple(entry.dimensions))


def _scalar(metadata: GroupMetadata, entry: VariableEntry) -> Iterator[Entry]:
    """One number for each step, in the reference itself."""
    numbers = [step.scalars.get(entry.name, 0) for step in metadata.steps]
    if numbers:
        values = np.array(numbers, entry.numpy_dtype())
        yield f"{entry.name}/0", "base64:" + base64.b64encode(values.tobytes()).decode()


def _documents(metadata: GroupMetadata, described: Sequence[Described]) -> tuple[bytes, bytes]:
    """The documents of Zarr 2, and of Zarr 3, as `kerchunk_files` takes them."""
    shown = metadata.attributes | coordinates(metadata)
    texts = {".zgroup": json.dumps({"zarr_format": 2}), ".zattrs": json.dumps(shown)}
    for one in described:
        entry = metadata.entries[one.name]
        kind, shape, chunk = entry.numpy_dtype(), list(one.shape), list(one.chunk)
        array = zarr_array(kind, shape, chunk, entry.codec, whole=one.whole)
        texts[f"{one.name}/.zarray"] = json.dumps(array)
        attributes = entry.attributes | {"_ARRAY_DIMENSIONS": list(one.dimensions)}
        texts[f"{one.name}/.zattrs"] = json.dumps(attributes)
    return encoded(texts), encoded(_modern(metadata, {one.name: one for one in described}))


def _modern(metadata: GroupMetadata, described: dict[str, Described]) -> dict[str, str]:
    """The same in Zarr 3, of all variables or of none: a reader takes one version for the group."""
    found = {DOCUMENT: json.dumps(zarr3_group(metadata.attributes | coordinates(metadata)))}
    for entry in metadata.variables:
        one = described[entry.name]
        modern = zarr3_array(
            entry.numpy_dtype(), one.shape, one.chunk, entry.codec, one.dimensions, entry.attributes
        )
        if modern is None:
            return {}
        found[f"{entry.name}/{DOCUMENT}"] = json.dumps(modern)
    return found
