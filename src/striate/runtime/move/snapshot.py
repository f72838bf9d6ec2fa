"""Snapshots: one generation of a dataset, with its sub-files held open, so that no later write takes it away."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from striate.runtime.move.communicator.collective import Collective
from striate.runtime.move.communicator.ranks import Ranks
from striate.runtime.store.files import NO_FILE, Stamp, Store, SubfileReader, read_stamped, stamp_of
from striate.runtime.store.metadata import SubFile

ATTEMPTS = (
    100  # a writer would have to commit between our read of its metadata and our open, so many times in a row
)

Kind = TypeVar("Kind")
Taken = Callable[[bytes], tuple[Kind, Iterable[SubFile]]]


def hold_snapshot(
    ranks: Ranks,
    store: Store,
    files: SubfileReader,
    first: tuple[bytes, Stamp],
    take: Taken[Kind],
    same: dict[str, object] | None = None,
) -> tuple[Kind, Stamp]:
    """Collective: what `take` makes of the newest metadata, once all sub-files that it names for us are open.

    `first` is what `newest` gave. A file that is missing because another write came between is no error: the newer
    metadata is taken then.
    """
    content, stamp = first
    for attempt in range(ATTEMPTS):
        if attempt:
            content, stamp = newest(ranks, store)
        with Collective(ranks, 0, same=same) as meeting:
            taken, subfiles = take(content)
            meeting.values[0] = not files.hold(subfiles)
        if not meeting.largest[0] or not _moved_on(ranks, store, stamp):
            break
    return taken, stamp


def newest(ranks: Ranks, store: Store, same: dict[str, object] | None = None) -> tuple[bytes, Stamp]:
    """Collective: the bytes of the metadata file; what tells it from others is known to rank 0."""
    content, stamp = b"", NO_FILE
    with Collective(ranks, 0, same=same) as meeting:
        if ranks.rank == 0:
            content, stamp = read_stamped(store)
            meeting.values[0] = len(content)
    return ranks.broadcast_known(content, meeting.largest[0], 0), stamp


def _moved_on(ranks: Ranks, store: Store, stamp: Stamp) -> bool:
    return bool(ranks.largest([ranks.rank == 0 and stamp_of(store) != stamp])[0])
