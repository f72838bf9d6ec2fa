"""`load_cluster`: a machine from a TOML file, or a bundled one by name."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from striate.cluster.cluster import Cluster
from striate.errors import ClusterError
from striate.toml import parse_toml, read_toml

_DATA = Path(__file__).parent / "data"


def load_cluster(path: str | os.PathLike[str]) -> Cluster:
    """The machine of a TOML file, or a bundled one: `load_cluster("westmere")`.

    Raises ClusterError, one line with the path of the mistake and the file's name, for every file that is not
    a good description.
    """
    file, source = _find(path)
    try:
        return cluster_from_tables(_tables(file))
    except ClusterError as error:
        raise error.in_source(source) from None


def bundled() -> tuple[str, ...]:
    """Names of the machines that come with the package."""
    return tuple(sorted(file.stem for file in _DATA.glob("*.toml")))


def cluster_from_toml(text: str) -> Cluster:
    """The machine that a TOML text describes; raises ClusterError."""
    return cluster_from_tables(parse_toml(text, ClusterError))


def cluster_from_tables(document: Mapping[str, Any]) -> Cluster:
    """The machine that nested tables (parsed TOML, or plain dictionaries) describe; raises ClusterError."""
    import msgspec

    from striate.cluster.build import build
    from striate.cluster.description.mistakes import cluster_error
    from striate.cluster.description.quantities import decode
    from striate.cluster.description.tables import Description

    try:
        description = msgspec.convert(document, Description, strict=True, dec_hook=decode)
    except msgspec.ValidationError as error:
        raise cluster_error(error, document) from None
    return build(description)


def _find(path: str | os.PathLike[str]) -> tuple[Path, str]:
    name = os.fspath(path)
    if name in bundled():
        return _DATA / f"{name}.toml", name
    if "\0" in name or not os.path.lexists(name):
        known = ", ".join(bundled())
        raise ClusterError(
            f"there is no such file, and no bundled cluster description of this name (bundled: {known})",
            source=_printable(name),
        )
    return Path(name), _printable(name)


def _printable(name: str) -> str:
    return name if name.isprintable() else ascii(name)


def _tables(file: Path) -> dict[str, Any]:
    try:
        return read_toml(file, ClusterError)
    except OSError as error:
        raise ClusterError(f"cannot read the file: {error.strerror}") from None
