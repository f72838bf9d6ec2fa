"""The chunks of a group's variables, of those that grow or of those that do not: one table, divided among them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from striate.runtime.store.chunks import ChunkTable
from striate.runtime.store.group_metadata import GroupMetadata, RaggedTable, StepIndex, VariableEntry
from striate.runtime.store.metadata import SubFile


@dataclass(frozen=True)
class Lists:
    """The chunks of one ragged variable, and how many elements its lists have together."""

    elements: int
    table: ChunkTable


@dataclass(frozen=True)
class GroupTables:
    """`fixed` are the chunks of variables of fixed size, in order; all tables name the same sub-files."""

    fixed: ChunkTable
    ragged: Mapping[str, Lists]

    @property
    def subfiles(self) -> list[SubFile]:
        """The sub-files in use."""
        return self.fixed.subfiles

    def with_lists(self, entry: VariableEntry, elements: int) -> GroupTables:
        """The same before lists of another length in all are written."""
        empty = ChunkTable.empty(-(-elements // entry.chunk_elements))
        return GroupTables(self.fixed, {**self.ragged, entry.name: Lists(elements, empty)})

    def first_chunk(self, name: str) -> int:
        """Where the chunks of a ragged variable begin in the joint table."""
        before = 0
        for other, lists in self.ragged.items():
            if other == name:
                break
            before += len(lists.table.file)
        return len(self.fixed.file) + before

    def joined(self) -> ChunkTable:
        """All chunks in one table."""
        tables = [self.fixed, *(lists.table for lists in self.ragged.values())]
        file, offset, length, checksum = (
            np.concatenate([getattr(table, name) for table in tables])
            for name in ("file", "offset", "length", "checksum")
        )
        return ChunkTable(file, offset, length, checksum, self.fixed.subfiles)

    def divided(self, joint: ChunkTable) -> GroupTables:
        """The joint table divided as we are."""
        ragged, first = {}, len(self.fixed.file)
        for name, lists in self.ragged.items():
            end = first + len(lists.table.file)
            ragged[name] = Lists(lists.elements, joint.part(first, end))
            first = end
        return GroupTables(joint.part(0, len(self.fixed.file)), ragged)

    def index(self) -> StepIndex:
        """As metadata holds it."""
        ragged = {name: RaggedTable(one.elements, one.table.columns()) for name, one in self.ragged.items()}
        return StepIndex(self.subfiles, self.fixed.columns(), ragged)


def static_tables(metadata: GroupMetadata) -> GroupTables:
    """Of the variables that do not grow."""
    return tables_of(metadata, StepIndex(metadata.subfiles, metadata.chunks, metadata.ragged), growing=False)


def tables_of(metadata: GroupMetadata, index: StepIndex, *, growing: bool) -> GroupTables:
    """Of a step, or of the variables that do not grow; lists that were never written are empty."""
    ragged = {entry.name: Lists(0, ChunkTable.empty(0)) for entry in metadata.ragged_entries(growing=growing)}
    for name, one in index.ragged.items():
        ragged[name] = Lists(one.elements, ChunkTable.from_columns(one.chunks, index.subfiles))
    return GroupTables(ChunkTable.from_columns(index.chunks, index.subfiles), ragged)


def empty_tables(metadata: GroupMetadata, *, growing: bool) -> GroupTables:
    """Nothing was written."""
    ragged = {entry.name: Lists(0, ChunkTable.empty(0)) for entry in metadata.ragged_entries(growing=growing)}
    return GroupTables(ChunkTable.empty(metadata.chunk_count(growing=growing)), ragged)
