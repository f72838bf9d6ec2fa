"""The collective commit: what all ranks have written becomes the dataset, and what it replaces goes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace

from striate.errors import StriateError
from striate.runtime.move.communicator.collective import Collective
from striate.runtime.move.state import State
from striate.runtime.store.chunks import ChunkTable
from striate.runtime.store.commit import NewContent, at_once, leftovers, remove, write_metadata
from striate.runtime.store.files import load_metadata


class Commit:
    """A new generation: `prepare` writes its metadata beside the old one, `put_in_place` makes it the dataset."""

    def __init__(self, state: State, table: ChunkTable) -> None:
        self.state = state
        self.after = replace(state, table=table, generation=state.generation + 1, committed=True)
        self.content: NewContent | None = None  # of rank 0

    def prepare(self, finish: Callable[[], None] = lambda: None) -> None:
        """Collective: `finish` makes our new sub-files complete; rank 0 writes the metadata as well."""
        state = self.state
        try:
            with Collective(state.ranks):
                at_once([finish, self._write], wait=state.options.sync and state.ranks.rank == 0)
        except Exception:
            self._discard()
            raise

    def put_in_place(self) -> State:
        """Collective: the dataset after the commit; what it replaced is removed."""
        state = self.state
        replaced: set[str] = set()
        try:
            with Collective(state.ranks):
                if self.content is not None:
                    state.session.refuse_changed()
                    replaced = known_identities(state)
                    self.content.put_in_place()
                    state.session.caught_up()
        except Exception:
            self._discard()
            raise
        self._remove_replaced(replaced)
        return self.after

    def _remove_replaced(self, identities: set[str]) -> None:
        """Of a dataset that was there its own old sub-files go: what others left went when the lock was taken."""
        state = self.state
        if not state.committed or state.store.directories:
            clean(self.after, identities)
        elif state.ranks.rank == 0:
            keep = {subfile.name for subfile in self.after.table.subfiles}
            old = (subfile for subfile in state.table.subfiles if subfile.name not in keep)
            remove(state.store.locate(subfile) for subfile in old)

    def _write(self) -> None:
        after = self.after
        if after.ranks.rank == 0:
            metadata, options = after.metadata(), after.options
            self.content = write_metadata(
                metadata,
                after.store,
                reference=options.reference,
                sync=options.sync,
                first=after.session.empty and not self.state.committed,
            )

    def _discard(self) -> None:
        if self.content is not None:
            self.content.discard()


def commit(state: State, table: ChunkTable) -> State:
    """Collective: make `table` the dataset, then remove what it replaced."""
    new = Commit(state, table)
    new.prepare()
    return new.put_in_place()


def known_identities(state: State) -> set[str]:
    """On rank 0: whose sub-files may be removed from directories that other datasets use as well."""
    known = state.session.unfinished()
    if state.store.directories:
        with contextlib.suppress(StriateError):
            known.add(load_metadata(state.store).identity)
    return known


def clean(state: State, known: set[str]) -> None:
    """Collective: remove files of writes that were replaced or interrupted; `known` as rank 0 has it."""
    keep = {subfile.name for subfile in state.table.subfiles}
    if not state.store.directories:
        if state.ranks.rank == 0 and not state.session.empty:
            remove(leftovers(state.store.path, keep, None))
        return
    identities = set(state.ranks.broadcast(",".join(sorted(known)).encode(), 0).decode().split(","))
    if state.ranks.rank == 0:
        remove(leftovers(state.store.path, keep, None))
    for server, rank in enumerate(state.plan.server_ranks):
        if rank == state.ranks.rank:
            with contextlib.suppress(OSError):
                remove(
                    path
                    for path in leftovers(state.store.folder(server), keep, identities)
                    if path.suffix != ".blocks" or path.stem.endswith(f"-{server}")
                )
