"""The front door of groups: create one, or open one; the defaults live here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from striate import units
from striate.errors import DatasetError
from striate.runtime.front import (
    PathLike,
    closing_on_error,
    new_identity,
    plain_number,
    server_ranks_of,
    with_servers_names,
)
from striate.runtime.move.communicator.collective import Collective
from striate.runtime.move.communicator.group import group_of
from striate.runtime.move.folders import prepare_folders
from striate.runtime.move.groups.state import GroupState, Setting
from striate.runtime.move.session import Session
from striate.runtime.move.snapshot import newest
from striate.runtime.move.state import Options
from striate.runtime.plan.grid import plan_grid
from striate.runtime.plan.placement import chunks_per_block
from striate.runtime.store.chunks import ChunkTable
from striate.runtime.store.files import Store, check_directories
from striate.runtime.store.group_metadata import (
    VERSION,
    GroupMetadata,
    Rows,
    VariableEntry,
    decode_group,
    element_name,
)
from striate.runtime.store.group_tables import empty_tables
from striate.runtime.store.hdf5_reference import hdf5_library, refuse_compressed
from striate.runtime.variable_group import VariableGroup
from striate.runtime.variables import Variable, checked_attributes, checked_name

LIST_PARTS = 16  # chunks of lists in one of rows: the last chunk of a step is filled up with zeros


def create_group(
    comm: Any,
    path: PathLike,
    *,
    dimensions: Mapping[str, int | None],
    variables: Mapping[str, Variable],
    attributes: Mapping[str, Any] | None = None,
    keep: int | None = None,
    servers: int | Sequence[int] | None = None,
    group_factor: int = 1,
    directories: Sequence[PathLike] | None = None,
    buffer: units.Quantity = "64 MiB",
    chunk: units.Quantity = "1 MiB",
    sync: bool = False,
    reference: bool = True,
    hdf5: bool = False,
    share_memory: bool | int = True,
    alignment: units.Quantity | None = None,
) -> VariableGroup:
    """Collective: a new group of variables at `path`; what is there stays until the first write is complete.

    A dimension of length None grows: variables whose first dimension it is get a step with each `append_all`, of which
    the last `keep` are kept, or all. The other settings are those of `create`.
    """
    group = group_of(comm)
    ranks = group.ranks
    share_memory, group_factor = plain_number(share_memory), plain_number(group_factor)
    store = Store(Path(path), tuple(Path(folder) for folder in directories or ()))
    identity, block = new_identity(ranks, store, share_memory, plain_number(alignment))
    node = group.node(share_memory)
    session = Session(store, identity, first=ranks.rank == 0)
    same: dict[str, object] = {
        "path": str(store.path),
        "group": None,
        "buffer": None,
        "sync": (sync, reference, hdf5),
    }
    with closing_on_error(session), Collective(ranks, same=same):
        server_ranks = server_ranks_of(servers, ranks.size)
        check_directories(store, len(server_ranks), own=directories is not None)
        if not isinstance(group_factor, int) or not 1 <= group_factor <= len(server_ranks):
            raise DatasetError(
                f"expected a group factor (pieces per rank's part of an array) from 1 to {len(server_ranks)} "
                f"(the number of servers), got {group_factor}"
            )
        if keep is not None and plain_number(keep) < 1:
            raise DatasetError(
                f"expected `keep` to be a number of steps of at least 1, or None for all steps, got {keep}"
            )
        metadata = msgspec.structs.replace(
            _declared(dimensions, variables, attributes or {}),
            identity=identity,
            keep=0 if keep is None else int(keep),
            servers=len(server_ranks),
            own_directories=bool(store.directories),
            alignment=block,
            hdf5=hdf5,
        )
        if hdf5:
            hdf5_library()
            refuse_compressed(metadata.variables)
        setting = Setting(
            group=group,
            node=node,
            store=store,
            session=session,
            options=Options(block, sync, reference, hdf5, share_memory),
            buffer_bytes=units.size(plain_number(buffer)),
            codecs=tuple(str(config["id"]) for entry in metadata.variables for config in entry.codec),
            server_ranks=server_ranks,
            grouped=True,
        )
        metadata = _with_rows(
            GroupState(setting, metadata, committed=False), units.size(plain_number(chunk)), group_factor
        )
        prepare_folders(store, session, ranks, server_ranks)
        same["group"], same["buffer"] = metadata, setting.buffer_bytes
    setting = replace(setting, store=with_servers_names(store, ranks, server_ranks))
    return VariableGroup(GroupState(setting, metadata, committed=False))


def open_group(
    comm: Any,
    path: PathLike,
    *,
    directories: Sequence[PathLike] | None = None,
    codecs: Sequence[str] = (),
    buffer: units.Quantity = "64 MiB",
    sync: bool = False,
    reference: bool = True,
    share_memory: bool | int = True,
) -> VariableGroup:
    """Collective: the group at `path`, to be read, written or appended to by any number of ranks."""
    group = group_of(comm)
    ranks = group.ranks
    store = Store(Path(path), tuple(Path(folder) for folder in directories or ()))
    share_memory = plain_number(share_memory)
    content, stamp = newest(ranks, store, same={"path": str(store.path), "share_memory": share_memory})
    node = group.node(share_memory)
    with Collective(ranks, same={"settings": (str(buffer), sync, reference, sorted(codecs))}):
        metadata = decode_group(content, str(store.metadata_path))
        store = store.or_stored(metadata.directories)
        check_directories(store, metadata.servers, own=metadata.own_directories)
        setting = Setting(
            group=group,
            node=node,
            store=store,
            session=Session(store, metadata.identity, first=ranks.rank == 0),
            options=Options(metadata.alignment, sync, reference, metadata.hdf5, share_memory),
            buffer_bytes=units.size(plain_number(buffer)),
            codecs=tuple(codecs),
            server_ranks=(),
            grouped=False,
        )
        setting.session.stamp = stamp
    opened = VariableGroup(GroupState(setting, metadata, committed=True))
    opened.refresh()
    return opened


def _declared(
    dimensions: Mapping[str, int | None], variables: Mapping[str, Variable], attributes: Mapping[str, Any]
) -> GroupMetadata:
    """The group as it was declared, but for how it is stored."""
    growing = [checked_name(name) for name, length in dimensions.items() if length is None]
    if len(growing) > 1:
        raise DatasetError(f"expected at most one growing dimension (length None), got {', '.join(growing)}")
    lengths = {checked_name(name): int(length) for name, length in dimensions.items() if length is not None}
    entries = [entry for name, variable in variables.items() for entry in variable.entries(name)]
    if not entries:
        raise DatasetError("expected at least one variable, got none")
    _refuse_taken_names(entries, dimensions)
    for entry in entries:
        if entry.chunk_elements and len([name for name in entry.dimensions if name not in growing]) != 1:
            raise DatasetError(
                f"expected a ragged variable (rows of several lengths) along one dimension of fixed length, "
                f"got {entry.dimensions}",
                at=entry.name,
            )
        for place, name in enumerate(entry.dimensions):
            if name not in dimensions or (name in growing and place):
                raise DatasetError(
                    f"expected dimensions among {', '.join(dimensions)}, the growing one (length None) first, "
                    f"got {entry.dimensions}",
                    at=entry.name,
                )
            if place and lengths.get(name) == 0:
                raise DatasetError(
                    f"expected a length of the dimension {name!r} of at least 1, got 0", at=entry.name
                )
    return GroupMetadata(
        version=VERSION,
        identity="",
        generation=0,
        dimensions=lengths,
        growing=growing[0] if growing else "",
        variables=entries,
        attributes=checked_attributes(attributes, at="attributes"),
        rows={},
        servers=1,
        own_directories=False,
        keep=0,
        first_step=0,
        steps=[],
        subfiles=[],
        chunks=ChunkTable.empty(0).columns(),
    )


def _refuse_taken_names(entries: Sequence[VariableEntry], dimensions: Mapping[str, Any]) -> None:
    """Ragged variables bring variables and a dimension of their own."""
    seen: set[str] = set()
    for entry in entries:
        if entry.name in seen:
            raise DatasetError(
                f"the name {entry.name!r} is already used for the counts or starts of a ragged variable "
                "(rows of several lengths)"
            )
        if entry.chunk_elements and element_name(entry.name) in dimensions:
            raise DatasetError(
                f"the name of the dimension {element_name(entry.name)!r} is already used for a "
                "ragged variable (rows of several lengths)"
            )
        seen.add(entry.name)


def _with_rows(state: GroupState, chunk_bytes: int, group_factor: int) -> GroupMetadata:
    """How rows along each leading dimension are stored: chunks of the longest row's variable are near `chunk_bytes`."""
    metadata, ranks = state.metadata, state.ranks.size
    rows: dict[str, int] = {}
    for entry in metadata.variables:
        if metadata.is_scalar(entry) or entry.chunk_elements:
            continue
        name = state.leading(entry)
        others = [dimension for dimension in entry.dimensions if dimension not in (name, metadata.growing)]
        size = entry.numpy_dtype().itemsize
        for dimension in others:
            size *= metadata.dimensions[dimension]
        rows[name] = max(rows.get(name, 1), size)
    found = {}
    for name, size in rows.items():
        grid = plan_grid(
            (metadata.dimensions[name],),
            size,
            pieces=ranks * group_factor,
            chunk_bytes=max(1, chunk_bytes),
            alignment=state.setting.options.alignment,
        )
        found[name] = Rows(grid.chunk_shape[0], chunks_per_block(grid.chunks, ranks, group_factor))
    variables = [
        msgspec.structs.replace(
            entry, chunk_elements=max(1, chunk_bytes // LIST_PARTS // entry.numpy_dtype().itemsize)
        )
        if entry.chunk_elements
        else entry
        for entry in metadata.variables
    ]
    sized = msgspec.structs.replace(metadata, rows=found, variables=variables)
    return msgspec.structs.replace(sized, chunks=empty_tables(sized, growing=False).fixed.columns())
