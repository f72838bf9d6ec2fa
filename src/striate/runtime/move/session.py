"""The session of a handle: the writer's lock, and which metadata file its state was made of.

Rank 0 has the lock and looks at the file; on other ranks a session does nothing.
"""

from __future__ import annotations

from striate.errors import DatasetError
from striate.runtime.store.files import NO_FILE, Stamp, Store, stamp_of
from striate.runtime.store.gluster import Brick, bricks_of
from striate.runtime.store.lock import Unfinished, WriterLock, take_lock

FRESH, CHANGED, BRICKS = 1, 2, 4  # added up


class Session:
    """Keeps writers apart, and tells a handle that others have written since."""

    def __init__(self, store: Store, identity: str, *, first: bool) -> None:
        self.store = store
        self.identity = identity
        self.first = first
        self.stamp: Stamp = NO_FILE
        self.lock: WriterLock | None = None
        self.empty = False  # the directory was made for this dataset, and holds nothing else
        self.bricks: list[Brick] | None = None

    def find_bricks(self) -> int:
        """On rank 0, once: BRICKS where the dataset lies on GlusterFS, whose bricks are in `bricks` then; else 0."""
        if not self.first or self.bricks is not None:
            return 0
        self.bricks = [] if self.store.directories else bricks_of(self.store.path)
        return BRICKS if self.bricks else 0

    def take(self) -> bool:
        """Take the lock, unless we have it; True when earlier writers may have left something."""
        if not self.first or self.lock is not None:
            return False
        self.lock = take_lock(self.store.path, Unfinished(self.identity, self.store.directory_names))
        return self.lock.handles == 1

    def begin(self) -> int:
        """Begin a write. FRESH: earlier writers may have left something; CHANGED: others have written since."""
        if not self.first:
            return 0
        fresh = self.take()
        assert self.lock is not None
        self.lock.begin(self)
        return FRESH * fresh | CHANGED * (stamp_of(self.store) != self.stamp)

    def refuse_changed(self) -> None:
        """Refuse to commit over what others wrote in spite of the lock, where that does not reach them."""
        if self.first and stamp_of(self.store) != self.stamp:
            raise DatasetError(
                "another writer changed the dataset meanwhile; this write was not done",
                at=str(self.store.path),
            )

    def caught_up(self) -> None:
        """What is on disk now is what our state was made of."""
        if self.first:
            self.stamp = stamp_of(self.store)

    def unfinished(self) -> set[str]:
        """Identities of which files may be left by writers that died; our own is among them."""
        left = [] if self.lock is None else self.lock.holder.unfinished
        return {self.identity, *(one.identity for one in left)}

    def end(self) -> None:
        """The write is over, done or not."""
        if self.lock is not None:
            self.lock.end(self)

    def close(self) -> None:
        """Give the lock back."""
        if self.lock is not None:
            lock, self.lock = self.lock, None
            lock.end(self)
            lock.leave()
