"""The commit of a group: all variables of one call become part of it in one step, or none."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import xxhash

from striate.runtime.move.communicator.collective import Collective
from striate.runtime.move.groups.state import GroupState
from striate.runtime.move.writing import Writing
from striate.runtime.store.commit import Written, leftovers, merged_table, remove, write_content
from striate.runtime.store.files import Store, write_part
from striate.runtime.store.group_metadata import (
    GroupMetadata,
    Step,
    StepIndex,
    encode_group,
    encode_index,
    index_name,
)
from striate.runtime.store.group_tables import GroupTables
from striate.runtime.store.metadata import SubFile, subfile_name

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class PlacedVariables:
    """Where the chunks of some variables were written, the same chunks of each; arrays of them by variable."""

    names: Sequence[str]
    chunks: Int64  # numbers within a variable
    servers: Int64
    offsets: Int64
    lengths: Int64
    checksums: npt.NDArray[np.uint64]  # of all chunks of our domain

    @classmethod
    def by(cls, name: str, writing: Writing) -> PlacedVariables:
        """The chunks of a variable that was written by itself."""
        chunks, offsets, lengths = writing.placed()
        servers = writing.state.plan.server_of_chunk[chunks]
        return cls([name], chunks, servers, offsets[None], lengths[None], writing.checksums[None])


def joint_tables(
    state: GroupState, old: GroupTables, placed: Sequence[PlacedVariables], *, growing: bool
) -> GroupTables:
    """Collective: the tables of all variables, that grow or that do not, after these were written."""
    if not placed:
        return old
    checksums = _checksums(state, placed)
    firsts, first = {name: old.first_chunk(name) for name in old.ragged}, 0
    for entry in state.metadata.stored(growing=growing):
        firsts[entry.name] = first
        first += state.metadata.grid_of(entry).chunks
    parts, servers = [], []
    for one, known in zip(placed, checksums, strict=True):
        before = np.array([firsts[name] for name in one.names], np.int64)
        parts.append((before[:, None] + one.chunks, one.offsets, one.lengths, known[:, one.chunks]))
        servers.append(np.tile(one.servers, len(one.names)))
    columns = zip(*parts, strict=True)
    written = Written(*(np.concatenate([part.reshape(-1) for part in column]) for column in columns))
    metadata = state.metadata

    def name_of(server: int) -> str:
        return subfile_name(metadata.identity, metadata.generation + 1, server)

    return old.divided(merged_table(old.joined(), written, np.concatenate(servers), name_of))


def _checksums(state: GroupState, placed: Sequence[PlacedVariables]) -> list[Any]:
    """Collective: of each variable the checksums of all chunks, in one exchange."""
    table = state.ranks.gather_rows(np.concatenate([one.checksums.reshape(-1) for one in placed]))
    found, first = [], 0
    for one in placed:
        part = table[:, first : first + one.checksums.size].reshape(len(table), *one.checksums.shape)
        found.append(part.swapaxes(0, 1).reshape(len(one.names), -1))  # the ranks' domains side by side
        first += one.checksums.size
    return found


def with_static(state: GroupState, tables: GroupTables) -> GroupMetadata:
    """The group after variables that do not grow were written."""
    index = tables.index()
    return msgspec.structs.replace(
        state.metadata,
        generation=state.metadata.generation + 1,
        subfiles=index.subfiles,
        chunks=index.chunks,
        ragged=index.ragged,
    )


def with_step(
    state: GroupState, index: StepIndex, scalars: Mapping[str, float]
) -> tuple[GroupMetadata, bytes]:
    """The group with one step more, and the step's index file; steps beyond those to keep are dropped."""
    content = encode_index(index)
    generation = state.metadata.generation + 1
    step = Step(generation, len(content), xxhash.xxh3_128_hexdigest(content), dict(scalars))
    steps = [*state.metadata.steps, step]
    dropped = max(0, len(steps) - state.metadata.keep) if state.metadata.keep else 0
    metadata = msgspec.structs.replace(
        state.metadata,
        generation=generation,
        steps=steps[dropped:],
        first_step=state.metadata.first_step + dropped,
    )
    return metadata, content


def commit_group(
    state: GroupState, metadata: GroupMetadata, index: bytes | None, beside: Mapping[str, bytes | None]
) -> GroupState:
    """Collective: put the new metadata in place; the step's index is there before."""
    setting = state.setting
    if metadata.directories != setting.store.directory_names:
        metadata = msgspec.structs.replace(metadata, directories=setting.store.directory_names)
    with Collective(state.ranks):
        if state.ranks.rank == 0:
            setting.session.refuse_changed()
            sync = setting.options.sync
            if index is not None:
                path = setting.store.path / index_name(metadata.identity, metadata.generation)
                write_part(path, index, sync=sync).replace(path)
            write_content(setting.store, encode_group(metadata), beside, sync=sync).put_in_place()
            setting.session.caught_up()
    return replace(state, metadata=metadata, committed=True)


def remove_files(state: GroupState, subfiles: list[SubFile], indexes: list[str]) -> None:
    """Remove sub-files and indexes that nothing names any more: each server its own."""
    store = state.setting.store
    for subfile in subfiles:
        if _serves(state, subfile.server) == state.ranks.rank:
            remove([store.locate(subfile)])
    if state.ranks.rank == 0:
        remove(store.path / name for name in indexes)


def _serves(state: GroupState, server: int) -> int:
    chosen = state.setting.server_ranks
    return chosen[server] if chosen else server % state.ranks.size


def named_generations(metadata: GroupMetadata) -> set[int]:
    """The generations whose files are in use."""
    static = {int(subfile.name[17:25]) for subfile in metadata.subfiles}
    return static | {step.generation for step in metadata.steps}


def clean_group(state: GroupState) -> None:
    """Remove what writers that died left, each server in its own directory: all files of generations not in use."""
    store = state.setting.store
    folders = {store.folder(server) for server in range(state.metadata.servers)
               if _serves(state, server) == state.ranks.rank}  # fmt: skip
    if state.ranks.rank == 0:
        folders.add(store.path)
    for folder in folders:
        with contextlib.suppress(OSError):
            remove(unused_files(folder, store, state.metadata))


def unused_files(folder: Path, store: Store, metadata: GroupMetadata) -> Iterator[Path]:
    """Files in `folder` of writes that were interrupted or replaced."""
    used = named_generations(metadata)
    identities = None if folder == store.path else {metadata.identity}
    for path in leftovers(folder, set(), identities):
        ours = path.name[:16] == metadata.identity and path.name[17:25].isdigit()
        if not (ours and int(path.name[17:25]) in used):
            yield path
