"""Verification and repair: every stored byte read and compared with its checksum; what dead writers left, removed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from striate.errors import StorageError, StriateError
from striate.runtime.front import PathLike
from striate.runtime.group_front import open_group
from striate.runtime.move.communicator.ranks import OneRank
from striate.runtime.move.groups.commit import unused_files
from striate.runtime.move.snapshot import hold_snapshot, newest
from striate.runtime.store.chunks import ChunkReader, ChunkTable
from striate.runtime.store.codec import pipeline_from_configs
from striate.runtime.store.commit import leftovers, remove
from striate.runtime.store.files import Store, SubfileReader, check_directories, read_metadata
from striate.runtime.store.group_metadata import MAGIC, GroupMetadata, decode_group
from striate.runtime.store.lock import Unfinished, take_lock, unfinished_writes
from striate.runtime.store.metadata import Metadata, SubFile, decode
from striate.runtime.store.reference import array_references


@dataclass(frozen=True)
class DatasetCheck:
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
) -> DatasetCheck:
    """Read and check all of a dataset; damage is a finding, a dataset that cannot be understood is raised.

    A concurrent writer is no fault: the generation that was newest at the start is checked.
    """
    store = _given_store(path, directories)
    if (left := _first_write_left(store)) is not None:
        raise StorageError(left, 2, at=str(store.path))
    if read_metadata(store).startswith(MAGIC):
        return _verify_group(store, codecs, progress)
    files = SubfileReader(store)

    def take(content: bytes) -> tuple[Metadata, list[SubFile]]:
        metadata = decode(content, str(store.metadata_path))
        files.store = store.or_stored(metadata.directories)
        return metadata, metadata.subfiles

    metadata, _ = hold_snapshot(OneRank(), store, files, newest(OneRank(), store), take)
    store = files.store
    check_directories(store, metadata.servers, own=metadata.own_directories)
    reader = ChunkReader(
        metadata.grid(), ChunkTable.of(metadata), pipeline_from_configs(metadata.codec, codecs), files
    )
    try:
        findings = list(_damaged_chunks(reader, progress))
    finally:
        files.close()
    missing = metadata.chunks.file.count(-1)
    return DatasetCheck(
        tuple(metadata.shape),
        str(metadata.numpy_dtype()),
        metadata.grid().chunks,
        missing,
        reader.read_bytes,
        tuple(findings),
        (*_notes(store, metadata), *_reference_notes(store, array_references(metadata, store))),
    )


def _verify_group(store: Store, codecs: Sequence[str], progress: Callable[[int], None]) -> DatasetCheck:
    """Every chunk of every variable and step."""
    findings: list[str] = []
    chunks = missing = checked = 0
    with open_group(None, store.path, directories=store.directories or None, codecs=codecs) as group:
        for place, state in group.stored_states(findings):
            reader = ChunkReader(state.grid, state.table, state.pipeline, group.files)
            findings += [f"{place}: {finding}" for finding in _damaged_chunks(reader, progress)]
            chunks, checked = chunks + state.grid.chunks, checked + reader.read_bytes
            missing += int((state.table.file < 0).sum())
            group.files.hold([])
        metadata, store = group.metadata, store.or_stored(group.metadata.directories)
        names = f"a group of {len(group.variables)} variables and {len(group.steps)} steps"
        return DatasetCheck(
            (), names, chunks, missing, checked, tuple(findings), tuple(_notes(store, metadata))
        )


def repair(path: PathLike, *, directories: Sequence[PathLike] | None = None) -> int:
    """Remove the leftover files of interrupted writers; returns how many there were. Refuses while a program writes.

    Nothing of the dataset itself is changed: damage is found by `verify`, and repaired by writing again.
    """
    store = _given_store(path, directories)
    metadata = _any_metadata(store)
    if metadata is not None:
        store = store.or_stored(metadata.directories)
        check_directories(store, metadata.servers, own=metadata.own_directories)
    lock = take_lock(store.path, Unfinished("", []))
    try:
        now = None if metadata is None else _any_metadata(store)  # as it is with the lock
        return remove(_orphans(store, now, lock.holder.unfinished))
    finally:
        lock.leave()


def _any_metadata(store: Store) -> Metadata | GroupMetadata | None:
    """What the metadata file says, of an array or a group; None when a first write was interrupted."""
    if _first_write_left(store):
        return None
    content, source = read_metadata(store), str(store.metadata_path)
    return decode_group(content, source) if content.startswith(MAGIC) else decode(content, source)


def _given_store(path: PathLike, directories: Sequence[PathLike] | None) -> Store:
    return Store(Path(path), tuple(Path(folder) for folder in directories or ()))


def _damaged_chunks(reader: ChunkReader, progress: Callable[[int], None]) -> Iterator[str]:
    scratch = np.empty(reader.grid.chunk_bytes, np.uint8)
    used = reader.grid.total_bytes - (reader.grid.chunks - 1) * reader.grid.chunk_bytes
    for chunk in range(reader.grid.chunks):
        try:
            reader.load(chunk, scratch)
            if chunk == reader.grid.chunks - 1 and scratch[used:].any():
                yield f"chunk {chunk}: expected zeros past the end of the array"
        except StriateError as error:
            yield str(error)
        progress(1)


def _notes(store: Store, metadata: Metadata | GroupMetadata) -> Iterator[str]:
    unfinished = unfinished_writes(store.path)
    if unfinished is None:
        yield "a program is writing the dataset"
        return
    spare = len(list(_orphans(store, metadata, unfinished)))
    if spare:
        yield f"{spare} files belong to no completed write; the next write or `striate repair` removes them"
    unseen = {folder for one in unfinished for folder in one.directories} - _absolute(store.directories)
    if unseen:
        yield f"an interrupted write may have left files in {', '.join(sorted(unseen))}"


def _reference_notes(store: Store, expected: Mapping[str, bytes | None]) -> Iterator[str]:
    for name, content in expected.items():
        reference = store.path / name
        if reference.exists() and reference.read_bytes() != content:
            yield f"{name} does not fit the metadata: the dataset was moved, or a write was interrupted"


def _first_write_left(store: Store) -> str | None:
    """What to say of a directory where no write was ever completed, but one was begun."""
    if store.metadata_path.exists() or not store.path.is_dir() or not unfinished_writes(store.path):
        return None
    return "no complete dataset here: its first write was interrupted; `striate repair` removes its files"


def _orphans(
    store: Store, metadata: Metadata | GroupMetadata | None, unfinished: list[Unfinished]
) -> Iterator[Path]:
    """Files of the dataset's directory, and of the servers' own, that are in no use."""
    folders = [folder for folder in store.directories if folder.is_dir()]
    if isinstance(metadata, GroupMetadata):
        for folder in (store.path, *folders):
            yield from unused_files(folder, store, metadata)
        known = {one.identity for one in unfinished} - {metadata.identity}
    else:
        keep = set() if metadata is None else {subfile.name for subfile in metadata.subfiles}
        yield from leftovers(store.path, keep, None)
        known = {one.identity for one in unfinished} | (set() if metadata is None else {metadata.identity})
    for folder in folders:
        yield from leftovers(
            folder, {subfile.name for subfile in metadata.subfiles} if metadata else set(), known
        )


def _absolute(folders: Sequence[Path]) -> set[str]:
    return {str(folder.absolute()) for folder in folders}
