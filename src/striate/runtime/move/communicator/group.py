"""The group: what is set up once for a communicator, and kept with it for all its datasets."""

from __future__ import annotations

import socket
from typing import Any

import numpy as np

from striate.errors import DatasetError
from striate.runtime.move.communicator.node import Node
from striate.runtime.move.communicator.ranks import MpiRanks, OneRank, Ranks

_HOST_BYTES = 64  # Linux takes no longer names
_keyval: list[int] = []  # MPI's name for our attribute of a communicator, made when first needed


class Group:
    """A private copy of a communicator, so that messages never mix, and the nodes its ranks lie on."""

    def __init__(self, ranks: Ranks) -> None:
        self.ranks = ranks
        self._nodes: dict[str, Node] = {}  # by repr: True and 1 mean different things here
        self._hosts: list[str] | None = None

    def node(self, share: bool | int) -> Node:
        """Collective: the ranks that share our memory, when `share` allows."""
        if repr(share) not in self._nodes:
            self._nodes[repr(share)] = Node(self.ranks, share)
        return self._nodes[repr(share)]

    def hosts(self) -> list[str]:
        """Collective the first time: the host of every rank, without its domain."""
        if self._hosts is None:
            name = socket.gethostname().partition(".")[0].encode()[:_HOST_BYTES]
            rows = self.ranks.gather_rows(np.frombuffer(name.ljust(_HOST_BYTES, b"\0"), np.uint8))
            self._hosts = [row.tobytes().rstrip(b"\0").decode(errors="replace") for row in rows]
        return self._hosts

    def copy(self) -> Group:
        """Collective: the same ranks with communicators of their own."""
        return Group(self.ranks.copy())

    def free(self) -> None:
        """Free the copies of the communicator; called when the caller frees it."""
        for node in self._nodes.values():
            node.ranks.free()
        self.ranks.free()


def group_of(communicator: Any) -> Group:
    """Collective: the group of an mpi4py communicator, or of one process for None; made once."""
    if communicator is None:
        return Group(OneRank())
    if not hasattr(communicator, "Alltoallv"):
        raise DatasetError(f"expected an mpi4py communicator or None, got {type(communicator).__name__}")
    from mpi4py import MPI

    if not _keyval:
        _keyval.append(MPI.Comm.Create_keyval(delete_fn=lambda _comm, _key, group: group.free()))
    group = communicator.Get_attr(_keyval[0])
    if group is None:
        copy = communicator.Dup()
        copy.Set_errhandler(MPI.ERRORS_RETURN)
        group = Group(MpiRanks(copy))
        communicator.Set_attr(_keyval[0], group)
    assert isinstance(group, Group)
    return group
