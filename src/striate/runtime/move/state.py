"""The state of an open dataset: what was agreed when it was opened, and what each commit moves on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from striate.errors import DatasetError
from striate.runtime.move.communicator.group import Group
from striate.runtime.move.communicator.node import Node
from striate.runtime.move.communicator.ranks import Ranks
from striate.runtime.move.session import Session
from striate.runtime.plan.budget import Budget
from striate.runtime.plan.grid import Grid
from striate.runtime.plan.partition import Partition
from striate.runtime.plan.placement import Domains
from striate.runtime.store.chunks import ChunkTable
from striate.runtime.store.codec import Pipeline
from striate.runtime.store.dtypes import describe_dtype
from striate.runtime.store.files import Store
from striate.runtime.store.gluster import Brick, attempt_at
from striate.runtime.store.metadata import VERSION, Metadata, SubFile, subfile_name

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ChunkPlan:
    """Where chunks go. Server s is served by rank `server_ranks[s]`; `layout` is text, empty for group factors."""

    server_of_chunk: Int64
    server_ranks: tuple[int, ...]
    block_chunks: int
    layout: str


@dataclass(frozen=True)
class Options:
    """How this process group works on the dataset; all but `alignment` and `hdf5` is its own choice."""

    alignment: int
    sync: bool
    reference: bool
    hdf5: bool  # stored: all who write the dataset make the HDF5 reference
    share: bool | int


@dataclass(frozen=True)
class State:
    """One generation of a dataset, as all ranks know it. `committed` tells whether its metadata is in place."""

    group: Group
    node: Node
    store: Store
    session: Session
    grid: Grid
    dtype: np.dtype[Any]
    pipeline: Pipeline
    choose_codec: bool
    domains: Domains
    budget: Budget
    plan: ChunkPlan
    options: Options
    identity: str
    generation: int
    table: ChunkTable
    committed: bool
    homes: tuple[Brick, ...] = ()  # where each server's new sub-files shall lie; empty: anywhere

    @property
    def ranks(self) -> Ranks:
        """All ranks of the dataset."""
        return self.group.ranks

    @property
    def window_chunks(self) -> int:
        """Chunks of a domain in memory at once."""
        return self.budget.window_chunks(self.domains.chunks_per_domain)

    @property
    def has_spare_chunk(self) -> bool:
        """True when the budget allows one chunk more in memory."""
        return self.budget.has_spare_chunk(self.domains.chunks_per_domain)

    def plain_bytes(self, chunk_bytes: int) -> int:
        """Bytes in a sub-file of a chunk that is not compressed: up to the alignment."""
        return chunk_bytes + -chunk_bytes % self.options.alignment

    def partition(self, unit: int) -> Partition:
        """The partition into records of `unit` elements."""
        chunk = self.grid.chunk_elements // unit
        return Partition(
            records=self.grid.elements // unit,
            record_bytes=unit * self.grid.item_bytes,
            chunk=chunk,
            domain=self.domains.chunks_per_domain * chunk,
            window=self.window_chunks * chunk,
            ranks=self.ranks.size,
            rest=self.grid.elements % unit * self.grid.item_bytes,
        )

    def at(self, metadata: Metadata) -> State:
        """The same dataset at another generation; refuses one that took its place."""
        if metadata.identity != self.identity:
            raise DatasetError(
                "the dataset was replaced by a new one since it was opened: open it again",
                at=str(self.store.path),
            )
        return replace(self, generation=metadata.generation, table=ChunkTable.of(metadata))

    def new_name(self, server: int, attempt: int) -> str:
        """The name of a server's sub-file of the next generation."""
        return subfile_name(self.identity, self.generation + 1, server, attempt)

    def attempt(self, server: int) -> int:
        """Which of its names a server's next sub-file shall have."""
        return attempt_at(self.homes[server], partial(self.new_name, server)) if self.homes else 0

    def subfiles_we_read(self) -> list[SubFile]:
        """The sub-files of chunks that are read by this rank: of its own domain, or as the server that alone can."""
        table = self.table
        reader = np.arange(len(table.file)) // self.domains.chunks_per_domain
        if self.store.directories and table.subfiles:
            ranks = np.array([self.plan.server_ranks[subfile.server] for subfile in table.subfiles])
            reader = ranks[table.file]
        ours = np.unique(table.file[(table.file >= 0) & (reader == self.ranks.rank)])
        return [table.subfiles[int(number)] for number in ours]

    def metadata(self) -> Metadata:
        """The state as a metadata file holds it."""
        table = self.table
        return Metadata(
            version=VERSION,
            identity=self.identity,
            generation=self.generation,
            shape=list(self.grid.shape),
            dtype=describe_dtype(self.dtype),
            chunk_shape=list(self.grid.chunk_shape),
            codec=self.pipeline.configs,
            servers=len(self.plan.server_ranks),
            own_directories=bool(self.store.directories),
            directories=self.store.directory_names,
            alignment=self.options.alignment,
            block_chunks=self.plan.block_chunks,
            layout=self.plan.layout,
            subfiles=table.subfiles,
            chunks=table.columns(),
            hdf5=self.options.hdf5,
        )
