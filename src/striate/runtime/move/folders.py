"""The directories of a new dataset, checked and locked before anything is written."""

from __future__ import annotations

import os
from pathlib import Path

from striate.errors import DatasetError, StorageError
from striate.runtime.move.communicator.ranks import Ranks
from striate.runtime.move.session import Session
from striate.runtime.store.commit import is_ours
from striate.runtime.store.files import Store


def prepare_folders(store: Store, session: Session, ranks: Ranks, server_ranks: tuple[int, ...]) -> None:
    """Make the dataset's directory; refuse one that holds something else, and server directories that are not there."""
    if ranks.rank == 0:
        session.empty = _make_directory(store.path)
        if not session.empty:
            _refuse_foreign(store.path)
        session.take()
        if not session.empty:
            session.caught_up()
    for server, rank in enumerate(server_ranks):
        if rank == ranks.rank and store.directories:
            folder = store.folder(server)
            if not folder.is_dir():
                raise StorageError(
                    "there is no such directory for the sub-files of a server", 2, at=str(folder)
                )
            if not os.access(folder, os.W_OK | os.X_OK):
                raise StorageError("permission denied", 13, at=str(folder))


def _make_directory(path: Path) -> bool:
    """True when it was not there."""
    try:
        path.mkdir()
    except FileExistsError:
        if not path.is_dir():
            raise
        return False
    return True


def _refuse_foreign(path: Path) -> None:
    foreign = [entry.name for entry in path.iterdir() if not is_ours(entry.name)]
    if foreign:
        raise DatasetError(
            f"expected an empty directory or one with a dataset, found {foreign[0]!r} in it", at=str(path)
        )
