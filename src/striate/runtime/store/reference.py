"""The reference: the dataset as Zarr chunks in files, for readers that know nothing of Striate."""

from __future__ import annotations

import base64
import json
from typing import Any

import msgspec
import numpy as np

from striate.runtime.store.dtypes import flat_dtype
from striate.runtime.store.files import Store
from striate.runtime.store.metadata import Metadata
from striate.runtime.store.zarr3 import DOCUMENT, zarr3_array, zarr3_group

FILE_NAME = "reference.json"
ZARR3_NAME = "reference-zarr3.json"


def array_references(metadata: Metadata, store: Store) -> dict[str, bytes | None]:
    """Kerchunk references (version 1) to one Zarr array called `data`, by file name; None where Zarr 3 has no words."""
    whole = -1 not in metadata.chunks.file
    kind, names = metadata.numpy_dtype(), dimensions(metadata)
    shapes = (metadata.shape, metadata.chunk_shape, metadata.codec)
    old: dict[str, Any] = {
        ".zgroup": json.dumps({"zarr_format": 2}),
        "data/.zarray": json.dumps(zarr_array(kind, *shapes, whole=whole)),
        "data/.zattrs": json.dumps({"_ARRAY_DIMENSIONS": names}),
    }
    array = zarr3_array(kind, *shapes, names, {})
    new = {}
    if array is not None:
        new = {DOCUMENT: json.dumps(zarr3_group({})), f"data/{DOCUMENT}": json.dumps(array)}
    return kerchunk_files(encoded(old), encoded(new), _chunks(metadata, store), store)


def _chunks(metadata: Metadata, store: Store) -> dict[str, Any]:
    grid, columns, found = metadata.grid(), metadata.chunks, {}
    parts = [-(-length // part) for length, part in zip(grid.shape, grid.chunk_shape, strict=True)]
    names = [location(store, subfile.server, subfile.name) for subfile in metadata.subfiles]
    for chunk, corner in enumerate(np.ndindex(*parts)):
        if columns.file[chunk] < 0:
            continue
        length = columns.length[chunk] if metadata.codec else grid.chunk_bytes
        key = "data/" + ".".join(map(str, corner))
        found[key] = [names[columns.file[chunk]], columns.offset[chunk], length]
    return found


def encoded(documents: dict[str, str]) -> bytes:
    """Documents as the beginning of an object in JSON; nothing of none."""
    return msgspec.json.encode(documents)[:-1] if documents else b""


def kerchunk_files(old: bytes, new: bytes, chunks: dict[str, Any], store: Store) -> dict[str, bytes | None]:
    """The files of Zarr 2's documents and of Zarr 3's, with the same chunks: a reader wants one version in a file.

    Sub-files are named through the template `u`, the dataset's directory: a reader of a dataset that was moved gives
    `template_overrides={"u": new_directory}`.
    """
    templates = msgspec.json.encode({"u": str(store.path.absolute())})
    listed = msgspec.json.encode(chunks)[1:]

    def content(documents: bytes) -> bytes:
        comma = b"," if chunks else b""
        return b'{"version":1,"templates":%b,"refs":%b%b%b}\n' % (templates, documents, comma, listed)

    return {FILE_NAME: content(old), ZARR3_NAME: content(new) if new else None}


def zarr_array(
    dtype: np.dtype[Any], shape: list[int], chunk: list[int], codec: list[dict[str, Any]], *, whole: bool
) -> dict[str, Any]:
    """The `.zarray` of an array; of a `whole` one every chunk was written."""
    flat = flat_dtype(dtype)
    plain = flat.names is None
    fill: Any = base64.b64encode(bytes(flat.itemsize)).decode()
    if plain and flat.kind in "iufb":
        fill = False if flat.kind == "b" else 0
    if whole:
        fill = None  # nothing to fill, and xarray would take a fill value for "missing"
    return {
        "zarr_format": 2,
        "shape": shape,
        "chunks": chunk,
        "dtype": flat.str if plain else flat.descr,
        "compressor": codec[-1] if codec else None,
        "filters": codec[:-1] or None,
        "fill_value": fill,
        "order": "C",
    }


def dimensions(metadata: Metadata) -> list[str]:
    """Names of the axes, which xarray asks for."""
    return [f"axis_{axis}" for axis in range(len(metadata.shape))]


def location(store: Store, server: int, name: str) -> str:
    """How the reference names a sub-file."""
    if store.directories:
        return str(store.folder(server).absolute() / name)
    return "{{u}}/" + name
