"""Groups of ranks, without a way to communicate."""

from __future__ import annotations

from collections.abc import Sequence

from striate.simulate.mpi import constants
from striate.simulate.mpi.errors import Refusing, refuse_unknown
from striate.simulate.mpi.link import all_outside, link


@all_outside
class MpiGroup(metaclass=Refusing):
    """World ranks in an order."""

    def __init__(self, members: Sequence[int] = ()) -> None:
        self.members = tuple(members)

    __getattr__ = refuse_unknown("Group")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MpiGroup) and self.members == other.members

    def __hash__(self) -> int:
        return hash(self.members)

    def __bool__(self) -> bool:
        return self is not GROUP_NULL

    def Get_size(self) -> int:
        return len(self.members)

    def Get_rank(self) -> int:
        mine = link().rank
        return self.members.index(mine) if mine in self.members else constants.UNDEFINED

    size = property(lambda self: self.Get_size())
    rank = property(lambda self: self.Get_rank())

    def Incl(self, ranks: Sequence[int]) -> MpiGroup:
        return MpiGroup([self.members[rank] for rank in ranks])

    def Excl(self, ranks: Sequence[int]) -> MpiGroup:
        left_out = set(ranks)
        return MpiGroup([one for rank, one in enumerate(self.members) if rank not in left_out])

    def Range_incl(self, ranks: Sequence[tuple[int, int, int]]) -> MpiGroup:
        return self.Incl([rank for first, last, step in ranks for rank in _range(first, last, step)])

    def Range_excl(self, ranks: Sequence[tuple[int, int, int]]) -> MpiGroup:
        return self.Excl([rank for first, last, step in ranks for rank in _range(first, last, step)])

    def Union(self, group2: MpiGroup) -> MpiGroup:
        return MpiGroup([*self.members, *(one for one in group2.members if one not in self.members)])

    def Intersection(self, group2: MpiGroup) -> MpiGroup:
        return MpiGroup([one for one in self.members if one in group2.members])

    def Difference(self, group2: MpiGroup) -> MpiGroup:
        return MpiGroup([one for one in self.members if one not in group2.members])

    def Compare(self, group2: MpiGroup) -> int:
        if self.members == group2.members:
            return constants.IDENT
        return constants.SIMILAR if sorted(self.members) == sorted(group2.members) else constants.UNEQUAL

    def Translate_ranks(self, ranks: Sequence[int] | None = None, group: MpiGroup | None = None) -> list[int]:
        asked = range(len(self.members)) if ranks is None else ranks
        there = group.members if group is not None else tuple(range(link().settings.ranks))
        found = [self.members[rank] if rank != constants.PROC_NULL else None for rank in asked]
        return [
            constants.PROC_NULL
            if one is None
            else (there.index(one) if one in there else constants.UNDEFINED)
            for one in found
        ]

    def Free(self) -> None:
        pass

    def Dup(self) -> MpiGroup:
        return MpiGroup(self.members)


def _range(first: int, last: int, step: int) -> range:
    return range(first, last + (1 if step > 0 else -1), step)


GROUP_NULL = MpiGroup()
GROUP_EMPTY = MpiGroup()
