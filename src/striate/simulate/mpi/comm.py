"""Communicators: who belongs to them, how new ones are made, and what programs keep with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from striate.simulate.mpi import constants
from striate.simulate.mpi.attributes import Attributes
from striate.simulate.mpi.errors import Refusing, failed, refuse_unknown
from striate.simulate.mpi.group import MpiGroup
from striate.simulate.mpi.info import Info
from striate.simulate.mpi.link import all_outside, link
from striate.simulate.mpi.messages import MpiMessages
from striate.simulate.mpi.objects import ObjectCollectives
from striate.simulate.wire import SELF, WORLD_GROUP, GroupId

_ATTRIBUTES = {
    constants.TAG_UB: constants.LARGEST_TAG,
    constants.WTIME_IS_GLOBAL: 1,
    constants.HOST: constants.PROC_NULL,
    constants.IO: constants.ANY_SOURCE,
}


@all_outside
class Comm(MpiMessages, ObjectCollectives, Attributes, metaclass=Refusing):
    """A group of ranks whose messages do not mix with those of others."""

    def __new__(cls, comm: Comm | None = None) -> Self:
        """Another object for the same communicator; programs make classes of their own with it."""
        made = super().__new__(cls)
        made._become(*((("none", -1), ()) if comm is None else (comm._id, comm._members)))
        return made

    def _become(self, group: GroupId, members: Sequence[int]) -> None:
        self._id = group
        self._members = tuple(members)
        mine = link().rank if members else -1
        self._rank = self._members.index(mine) if mine in self._members else constants.PROC_NULL
        self._attributes = {}
        self.name = ""

    @classmethod
    def _of(cls, made: tuple[GroupId, Sequence[int]] | None) -> Any:
        if made is None:
            return COMM_NULL
        comm = cls()
        comm._become(*made)
        return comm

    __getattr__ = refuse_unknown("Comm")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Comm) and self._id == other._id

    def __hash__(self) -> int:
        return hash(self._id)

    def __bool__(self) -> bool:
        return bool(self._members)

    # ---- who

    def Get_rank(self) -> int:
        self._expect_members()
        return self._rank

    def Get_size(self) -> int:
        self._expect_members()
        return len(self._members)

    def _expect_members(self) -> None:
        if not self._members:
            raise failed("ERR_COMM", "invalid communicator")

    rank = property(Get_rank)
    size = property(Get_size)
    is_inter = False
    is_intra = True
    is_topo = False

    def Is_inter(self) -> bool:
        return False

    def Is_intra(self) -> bool:
        return True

    def Get_topology(self) -> int:
        return constants.UNDEFINED

    topology = property(lambda self: self.Get_topology())

    def Get_group(self) -> MpiGroup:
        return MpiGroup(self._members)

    group = property(Get_group)

    def Compare(self, comm2: Comm) -> int:
        if self._id == comm2._id:
            return constants.IDENT
        found = self.Get_group().Compare(comm2.Get_group())
        return constants.CONGRUENT if found == constants.IDENT else found

    @classmethod
    def Get_parent(cls) -> Comm:
        return COMM_NULL

    def Get_name(self) -> str:
        return self.name

    def Set_name(self, name: str) -> None:
        self.name = name

    # ---- new ones

    def _make(self, how: str, color: int, key: int) -> tuple[GroupId, Sequence[int]] | None:
        made: tuple[GroupId, Sequence[int]] | None = link().ask("make", self._id, how, color, key)
        return made

    def Split(self, color: int = 0, key: int = 0) -> Any:
        if color < 0 and color != constants.UNDEFINED:
            raise failed("ERR_ARG", f"colour {color}")
        return Intracomm._of(self._make("split", max(color, -1), key))

    def Dup(self, info: Info | None = None) -> Any:
        return self._copy(self._make("dup", 0, self._rank))

    def Dup_with_info(self, info: Info) -> Any:
        return self.Dup(info)

    def Clone(self) -> Any:
        return self.Dup()

    def _copy(self, made: tuple[GroupId, Sequence[int]] | None) -> Any:
        return Intracomm._of(made)

    def Create(self, group: MpiGroup) -> Any:
        inside = link().rank in group.members
        key = group.members.index(link().rank) if inside else 0
        return Intracomm._of(self._make("create", 0 if inside else -1, key))

    def Split_type(self, split_type: int, key: int = 0, info: Info | None = None) -> Any:
        if split_type == constants.UNDEFINED:
            return Intracomm._of(self._make("shared", -1, key))
        if split_type != constants.COMM_TYPE_SHARED:
            raise failed("ERR_ARG", f"split type {split_type}")
        return Intracomm._of(self._make("shared", link().settings.nodes[link().rank], key))

    def Free(self) -> None:
        self._forget_attributes()
        self._become(("none", -1), ())

    def Disconnect(self) -> None:
        self.Free()

    def Abort(self, errorcode: int = 0) -> None:
        link().ask("abort", errorcode)

    # ---- what is kept with one

    def _known_attribute(self, keyval: int) -> Any:
        if keyval == constants.UNIVERSE_SIZE:
            return link().settings.ranks
        return _ATTRIBUTES.get(keyval)

    def Set_errhandler(self, errhandler: Errhandler) -> None:
        """Errors are exceptions, whatever the program asks for."""

    def Get_errhandler(self) -> Errhandler:
        return ERRORS_RETURN

    def Get_info(self) -> Info:
        return Info()

    def Set_info(self, info: Info) -> None:
        """No hint changes what is simulated."""


class Intracomm(Comm):
    """The only kind of communicator here."""


class Errhandler:
    """What MPI would do with an error."""

    def Free(self) -> None:
        pass


ERRORS_RETURN, ERRORS_ARE_FATAL, ERRORS_ABORT, ERRHANDLER_NULL = (Errhandler() for _ in range(4))
COMM_NULL = Comm()


def world() -> Intracomm:
    comm = Intracomm()
    comm._become(WORLD_GROUP, range(link().settings.ranks))
    comm.name = "MPI_COMM_WORLD"
    return comm


def alone() -> Intracomm:
    comm = Intracomm()
    comm._become((SELF, link().rank), [link().rank])
    comm.name = "MPI_COMM_SELF"
    return comm
