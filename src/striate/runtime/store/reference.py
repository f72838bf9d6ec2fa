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

FILE_NAME = "reference.json"


def reference_bytes(metadata: Metadata, store: Store) -> bytes:
    """A kerchunk reference (version 1) to one Zarr array called `data`."""
    whole = -1 not in metadata.chunks.file
    array = zarr_array(
        metadata.numpy_dtype(), metadata.shape, metadata.chunk_shape, metadata.codec, whole=whole
    )
    refs: dict[str, Any] = {
        ".zgroup": json.dumps({"zarr_format": 2}),
        "data/.zarray": json.dumps(array),
        "data/.zattrs": json.dumps({"_ARRAY_DIMENSIONS": dimensions(metadata)}),
    }
    grid = metadata.grid()
    parts = [-(-length // part) for length, part in zip(grid.shape, grid.chunk_shape, strict=True)]
    names = [location(store, subfile.server, subfile.name) for subfile in metadata.subfiles]
    columns = metadata.chunks
    for chunk, corner in enumerate(np.ndindex(*parts)):
        if columns.file[chunk] < 0:
            continue
        length = columns.length[chunk] if metadata.codec else grid.chunk_bytes
        key = "data/" + ".".join(map(str, corner))
        refs[key] = [names[columns.file[chunk]], columns.offset[chunk], length]
    return kerchunk_bytes(refs, store)


def kerchunk_bytes(refs: dict[str, Any], store: Store) -> bytes:
    """The file's content. Sub-files are named through the template `u`, the dataset's directory: a reader of a dataset
    that was moved gives `template_overrides={"u": new_directory}`.
    """
    document = {"version": 1, "templates": {"u": str(store.path.absolute())}, "refs": refs}
    return msgspec.json.encode(document) + b"\n"


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
