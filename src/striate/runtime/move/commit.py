"""The collective commit: what all ranks have written becomes the dataset, and what it replaces goes."""

from __future__ import annotations

import contextlib
from dataclasses import replace

from striate.errors import StriateError
from striate.runtime.move.collective import Collective
from striate.runtime.move.state import State
from striate.runtime.store.chunks import ChunkTable
from striate.runtime.store.commit import leftovers, remove, replace_metadata
from striate.runtime.store.files import load_metadata


def commit(state: State, table: ChunkTable) -> State:
    """Collective: make `table` the dataset, then remove what it replaced."""
    after = replace(state, table=table, generation=state.generation + 1, committed=True)
    replaced: set[str] = set()
    with Collective(state.ranks, patient=True):
        if state.ranks.rank == 0:
            state.session.refuse_changed()
            replaced = known_identities(state)
            options = state.options
            replace_metadata(after.metadata(), state.store, reference=options.reference, sync=options.sync)
            state.session.caught_up()
    clean(after, replaced)
    return after


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
        if state.ranks.rank == 0:
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
