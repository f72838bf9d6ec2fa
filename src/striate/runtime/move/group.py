"""The group: what is set up once for a communicator, and kept with it for all its datasets."""

from __future__ import annotations

from typing import Any

from striate.errors import DatasetError
from striate.runtime.move.node import Node
from striate.runtime.move.ranks import MpiRanks, OneRank, Ranks

_keyval: list[int] = []  # MPI's name for our attribute of a communicator, made when first needed


class Group:
    """A private copy of a communicator, so that messages never mix, and the nodes its ranks lie on."""

    def __init__(self, ranks: Ranks) -> None:
        self.ranks = ranks
        self._nodes: dict[str, Node] = {}  # by repr: True and 1 mean different things here

    def node(self, share: bool | int) -> Node:
        """Collective: the ranks that share our memory, when `share` allows."""
        if repr(share) not in self._nodes:
            self._nodes[repr(share)] = Node(self.ranks, share)
        return self._nodes[repr(share)]

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
