"""The commit: new sub-files become the dataset when the metadata file is replaced, and not before."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from striate.errors import StriateError
from striate.runtime.store import metadata as meta
from striate.runtime.move.collective import Collective
from striate.runtime.store.chunks import ChunkTable
from striate.runtime.store.reference import FILE_NAME as REFERENCE_NAME
from striate.runtime.store.reference import reference_bytes
from striate.runtime.move.state import State
from striate.runtime.store.files import load_metadata, old_files, replace_file

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Written:
    """The chunks that one operation wrote anew: where each lies in its server's new sub-file."""

    chunks: Int64
    offsets: Int64
    lengths: Int64
    checksums: npt.NDArray[np.uint64]


def merged_table(state: State, written: Written) -> ChunkTable:
    """The table with the new chunks in it; sub-files that no chunk needs any more are left out."""
    servers = state.plan.server_of_chunk[written.chunks]
    ends = {
        int(server): int((written.offsets + written.lengths)[servers == server].max())
        for server in np.unique(servers)
    }
    old = state.table
    numbers = {server: len(old.subfiles) + at for at, server in enumerate(ends)}
    file, offset, length, checksum = (
        old.file.copy(),
        old.offset.copy(),
        old.length.copy(),
        old.checksum.copy(),
    )
    file[written.chunks] = [numbers[int(server)] for server in servers]
    offset[written.chunks] = written.offsets
    length[written.chunks] = written.lengths
    checksum[written.chunks] = written.checksums
    added = [
        meta.SubFile(meta.subfile_name(state.identity, state.generation + 1, server), server, end)
        for server, end in ends.items()
    ]
    return _without_unused(ChunkTable(file, offset, length, checksum, [*old.subfiles, *added]))


def _without_unused(table: ChunkTable) -> ChunkTable:
    used = np.unique(table.file[table.file >= 0])
    renumbered = np.full(len(table.subfiles) + 1, -1, np.int64)
    renumbered[used] = np.arange(len(used))
    subfiles = [table.subfiles[int(number)] for number in used]
    return replace(table, file=renumbered[table.file], subfiles=subfiles)


def commit(state: State, table: ChunkTable) -> State:
    """Collective: make `table` the dataset, then remove what it replaced."""
    after = replace(state, table=table, generation=state.generation + 1, committed=True)
    replaced: set[str] = set()
    with Collective(state.ranks):
        if state.ranks.rank == 0:
            replaced = _identities(state)
            _replace_files(after)
    _clean(after, replaced)
    return after


def _replace_files(state: State) -> None:
    """The reference is ready before the metadata is replaced, and follows it by a rename."""
    metadata, store, sync = state.metadata(), state.store, state.options.sync
    path = store.path / REFERENCE_NAME
    part = path.with_name(f".{path.name}.part")
    if state.options.reference:
        part.write_bytes(reference_bytes(metadata, store))
    replace_file(store.metadata_path, meta.encode(metadata), sync=sync)
    if state.options.reference:
        part.replace(path)
    else:
        path.unlink(missing_ok=True)


def _identities(state: State) -> set[str]:
    """The dataset that is here now, and ours: their sub-files may be removed after the commit."""
    with contextlib.suppress(StriateError):
        return {load_metadata(state.store).identity, state.identity}
    return {state.identity}


def _clean(state: State, replaced: set[str]) -> None:
    """Remove sub-files that no metadata names. A file that stays behind costs space, nothing else."""
    keep = {subfile.name for subfile in state.table.subfiles}
    if not state.store.directories:
        if state.ranks.rank == 0:
            _unlink(old_files(state.store.path, keep, None))
        return
    known = state.ranks.broadcast(",".join(sorted(replaced)).encode(), 0).decode().split(",")
    for server, rank in enumerate(state.plan.server_ranks):
        if rank == state.ranks.rank:
            with contextlib.suppress(OSError):
                _unlink(
                    path
                    for path in old_files(state.store.folder(server), keep, set(known))
                    if path.stem.endswith(f"-{server}")
                )


def _unlink(paths: Iterable[Path]) -> None:
    for path in paths:
        with contextlib.suppress(OSError):
            path.unlink()
