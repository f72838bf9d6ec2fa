"""The state of an open group: what its metadata says, and a state for every variable that has chunks."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from striate.errors import DatasetError
from striate.runtime.move.communicator.group import Group
from striate.runtime.move.communicator.node import Node
from striate.runtime.move.communicator.ranks import Ranks
from striate.runtime.move.groups.memory import new_windows, share_of
from striate.runtime.move.session import Session
from striate.runtime.move.state import ChunkPlan, Options, State
from striate.runtime.plan.budget import Budget
from striate.runtime.plan.grid import Grid
from striate.runtime.plan.placement import Domains
from striate.runtime.store.chunks import ChunkTable
from striate.runtime.store.codec import pipeline_from_configs
from striate.runtime.store.files import Store
from striate.runtime.store.group_metadata import GroupMetadata, VariableEntry, ragged_grid
from striate.runtime.store.group_tables import GroupTables, Lists, empty_tables

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
    memo: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)  # what never changes

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
        found = self.metadata.entries.get(name)
        if found is not None:
            return found
        known = ", ".join(variable.name for variable in self.metadata.variables)
        raise DatasetError(f"expected a variable of the group among {known}, got {name!r:.60}")

    def leading(self, entry: VariableEntry) -> str:
        """The dimension along which rows are addressed."""
        names = [name for name in entry.dimensions if name != self.metadata.growing]
        if not names:
            raise DatasetError(
                f"expected a variable with rows, got {entry.name!r}, which has one number per step"
            )
        return names[0]

    def states(self, table: ChunkTable, *, growing: bool) -> dict[str, State]:
        """A state for each variable that grows, or for each that does not, with its part of the table."""
        found, first = {}, 0
        for entry in self.metadata.stored(growing=growing):
            chunks = self.metadata.grid_of(entry).chunks
            found[entry.name] = self._fixed_state(entry, table.part(first, first + chunks))
            first += chunks
        return found

    def all_states(self, tables: GroupTables, *, growing: bool) -> dict[str, State]:
        """A state for each variable that grows, or for each that does not, ragged ones too."""
        found = self.states(tables.fixed, growing=growing)
        for entry in self.metadata.ragged_entries(growing=growing):
            found[entry.name] = self.list_state(entry, tables.ragged[entry.name])
        return found

    def largest_share(self) -> int:
        """Bytes of a rank's windows for all variables of fixed size of one call."""
        return int(self.known("largest share", self._largest_share))

    def known(self, what: object, find: Callable[[], Any]) -> Any:
        """What follows from the declaration of the variables and the node alone, found once."""
        key = (what, self.setting.node)
        declared, found = self.setting.memo.get(key, (None, None))
        if declared is not self.metadata.variables:  # the first time, or read anew
            declared, found = self.setting.memo[key] = self.metadata.variables, find()
        return found

    def _largest_share(self) -> int:
        shares = [0]
        for growing in (False, True):
            states = self.states(empty_tables(self.metadata, growing=growing).fixed, growing=growing)
            for dimension in self.metadata.rows:
                named = [
                    state for name, state in states.items() if self.leading(self.entry(name)) == dimension
                ]
                spare = [state.grid.chunk_bytes for state in named if state.has_spare_chunk]
                shares.append(sum(share_of(new_windows(state)) for state in named) + sum(spare))
        return max(shares)

    def list_state(self, entry: VariableEntry, lists: Lists) -> State:
        """The state of a ragged variable: its elements as one row, dealt to ranks and servers in equal runs."""
        grid, servers = ragged_grid(entry, lists.elements), self.metadata.servers
        domains = Domains.even(grid.chunks, self.ranks.size)
        plain = self.setting.node.is_everyone and not entry.codec
        total = max(self.setting.buffer_bytes, 4 * grid.chunk_bytes)
        budget = Budget(total, grid.chunk_bytes, self.ranks.size, plain)
        run = -(-max(1, grid.chunks) // servers)
        placed = np.arange(grid.chunks, dtype=np.int64) // run
        return self._state(
            entry, grid, lists.table, domains, budget, ChunkPlan(placed, self._server_ranks(), run, "")
        )

    def any_state(self) -> State:
        """A state of no variable, for what all have in common."""
        return self._now(self.known("any state", self._any_state))

    def _now(self, state: State, table: ChunkTable | None = None) -> State:
        """The same in our generation, and with these chunks: what `replace` gives, at a tenth of its cost."""
        found = object.__new__(State)
        changed = {"generation": self.metadata.generation, "committed": self.committed}
        found.__dict__.update(state.__dict__, **changed, table=table or state.table)
        return found

    def _any_state(self) -> State:
        entry = next(entry for entry in self.metadata.variables if not self.metadata.is_scalar(entry))
        return self.list_state(
            msgspec.structs.replace(entry, chunk_elements=1), Lists(0, ChunkTable.empty(0))
        )

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
        found: Budget = self.known(("budget", dimension), lambda: self._budget(dimension))
        return found

    def _budget(self, dimension: str) -> Budget:
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

    def _fixed_state(self, entry: VariableEntry, table: ChunkTable) -> State:
        return self._now(self.known(("state", entry.name), lambda: self._new_state(entry)), table)

    def _new_state(self, entry: VariableEntry) -> State:
        metadata, dimension = self.metadata, self.leading(entry)
        grid, block = metadata.grid_of(entry), metadata.rows[dimension].block_chunks
        placed = np.arange(grid.chunks, dtype=np.int64) // block % metadata.servers
        plan = ChunkPlan(placed, self._server_ranks(), block, "")
        table = ChunkTable.empty(grid.chunks)
        return self._state(entry, grid, table, self.domains(dimension), self.budget(dimension), plan)

    def _server_ranks(self) -> tuple[int, ...]:
        dealt = tuple(server % self.ranks.size for server in range(self.metadata.servers))
        return self.setting.server_ranks or dealt

    def _state(
        self,
        entry: VariableEntry,
        grid: Grid,
        table: ChunkTable,
        domains: Domains,
        budget: Budget,
        plan: ChunkPlan,
    ) -> State:
        setting, metadata = self.setting, self.metadata
        return State(
            group=setting.group,
            node=setting.node,
            store=setting.store,
            session=setting.session,
            grid=grid,
            dtype=entry.numpy_dtype(),
            pipeline=pipeline_from_configs(entry.codec, setting.codecs),
            choose_codec=False,
            domains=domains,
            budget=budget,
            plan=plan,
            options=setting.options,
            identity=metadata.identity,
            generation=metadata.generation,
            table=table,
            committed=self.committed,
        )
