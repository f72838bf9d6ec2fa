"""`cluster_to_toml`: a machine written as the TOML that `load_cluster` reads back as the same machine."""

from __future__ import annotations

from typing import Any

import msgspec

from striate.cluster.cluster import Cluster
from striate.cluster.description.quantities import Bytes, BytesPerSecond, Ticks
from striate.errors import ClusterError
from striate.units import format_picoseconds, format_rate, format_size


def cluster_to_toml(cluster: Cluster) -> str:
    """TOML text that describes `cluster` exactly; refuses a machine that was made without a description."""
    import tomli_w

    if cluster.description is None:
        raise ClusterError(
            "this cluster was not loaded from a description, so no description of it can be written"
        )
    return tomli_w.dumps(_plain(cluster.description), multiline_strings=True)


def _plain(value: Any) -> Any:
    """Tables without what is left at its default, the tag of a tagged class first; quantities with their units."""
    if isinstance(value, msgspec.Struct):
        config = type(value).__struct_config__
        tag = {config.tag_field: config.tag} if config.tag_field else {}
        given = {
            field.name: (getattr(value, field.name), field.default) for field in msgspec.structs.fields(value)
        }
        return tag | {
            name: _plain(found)
            for name, (found, default) in given.items()
            if default is msgspec.NODEFAULT or found != default
        }
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Bytes):
        return format_size(value)
    if isinstance(value, Ticks):
        return format_picoseconds(value)
    if isinstance(value, BytesPerSecond):
        return format_rate(value)
    if isinstance(value, bool | str):
        return value
    return int(value) if isinstance(value, int) else float(value)
