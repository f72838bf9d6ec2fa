"""The metadata file: one line that says what follows and its checksum, then JSON; read as if by an enemy's hand."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import numpy as np
import xxhash

from striate.errors import DamageError, DatasetError
from striate.runtime.plan.grid import MOST_CHUNKS, Grid
from striate.runtime.store.dtypes import dtype_from_description
from striate.units import LARGEST

FILE_NAME = "metadata.json"
VERSION = 1
MOST_BYTES = 2**28
MOST_SERVERS = 2**16
MOST_ALIGNMENT = 2**20
# A part of the first axis is rounded, so a plan for many pieces may end somewhat above MOST_CHUNKS.
MOST_LISTED = 4 * MOST_CHUNKS
_IDENTITY = re.compile(r"[0-9a-f]{16}")
SUBFILE_NAME = re.compile(r"([0-9a-f]{16})-[0-9]{8}-[0-9]{1,5}[a-z]{0,3}\.blocks")


class SubFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file of blocks, written by one server: `name` alone, no directory."""

    name: str
    server: int
    bytes: int


class Chunks(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One row per chunk: sub-file (-1: never written, reads as zeros), offset, stored bytes and their checksum."""

    file: list[int]
    offset: list[int]
    length: list[int]
    checksum: list[int]


class Metadata(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All that a reader needs to know of a dataset."""

    version: int
    identity: str
    generation: int
    shape: list[int]
    dtype: Any
    chunk_shape: list[int]
    codec: list[dict[str, Any]]
    servers: int
    own_directories: bool
    block_chunks: int
    layout: str
    subfiles: list[SubFile]
    chunks: Chunks
    hdf5: bool = False  # an HDF5 reference is made with every commit
    alignment: int = 4096  # bytes, of which each uncompressed chunk begins at a multiple
    directories: list[str] = []  # of the servers, where they have their own: as the last writer knew them

    def grid(self) -> Grid:
        """The division of the array into chunks."""
        return Grid(tuple(self.shape), self.numpy_dtype().itemsize, tuple(self.chunk_shape))

    def numpy_dtype(self) -> np.dtype[Any]:
        """The type of an element."""
        return dtype_from_description(self.dtype)


def subfile_name(identity: str, generation: int, server: int, attempt: int = 0) -> str:
    """The name of the file that `server` writes for one generation of a dataset; other attempts end in letters."""
    letters = ""
    while attempt:
        attempt, letter = divmod(attempt - 1, 26)
        letters = chr(ord("a") + letter) + letters
    return f"{identity}-{generation:08d}-{server}{letters}.blocks"


def encode(metadata: Metadata) -> bytes:
    """The bytes of the metadata file."""
    body = msgspec.json.encode(metadata) + b"\n"
    return _heading(body) + body


def decode(content: bytes, source: str) -> Metadata:
    """The metadata in `content`, checked; raises DamageError for other bytes, DatasetError for a wrong meaning."""
    heading, newline, body = content.partition(b"\n")
    if content.startswith(b"striate group "):
        raise DatasetError(
            "expected a single array, found a group of variables: use `open_group`", source=source
        )
    if not content.startswith(b"striate dataset ") or not newline:
        raise DamageError("expected the metadata of a Striate dataset, found other bytes", source=source)
    if heading + newline != _heading(body):
        raise DamageError("the dataset's metadata is damaged: its checksum differs", source=source)
    try:
        metadata = msgspec.json.decode(body, type=Metadata)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DatasetError(str(error), source=source) from None
    try:
        _check(metadata)
    except DatasetError as error:
        raise error.in_source(source) from None
    return metadata


def _heading(body: bytes) -> bytes:
    return b"striate dataset %d %s %d\n" % (
        VERSION,
        xxhash.xxh3_128_hexdigest(body).encode(),
        len(body),
    )


def _check(metadata: Metadata) -> None:
    if metadata.version != VERSION:
        raise DatasetError(f"expected version {VERSION}, got {metadata.version}", at="$.version")
    if not _IDENTITY.fullmatch(metadata.identity):
        raise DatasetError(
            f"expected the identity in the dataset's metadata as 16 hexadecimal digits, got {metadata.identity!r:.60}",
            at="$.identity",
        )
    if not 1 <= metadata.servers <= MOST_SERVERS or not 0 <= metadata.generation < 10**8:
        raise DatasetError(
            f"expected 1 to {MOST_SERVERS} servers in the dataset's metadata and 0 to 10^8 - 1 completed writes "
            f"(the generation), got {metadata.servers!s:.30} servers and generation {metadata.generation!s:.30}",
            at="$.servers",
        )
    if not 1 <= metadata.block_chunks <= LARGEST or len(metadata.layout) > 4096:
        raise DatasetError(
            "expected block_chunks of at least 1 and a text `layout` of at most 4096 characters in the dataset's "
            f"metadata, got {metadata.block_chunks!s:.30} and a text of {len(metadata.layout)} characters",
            at="$.block_chunks",
        )
    check_alignment(metadata.alignment)
    check_directory_names(metadata.directories, metadata.servers, own=metadata.own_directories)
    grid = metadata.grid()
    if grid.chunks > MOST_LISTED:
        found = f"the array is divided into {grid.chunks} chunks, expected at most {MOST_LISTED}: use larger chunks"
        raise DatasetError(found, at="$.chunk_shape")
    for number, subfile in enumerate(metadata.subfiles):
        check_subfile(metadata.identity, metadata.servers, subfile, f"$.subfiles[{number}]")
    sizes, raw = [grid.chunk_bytes] * grid.chunks, [not metadata.codec] * grid.chunks
    check_chunks(metadata.chunks, metadata.subfiles, sizes, raw)


def check_alignment(alignment: int) -> None:
    """Refuse an alignment that would waste more than it helps."""
    if not 1 <= alignment <= MOST_ALIGNMENT:
        raise DatasetError(
            f"expected in the dataset's metadata an alignment from 1 to {MOST_ALIGNMENT} bytes, got {alignment}",
            at="$.alignment",
        )


def check_directory_names(names: list[str], servers: int, *, own: bool) -> None:
    """Refuse directories that are not one absolute path for each server."""
    if not names:
        return
    if not own:
        raise DatasetError(
            f"expected in the dataset's metadata no server directories without `own_directories`, got {len(names)}",
            at="$.directories",
        )
    if len(names) != servers:
        raise DatasetError(
            f"expected in the dataset's metadata a directory for each of {servers} servers, got {len(names)}",
            at="$.directories",
        )
    for number, name in enumerate(names):
        if not name.startswith("/") or "\0" in name or len(name) > 4096:
            raise DatasetError(
                f"expected in the dataset's metadata an absolute path of a server's directory, got {name!r:.60}",
                at=f"$.directories[{number}]",
            )


def check_subfile(identity: str, servers: int, subfile: SubFile, at: str) -> None:
    """Refuse a sub-file that is not this dataset's, of a server that it has."""
    if not SUBFILE_NAME.fullmatch(subfile.name) or not subfile.name.startswith(identity):
        raise DatasetError(
            f"expected in the dataset's metadata the name of one of its sub-files, got {subfile.name!r}",
            at=at,
        )
    if not 0 <= subfile.server < servers:
        raise DatasetError(
            f"expected in the dataset's metadata a server from 0 to {servers - 1} for a sub-file, got {subfile.server}",
            at=at,
        )
    if not 0 <= subfile.bytes <= LARGEST:
        raise DatasetError(
            f"expected in the dataset's metadata a sub-file of 0 to 2^63 - 1 bytes, got {subfile.bytes}",
            at=at,
        )


def check_chunks(columns: Chunks, subfiles: list[SubFile], sizes: list[int], raw: list[bool]) -> None:
    """Refuse chunks that do not lie within their sub-files; `sizes` are of whole chunks, `raw` the uncompressed."""
    for name in ("file", "offset", "length", "checksum"):
        found = len(getattr(columns, name))
        if found != len(sizes):
            raise DatasetError(f"expected {len(sizes)} rows, got {found}", at=f"$.chunks.{name}")
    rows = zip(columns.file, columns.offset, columns.length, columns.checksum, sizes, raw, strict=True)
    for chunk, (file, offset, length, checksum, size, is_raw) in enumerate(rows):
        if file == -1 and offset == length == checksum == 0:
            continue
        longest = size + size // 2 + MOST_ALIGNMENT  # a codec may lengthen, but not without end
        known = 0 <= file < len(subfiles)
        inside = known and offset >= 0 and 0 < length <= longest
        if not inside or offset + length > subfiles[file].bytes or not 0 <= checksum < 2**64:
            raise DatasetError(
                f"expected in the dataset's metadata a chunk within a sub-file, got {length} bytes at offset {offset} "
                f"of sub-file {file}",
                at=f"$.chunks[{chunk}]",
            )
        if is_raw and length < size:
            raise DatasetError(f"expected {size} bytes, got {length}", at=f"$.chunks[{chunk}]")
