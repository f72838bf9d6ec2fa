"""The front door: create a dataset, or open one; the defaults live here."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from striate import units
from striate.errors import DatasetError
from striate.runtime.alignment import REFUSED, wanted_alignment
from striate.runtime.dataset import Dataset
from striate.runtime.move.communicator.collective import Collective, fingerprint
from striate.runtime.move.communicator.group import group_of
from striate.runtime.move.communicator.node import Node
from striate.runtime.move.communicator.ranks import Ranks
from striate.runtime.move.folders import prepare_folders
from striate.runtime.move.session import Session
from striate.runtime.move.snapshot import hold_snapshot, newest
from striate.runtime.move.state import ChunkPlan, Options, State
from striate.runtime.plan.budget import Budget
from striate.runtime.plan.grid import Grid, plan_grid
from striate.runtime.plan.placement import (
    ByteLayout,
    Domains,
    chunks_per_block,
    group_by_factor,
    group_by_layout,
)
from striate.runtime.store.chunks import ChunkTable
from striate.runtime.store.codec import Pipeline, pipeline_from, pipeline_from_configs
from striate.runtime.store.dtypes import describe_dtype
from striate.runtime.store.files import Store, SubfileReader, check_directories
from striate.runtime.store.hdf5_reference import hdf5_library
from striate.runtime.store.metadata import Metadata, SubFile, decode

_SETTINGS = (
    "path",
    "shape",
    "dtype",
    "servers",
    "group_factor",
    "layout",
    "codec",
    "buffer",
    "chunk",
    "sync",
    "reference",
    "hdf5",
)

PathLike = str | os.PathLike[str]


def create(
    comm: Any,
    path: PathLike,
    shape: int | Sequence[int],
    dtype: Any,
    *,
    servers: int | Sequence[int] | None = None,
    group_factor: int = 1,
    layout: ByteLayout | None = None,
    directories: Sequence[PathLike] | None = None,
    codec: Any = None,
    buffer: units.Quantity = "64 MiB",
    chunk: units.Quantity = "1 MiB",
    sync: bool = False,
    reference: bool = True,
    hdf5: bool = False,
    share_memory: bool | int = True,
    alignment: units.Quantity | None = None,
) -> Dataset:
    """Collective: a new dataset at `path`, to be written; what is there stays until the first write is complete.

    `comm` is an mpi4py communicator, or None for one process. `servers` are the ranks that write: all (None), the
    lowest n, or a list. Each rank's domain is divided into `group_factor` blocks, distributed round-robin over the
    servers; a `layout` of `striate.layout` places chunks instead. `directories` gives each server one of its own.
    `codec` is None, "auto", a name such as "zstd", a numcodecs codec, or a list of them. `buffer` bounds the memory a
    rank uses beyond the caller's own and the schedule. `sync` makes each write durable before it returns. `hdf5` makes
    `reference.h5` with every write, through which HDF5 tools read the dataset's own bytes. Uncompressed chunks begin at
    multiples of `alignment`: the block of the file system, unless another is asked for.
    """
    group = group_of(comm)
    ranks = group.ranks
    share_memory, group_factor = plain_number(share_memory), plain_number(group_factor)
    store = Store(Path(path), tuple(Path(folder) for folder in directories or ()))
    identity, block = new_identity(ranks, store, share_memory, plain_number(alignment))
    same = dict[str, object].fromkeys(_SETTINGS)
    node = group.node(share_memory)
    session = Session(store, identity, first=ranks.rank == 0)
    with closing_on_error(session), Collective(ranks, same=same):
        kind = _element(dtype)
        server_ranks = server_ranks_of(servers, ranks.size)
        check_directories(store, len(server_ranks), own=directories is not None)
        _refuse_factor(group_factor, len(server_ranks))
        grid = plan_grid(
            _lengths(shape),
            kind.itemsize,
            pieces=ranks.size * group_factor,
            chunk_bytes=max(1, units.size(plain_number(chunk))),
            alignment=block,
        )
        budget = _budget(buffer, grid, ranks.size, node, plain=codec is None)
        plan = _plan(grid, ranks.size, server_ranks, group_factor, layout)
        pipeline = Pipeline(()) if codec == "auto" else pipeline_from(codec, kind.itemsize)
        if hdf5:
            _refuse_without_hdf5(codec)
        prepare_folders(store, session, ranks, server_ranks)
        codecs = codec == "auto" or pipeline.configs
        options = Options(block, sync, reference, hdf5, share_memory)
        placed = (server_ranks, group_factor, str(layout))
        sizes = (budget.buffer_bytes, grid.chunk_bytes)
        settings = (
            str(store.path),
            grid.shape,
            describe_dtype(kind),
            *placed,
            codecs,
            *sizes,
            sync,
            reference,
            hdf5,
        )
        same.update(zip(_SETTINGS, settings, strict=True))
    store = with_servers_names(store, ranks, server_ranks)
    state = State(
        group=group,
        node=node,
        store=store,
        session=session,
        grid=grid,
        dtype=kind,
        pipeline=pipeline,
        choose_codec=codec == "auto",
        domains=Domains.grouped(grid.chunks, ranks.size, group_factor),
        budget=budget,
        plan=plan,
        options=options,
        identity=identity,
        generation=0,
        table=ChunkTable.empty(grid.chunks),
        committed=False,
    )
    return Dataset(state, SubfileReader(store))


def open(  # noqa: A001 - the name people look for; used as striate.runtime.open
    comm: Any,
    path: PathLike,
    *,
    directories: Sequence[PathLike] | None = None,
    codecs: Sequence[str] = (),
    buffer: units.Quantity = "64 MiB",
    sync: bool = False,
    reference: bool = True,
    share_memory: bool | int = True,
) -> Dataset:
    """Collective: the dataset at `path`, to be read or written by any number of ranks.

    `directories` names the servers' own directories, where the dataset has such and they are no longer where the last
    writer knew them. Of codecs, only those known to be safe are used, and those that `codecs` names.
    """
    group = group_of(comm)
    ranks = group.ranks
    store = Store(Path(path), tuple(Path(folder) for folder in directories or ()))
    share_memory = plain_number(share_memory)
    first = newest(ranks, store, same={"path": str(store.path), "share_memory": share_memory})
    node = group.node(share_memory)
    same: dict[str, object] = {"buffer": None, "codecs": sorted(codecs)}
    files = SubfileReader(store)

    def state_of(content: bytes) -> tuple[State, list[SubFile]]:
        metadata = decode(content, str(store.metadata_path))
        files.store = found = store.or_stored(metadata.directories)
        check_directories(found, metadata.servers, own=metadata.own_directories)
        grid = metadata.grid()
        server_ranks = tuple(server % ranks.size for server in range(metadata.servers))
        pipeline = pipeline_from_configs(metadata.codec, codecs)
        budget = _budget(buffer, grid, ranks.size, node, plain=not pipeline)
        same["buffer"] = budget.buffer_bytes
        state = State(
            group=group,
            node=node,
            store=found,
            session=Session(found, metadata.identity, first=ranks.rank == 0),
            grid=grid,
            dtype=metadata.numpy_dtype(),
            pipeline=pipeline,
            choose_codec=False,
            domains=Domains.even(grid.chunks, ranks.size),
            budget=budget,
            plan=_stored_plan(metadata, grid, server_ranks),
            options=Options(metadata.alignment, sync, reference, metadata.hdf5, share_memory),
            identity=metadata.identity,
            generation=metadata.generation,
            table=ChunkTable.of(metadata),
            committed=True,
        )
        return state, state.subfiles_we_read()

    state, stamp = hold_snapshot(ranks, store, files, first, state_of, same)
    state.session.stamp = stamp
    return Dataset(state, files)


def plain_number(number: Any) -> Any:
    """NumPy's whole numbers as Python's, which look the same on all ranks."""
    return int(number) if isinstance(number, np.integer) else number


@contextmanager
def closing_on_error(session: Session) -> Iterator[None]:
    try:
        yield
    except BaseException:
        session.close()
        raise


def new_identity(
    ranks: Ranks, store: Store, share_memory: bool | int, alignment: units.Quantity | None
) -> tuple[str, int]:
    """Collective: a name for the dataset and its alignment, as rank 0 finds them.

    Refuses ranks that would not form the same nodes, and an alignment that cannot be or differs.
    """
    # A name that is not there yet costs a parallel file system a question to all of its servers.
    place = store.directories[0] if store.directories else store.path.absolute().parent
    wanted = wanted_alignment(alignment, place if ranks.rank == 0 else None)
    told = [fingerprint(share_memory), fingerprint(alignment), wanted]
    drawn = np.frombuffer(secrets.token_bytes(8), np.int64)
    table = ranks.gather_rows(np.concatenate([drawn, np.array(told, np.int64)]))
    for column, name in ((1, "share_memory"), (2, "alignment")):
        if (table[:, column] != table[0, column]).any():
            raise DatasetError(f"expected the same {name} on all ranks, got different values on some ranks")
    if (table[:, 3] == REFUSED).any():
        raise DatasetError(f"expected an alignment of the chunks from 1 byte to 1 MiB, got {alignment!r:.60}")
    return table[0, :1].tobytes().hex(), int(table[0, 3])


def _element(dtype: Any) -> np.dtype[Any]:
    try:
        kind: np.dtype[Any] = np.dtype(dtype)
    except (TypeError, ValueError) as error:
        raise DatasetError(f"expected a NumPy type, got {dtype!r}: {error}") from None
    describe_dtype(kind)
    return kind


def _lengths(shape: int | Sequence[int]) -> tuple[int, ...]:
    lengths = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    if not all(isinstance(length, int | np.integer) and not isinstance(length, bool) for length in lengths):
        raise DatasetError(f"expected a shape of whole numbers, got {shape!r}")
    return tuple(int(length) for length in lengths)


def server_ranks_of(servers: int | Sequence[int] | None, size: int) -> tuple[int, ...]:
    wanted = (
        range(size)
        if servers is None
        else range(servers)
        if isinstance(servers, int | np.integer)
        else servers
    )
    numbers = tuple(int(rank) for rank in wanted)
    if not numbers or len(set(numbers)) != len(numbers) or not all(0 <= rank < size for rank in numbers):
        raise DatasetError(
            f"expected servers (ranks that write) among ranks 0 to {size - 1}, each rank once, got {servers}"
        )
    return numbers


def _refuse_factor(group_factor: int, servers: int) -> None:
    if not isinstance(group_factor, int) or not 1 <= group_factor <= servers:
        raise DatasetError(
            f"expected a group factor (pieces per rank's part of the array) from 1 to {servers} (the number "
            f"of servers), got {group_factor}"
        )


def _refuse_without_hdf5(codec: Any) -> None:
    hdf5_library()
    if codec is not None:
        raise DatasetError(f"expected no codec with hdf5, which reads plain bytes, got {codec!r:.60}")


def _budget(buffer: units.Quantity, grid: Grid, ranks: int, node: Node, *, plain: bool) -> Budget:
    return Budget(
        max(units.size(plain_number(buffer)), 4 * grid.chunk_bytes),
        grid.chunk_bytes,
        ranks,
        one_node=node.is_everyone and plain,
        pipelined=plain and not node.is_everyone,
    )


def _plan(
    grid: Grid, ranks: int, server_ranks: tuple[int, ...], group_factor: int, layout: ByteLayout | None
) -> ChunkPlan:
    servers = len(server_ranks)
    block = chunks_per_block(grid.chunks, ranks, group_factor)
    if layout is not None:
        placed = group_by_layout(grid.chunks, chunk_bytes=grid.chunk_bytes, servers=servers, layout=layout)
        return ChunkPlan(placed, server_ranks, block, str(layout))
    placed = group_by_factor(grid.chunks, ranks=ranks, servers=servers, group_factor=group_factor)
    return ChunkPlan(placed, server_ranks, block, "")


def _stored_plan(metadata: Metadata, grid: Grid, server_ranks: tuple[int, ...]) -> ChunkPlan:
    if metadata.layout:
        from striate.layout import parse

        layout = parse(metadata.layout)
        placed = group_by_layout(
            grid.chunks, chunk_bytes=grid.chunk_bytes, servers=metadata.servers, layout=layout
        )
    else:
        placed = np.arange(grid.chunks, dtype=np.int64) // metadata.block_chunks % metadata.servers
    return ChunkPlan(placed, server_ranks, metadata.block_chunks, metadata.layout)


def with_servers_names(store: Store, ranks: Ranks, server_ranks: tuple[int, ...]) -> Store:
    """Collective: each server's directory as the rank that serves it names it: hosts may name theirs differently."""
    if not store.directories:
        return store
    names = [os.fsencode(folder.absolute()) for folder in store.directories]
    mine = fingerprint(names)
    highest, lowest = ranks.largest([mine, -mine])
    if highest == -lowest:
        return store
    told = [ranks.broadcast(name, rank) for name, rank in zip(names, server_ranks, strict=True)]
    return replace(store, directories=tuple(Path(os.fsdecode(name)) for name in told))
