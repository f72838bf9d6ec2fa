"""What a dataset is, on one screen: read from its metadata alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from striate import units
from striate.runtime.store.files import Store, read_metadata
from striate.runtime.store.group_metadata import MAGIC, GroupMetadata, decode_group
from striate.runtime.store.lock import unfinished_writes
from striate.runtime.store.metadata import FILE_NAME, decode


@dataclass(frozen=True)
class DatasetDescription:
    """The facts of a dataset; bytes are those of the array, and those of the sub-files on disk."""

    path: str
    shape: tuple[int, ...]
    dtype: str
    generation: int
    array_bytes: int
    stored_bytes: int
    subfile_bytes: int
    chunks: int
    chunk_shape: tuple[int, ...]
    never_written: int
    codec: tuple[dict[str, Any], ...]
    servers: int
    own_directories: bool
    directories: tuple[str, ...]  # of the servers; none when all lie in one
    layout: str
    subfiles: int
    state: str

    def __str__(self) -> str:
        named = ", ".join(str(config.get("id")) for config in self.codec) or "none"
        placed = self.layout or f"blocks, round-robin over {self.servers} servers"
        where = _placed(self.own_directories, self.directories)
        rows = {
            "array": f"{self.dtype} {self.shape}, {units.about_size(self.array_bytes)}",
            "stored": f"{units.about_size(self.stored_bytes)} in use of {units.about_size(self.subfile_bytes)} "
            f"in {self.subfiles} sub-files",
            "chunks": f"{self.chunks} of {self.chunk_shape}, {self.never_written} never written (zeros)",
            "codec": named,
            "servers": f"{placed}{where}",
            "written": f"{self.generation} times; {self.state}",
        }
        lines = [f"  {name:<8} {value}" for name, value in rows.items()]
        return "\n".join([f"{self.path}: a dataset of striate.runtime", *lines])


def is_dataset(path: Path) -> bool:
    """True for a directory with the metadata file of a dataset."""
    return _begins(path, b"striate dataset ", MAGIC)


def is_group(path: Path) -> bool:
    """True for a directory with the metadata file of a group of variables."""
    return _begins(path, MAGIC)


def _begins(path: Path, *kinds: bytes) -> bool:
    try:
        with (path / FILE_NAME).open("rb") as file:
            return file.read(16).startswith(kinds)
    except OSError:
        return False


def describe(path: Path) -> DatasetDescription | GroupDescription:
    """The facts of the dataset or group at `path`; raises as opening it would."""
    store = Store(path, ())
    content = read_metadata(store)
    if content.startswith(MAGIC):
        return _describe_group(path, decode_group(content, str(store.metadata_path)))
    metadata = decode(content, str(store.metadata_path))
    grid = metadata.grid()
    return DatasetDescription(
        path=str(path),
        shape=grid.shape,
        dtype=str(metadata.numpy_dtype()),
        generation=metadata.generation,
        array_bytes=grid.total_bytes,
        stored_bytes=sum(metadata.chunks.length),
        subfile_bytes=sum(subfile.bytes for subfile in metadata.subfiles),
        chunks=grid.chunks,
        chunk_shape=grid.chunk_shape,
        never_written=metadata.chunks.file.count(-1),
        codec=tuple(metadata.codec),
        servers=metadata.servers,
        own_directories=metadata.own_directories,
        directories=tuple(metadata.directories),
        layout=metadata.layout,
        subfiles=len(metadata.subfiles),
        state=_state(path),
    )


@dataclass(frozen=True)
class GroupDescription:
    """The facts of a group of variables."""

    path: str
    dimensions: dict[str, int]
    growing: str
    steps: int
    first_step: int
    generation: int
    attributes: dict[str, Any]
    variables: tuple[dict[str, Any], ...]
    servers: int
    own_directories: bool
    directories: tuple[str, ...]  # of the servers; none when all lie in one
    state: str

    def __str__(self) -> str:
        lengths = ", ".join(f"{name} {length}" for name, length in self.dimensions.items())
        grown = f", {self.growing} {self.steps} (grows; steps from {self.first_step})" if self.growing else ""
        rows = [f"  dimensions {lengths}{grown}"]
        for variable in self.variables:
            shown = " ".join(f"{name}={value}" for name, value in variable["attributes"].items())
            kind = ", ".join(variable["dimensions"]) + ("; lists" if variable["ragged"] else "")
            rows.append(f"  {variable['name']:<10} {variable['dtype']} ({kind}) {shown}".rstrip())
        rows += [f"  {name}: {value}" for name, value in self.attributes.items()]
        rows.append(f"  servers    {self.servers}{_placed(self.own_directories, self.directories)}")
        rows.append(f"  written    {self.generation} times; {self.state}")
        return "\n".join([f"{self.path}: a group of striate.runtime", *rows])


def _describe_group(path: Path, metadata: GroupMetadata) -> GroupDescription:
    return GroupDescription(
        path=str(path),
        dimensions=metadata.dimensions,
        growing=metadata.growing,
        steps=len(metadata.steps),
        first_step=metadata.first_step,
        generation=metadata.generation,
        attributes=metadata.attributes,
        variables=tuple(
            {
                "name": entry.name,
                "dtype": str(entry.numpy_dtype()),
                "dimensions": list(entry.dimensions),
                "codec": entry.codec,
                "ragged": bool(entry.chunk_elements),
                "attributes": entry.attributes,
            }
            for entry in metadata.variables
        ),
        servers=metadata.servers,
        own_directories=metadata.own_directories,
        directories=tuple(metadata.directories),
        state=_state(path),
    )


def _placed(own_directories: bool, directories: tuple[str, ...]) -> str:
    if not own_directories:
        return ""
    return ", each in a directory of its own" + (f": {', '.join(directories)}" if directories else "")


def _state(path: Path) -> str:
    unfinished = unfinished_writes(path)
    state = "a program is writing it" if unfinished is None else "no program is writing it"
    return f"{state}; a write was interrupted" if unfinished else state
