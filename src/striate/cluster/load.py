"""`load_cluster`: a machine from a TOML file, or a bundled one by name."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from striate.cluster.cluster import Cluster
from striate.decoders import toml_mistake
from striate.errors import ClusterError

LARGEST_FILE_BYTES = 16 * 1024**2
_DATA = Path(__file__).parent / "data"


def load_cluster(path: str | os.PathLike[str]) -> Cluster:
    """The machine of a TOML file, or a bundled one: `load_cluster("westmere")`.

    Raises ClusterError, one line with the path of the mistake and the file's name, for every file that is not
    a good description.
    """
    file, source = _find(path)
    try:
        return cluster_from_toml(_read(file))
    except ClusterError as error:
        raise error.in_source(source) from None


def bundled() -> tuple[str, ...]:
    """Names of the machines that come with the package."""
    return tuple(sorted(file.stem for file in _DATA.glob("*.toml")))


def cluster_from_toml(text: str) -> Cluster:
    """The machine that a TOML text describes; raises ClusterError."""
    return cluster_from_tables(_parse(text))


def cluster_from_tables(document: Mapping[str, Any]) -> Cluster:
    """The machine that nested tables (parsed TOML, or plain dictionaries) describe; raises ClusterError."""
    import msgspec

    from striate.cluster.build import build
    from striate.cluster.description import Description
    from striate.cluster.mistakes import cluster_error
    from striate.cluster.quantities import decode

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
            f"no such file, and no bundled machine of this name ({known})", source=_printable(name)
        )
    return Path(name), _printable(name)


def _printable(name: str) -> str:
    return name if name.isprintable() else ascii(name)


def _read(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            content = stream.read(LARGEST_FILE_BYTES + 1)
    except OSError as error:
        raise ClusterError(f"cannot read the file: {error.strerror}") from None
    if len(content) > LARGEST_FILE_BYTES:
        raise ClusterError(f"expected a file of at most {LARGEST_FILE_BYTES // 1024**2} MiB, got more")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ClusterError("expected UTF-8 text", at=f"byte {error.start}") from None


def _parse(text: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ClusterError("not TOML: nested too deeply") from None
    except ValueError as error:  # also numbers of more than 4300 digits, which the parser does not expect
        message, where = toml_mistake(error)
        raise ClusterError(f"not TOML: {ascii(message)[1:-1]}", at=where) from None
