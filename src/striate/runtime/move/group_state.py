"""The state of an open group: what its metadata says, and a state for every variable that has chunks."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from striate.errors import DatasetError
from striate.runtime.move.group import Group
from striate.runtime.move.node import Node
from striate.runtime.move.ranks import Ranks
from striate.runtime.move.session import Session
from striate.runtime.move.state import ChunkPlan, Options, State
from striate.runtime.plan.budget import Budget
from striate.runtime.plan.placement import Domains
from striate.runtime.store.chunks import ChunkTable
from striate.runtime.store.codec import pipeline_from_configs
from striate.runtime.store.files import Store
from striate.runtime.store.group_metadata import GroupMetadata, VariableEntry

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Setting:
    """What a handle works with, whatever is in the group."""

    group: Group
    node: Node
    store: Store
    session: Session
    options: Options
    buffer_bytes: int
    codecs: tuple[str, ...]
    server_ranks: tuple[int, ...]  # as the creator chose them; empty for servers dealt to the ranks in turn
    grouped: bool  # domains are whole blocks, as the creator has them

    @property
    def ranks(self) -> Ranks:
        """All ranks of the group."""
        return self.group.ranks


@dataclass(frozen=True)
class GroupState:
    """One generation of a group, as all ranks know it."""

    setting: Setting
    metadata: GroupMetadata
    committed: bool

    @property
    def ranks(self) -> Ranks:
        """All ranks of the group."""
        return self.setting.ranks

    def at(self, metadata: GroupMetadata) -> GroupState:
        """The same group at another generation; refuses one that took its place."""
        if metadata.identity != self.metadata.identity:
            raise DatasetError(
                "the group was replaced by another since it was opened: open it again",
                at=str(self.setting.store.path),
            )
        return replace(self, metadata=metadata, committed=True)

    def entry(self, name: str) -> VariableEntry:
        """The variable of that name; refuses one that is not there."""
        for variable in self.metadata.variables:
            if variable.name == name:
                return variable
        known = ", ".join(variable.name for variable in self.metadata.variables)
        raise DatasetError(f"expected a variable among {known}, got {name!r:.60}")

    def leading(self, entry: VariableEntry) -> str:
        """The dimension along which rows are addressed."""
        names = [name for name in entry.dimensions if name != self.metadata.growing]
        if not names:
            raise DatasetError(f"expected a variable with rows, got {entry.name!r}: one number for each step")
        return names[0]

    def states(self, table: ChunkTable, *, growing: bool) -> dict[str, State]:
        """A state for each variable that grows, or for each that does not, with its part of the table."""
        found, first = {}, 0
        for entry in self.metadata.stored(growing=growing):
            chunks = self.metadata.grid_of(entry).chunks
            found[entry.name] = self._state(entry, table.part(first, first + chunks))
            first += chunks
        return found

    def empty_table(self, *, growing: bool) -> ChunkTable:
        """No chunk of these variables was written."""
        entries = self.metadata.stored(growing=growing)
        return ChunkTable.empty(sum(self.metadata.grid_of(entry).chunks for entry in entries))

    def row_bytes(self, dimension: str, *, growing: bool) -> int:
        """Bytes of a row along a dimension, of all variables that grow, or of all that do not, together."""
        total = 0
        for entry in self.metadata.stored(growing=growing):
            if self.leading(entry) == dimension:
                grid = self.metadata.grid_of(entry)
                total += math.prod(grid.shape[1:]) * grid.item_bytes
        return total

    def budget(self, dimension: str) -> Budget:
        """One budget for all variables with rows along a dimension: their windows lie side by side in it."""
        setting = self.setting
        row = max(self.row_bytes(dimension, growing=growing) for growing in (False, True))
        chunk_bytes = row * self.metadata.rows[dimension].chunk_rows
        plain = not any(entry.codec for entry in self.metadata.variables)
        total = max(setting.buffer_bytes, 4 * chunk_bytes)
        return Budget(total, chunk_bytes, setting.ranks.size, setting.node.is_everyone and plain)

    def domains(self, dimension: str) -> Domains:
        """The rows' chunks of each rank."""
        rows, ranks = self.metadata.rows[dimension], self.setting.ranks.size
        chunks = -(-self.metadata.dimensions[dimension] // rows.chunk_rows)
        if not self.setting.grouped:
            return Domains.even(chunks, ranks)
        blocks = -(-max(1, chunks) // (rows.block_chunks * ranks))
        return Domains(chunks, ranks, blocks * rows.block_chunks)

    def _state(self, entry: VariableEntry, table: ChunkTable) -> State:
        setting, metadata = self.setting, self.metadata
        grid, dimension = metadata.grid_of(entry), self.leading(entry)
        block = metadata.rows[dimension].block_chunks
        server_ranks = setting.server_ranks or tuple(
            server % setting.ranks.size for server in range(metadata.servers)
        )
        placed = np.arange(grid.chunks, dtype=np.int64) // block % metadata.servers
        return State(
            group=setting.group,
            node=setting.node,
            store=setting.store,
            session=setting.session,
            grid=grid,
            dtype=entry.numpy_dtype(),
            pipeline=pipeline_from_configs(entry.codec, setting.codecs),
            choose_codec=False,
            domains=self.domains(dimension),
            budget=self.budget(dimension),
            plan=ChunkPlan(placed, server_ranks, block, ""),
            options=setting.options,
            identity=metadata.identity,
            generation=metadata.generation,
            table=table,
            committed=self.committed,
        )
