"""Zarr version 3: documents of a reference of its own, with the same chunks as version 2's.

Only what the version's own specification has is written: numbers, and the codecs below. Their checksum, `crc32c`, is
checked by every Zarr reader. An array of records, or with another codec, is left to version 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

DOCUMENT = "zarr.json"
_SHUFFLES = {0: "noshuffle", 1: "shuffle", 2: "bitshuffle"}

Config = Mapping[str, Any]


def zarr3_group(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """The document of a group."""
    return {"zarr_format": 3, "node_type": "group", "attributes": dict(attributes)}


def zarr3_array(
    dtype: np.dtype[Any],
    shape: Sequence[int],
    chunk: Sequence[int],
    codec: Sequence[Config],
    dimensions: Sequence[str],
    attributes: Mapping[str, Any],
) -> dict[str, Any] | None:
    """The document of an array whose chunks have the keys of version 2; None where version 3 cannot say it."""
    codecs = _codecs(dtype, codec)
    if dtype.kind not in "biufc" or codecs is None:
        return None
    zero: Any = [0.0, 0.0] if dtype.kind == "c" else False if dtype.kind == "b" else 0
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(shape),
        "data_type": dtype.name,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(chunk)}},
        "chunk_key_encoding": {"name": "v2", "configuration": {"separator": "."}},
        "fill_value": zero,
        "codecs": codecs,
        "dimension_names": list(dimensions),
        "attributes": dict(attributes),
    }


def _codecs(dtype: np.dtype[Any], codec: Sequence[Config]) -> list[dict[str, Any]] | None:
    order = "big" if dtype.str[0] == ">" else "little"
    found: list[dict[str, Any]] = [{"name": "bytes", "configuration": {"endian": order}}]
    for config in codec:
        known = _codec(config, dtype.itemsize)
        if known is None:
            return None
        found.append(known)
    return found


def _codec(config: Config, item_bytes: int) -> dict[str, Any] | None:
    """A codec of numcodecs by the name and settings that version 3 gives it."""
    name = config["id"]
    if name == "crc32c" and config.get("location", "end") == "end":
        return {"name": name}
    if name == "gzip":
        return {"name": name, "configuration": {"level": config["level"]}}
    if name == "zstd":
        return {
            "name": name,
            "configuration": {"level": config["level"], "checksum": config.get("checksum", False)},
        }
    if name == "blosc" and config["shuffle"] in _SHUFFLES:
        settings = {key: config[key] for key in ("cname", "clevel", "blocksize")}
        return {
            "name": name,
            "configuration": settings | {"shuffle": _SHUFFLES[config["shuffle"]], "typesize": item_bytes},
        }
    return None
