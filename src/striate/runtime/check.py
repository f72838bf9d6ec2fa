"""Verification: every stored byte of a dataset read and compared with its checksum."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from striate.errors import StriateError
from striate.runtime.store.chunks import ChunkReader, ChunkTable
from striate.runtime.store.codec import pipeline_from_configs
from striate.runtime.front import PathLike
from striate.runtime.store.metadata import Metadata
from striate.runtime.store.reference import FILE_NAME, reference_bytes
from striate.runtime.store.files import Store, SubfileReader, check_directories, load_metadata


@dataclass(frozen=True)
class Verdict:
    """What was found: `findings` are sentences, empty for a sound dataset; `notes` are no faults."""

    shape: tuple[int, ...]
    dtype: str
    chunks: int
    missing: int  # chunks never written: zeros
    checked_bytes: int
    findings: tuple[str, ...]
    notes: tuple[str, ...]


def verify(
    path: PathLike,
    *,
    directories: Sequence[PathLike] | None = None,
    codecs: Sequence[str] = (),
    progress: Callable[[int], None] = lambda chunks: None,
) -> Verdict:
    """Read and check all of a dataset; damage is a finding, a dataset that cannot be understood is raised."""
    store = Store(Path(path), tuple(Path(folder) for folder in directories or ()))
    metadata = load_metadata(store)
    check_directories(store, metadata.servers, own=metadata.own_directories)
    files = SubfileReader(store)
    reader = ChunkReader(
        metadata.grid(), ChunkTable.of(metadata), pipeline_from_configs(metadata.codec, codecs), files
    )
    try:
        findings = list(_damaged_chunks(reader, progress))
    finally:
        files.close()
    missing = metadata.chunks.file.count(-1)
    return Verdict(
        tuple(metadata.shape),
        str(metadata.numpy_dtype()),
        metadata.grid().chunks,
        missing,
        reader.read_bytes,
        tuple(findings),
        tuple(_notes(store, metadata)),
    )


def _damaged_chunks(reader: ChunkReader, progress: Callable[[int], None]) -> Iterator[str]:
    scratch = np.empty(reader.grid.chunk_bytes, np.uint8)
    used = reader.grid.total_bytes - (reader.grid.chunks - 1) * reader.grid.chunk_bytes
    for chunk in range(reader.grid.chunks):
        try:
            reader.load(chunk, scratch)
            if chunk == reader.grid.chunks - 1 and scratch[used:].any():
                yield f"chunk {chunk}: expected zeros behind the end of the array"
        except StriateError as error:
            yield str(error)
        progress(1)


def _notes(store: Store, metadata: Metadata) -> Iterator[str]:
    known = {subfile.name for subfile in metadata.subfiles}
    spare = [path for path in store.path.glob("*.blocks") if path.name not in known]
    if spare:
        yield f"{len(spare)} files belong to no write that was completed; the next write removes them"
    reference = store.path / FILE_NAME
    if reference.exists() and reference.read_bytes() != reference_bytes(metadata, store):
        yield f"{FILE_NAME} does not fit the metadata: the dataset was moved, or a write was interrupted"
