"""Cartesian topologies: ranks on a grid, in C order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from striate.simulate.mpi import constants
from striate.simulate.mpi.comm import Comm
from striate.simulate.mpi.errors import failed
from striate.simulate.mpi.link import all_outside, outside
from striate.simulate.mpi.topology import Topocomm


@all_outside
class Cartcomm(Topocomm):
    """A communicator whose ranks have coordinates."""

    _topology = constants.CART
    _dims: list[int]
    _periods: list[bool]
    dims = property(lambda self: list(self._dims))
    periods = property(lambda self: list(self._periods))

    @property
    def dim(self) -> int:
        return len(self._dims)

    ndim = dim

    @property
    def coords(self) -> list[int]:
        return self.Get_coords(self._rank)

    @property
    def topo(self) -> tuple[list[int], list[bool], list[int]]:
        return self.Get_topo()

    def Get_dim(self) -> int:
        return len(self._dims)

    def Get_topo(self) -> tuple[list[int], list[bool], list[int]]:
        return list(self._dims), list(self._periods), self.Get_coords(self._rank)

    def Get_coords(self, rank: int) -> list[int]:
        if not 0 <= rank < len(self._members):
            raise failed("ERR_RANK", f"rank {rank} of a grid of {len(self._members)}")
        found = []
        for extent in reversed(self._dims):
            rank, coordinate = divmod(rank, extent)
            found.append(coordinate)
        return found[::-1]

    def Get_cart_rank(self, coords: Sequence[int]) -> int:
        rank = 0
        for coordinate, extent, wraps in zip(coords, self._dims, self._periods, strict=True):
            if wraps:
                coordinate %= extent
            elif not 0 <= coordinate < extent:
                raise failed("ERR_ARG", f"coordinate {coordinate} of a dimension of {extent}")
            rank = rank * extent + coordinate
        return rank

    def Shift(self, direction: int, disp: int) -> tuple[int, int]:
        """Who sends to this rank and to whom it sends, when all shift by `disp`."""
        if not 0 <= direction < len(self._dims):
            raise failed("ERR_DIMS", f"direction {direction} of {len(self._dims)} dimensions")
        return self._neighbour(direction, -disp), self._neighbour(direction, disp)

    def _neighbour(self, direction: int, disp: int) -> int:
        coords = self.Get_coords(self._rank)
        coords[direction] += disp
        outside_grid = not 0 <= coords[direction] < self._dims[direction]
        if outside_grid and not self._periods[direction]:
            return constants.PROC_NULL
        return self.Get_cart_rank(coords)

    def Sub(self, remain_dims: Sequence[bool]) -> Any:
        """The grid of the ranks that differ from this one in the remaining dimensions only."""
        coords = self.Get_coords(self._rank)
        color = key = 0
        for coordinate, extent, stays in zip(coords, self._dims, remain_dims, strict=True):
            color, key = (color, key * extent + coordinate) if stays else (color * extent + coordinate, key)
        kept = [at for at, stays in enumerate(remain_dims) if stays]
        made = self._make("sub", color, key)
        return _on_grid(made, [self._dims[at] for at in kept], [self._periods[at] for at in kept])

    def _neighbours(self) -> tuple[list[int], list[int]]:
        """Before and behind in each dimension."""
        found = [self._neighbour(axis, step) for axis in range(len(self._dims)) for step in (-1, 1)]
        return found, list(found)

    def _receive_order(self, degree: int) -> Sequence[int]:
        """What a rank sends backwards comes from behind, also where both neighbours are the same rank."""
        found, _ = self._neighbours()
        return [at ^ 1 if found[at] == found[at ^ 1] else at for at in range(degree)]

    def _copy(self, made: Any) -> Any:
        return _on_grid(made, self._dims, self._periods)


def _on_grid(made: Any, dims: Sequence[int], periods: Sequence[bool]) -> Any:
    return Cartcomm._with(made, _dims=list(dims), _periods=list(periods))


@outside
def create_cart(
    self: Comm, dims: Sequence[int] | int, periods: Sequence[bool] | bool | None = None, reorder: bool = False
) -> Any:
    """The grid `dims` of the first ranks; the others get COMM_NULL."""
    extents, wraps = _grid(dims, periods)
    if math.prod(extents) > len(self._members) or min(extents, default=1) < 1:
        raise failed("ERR_DIMS", f"a grid of {' x '.join(map(str, extents))} of {len(self._members)} ranks")
    inside = self._rank < math.prod(extents)
    return _on_grid(self._make("cart", 0 if inside else -1, self._rank), extents, wraps)


def _grid(dims: Sequence[int] | int, periods: Sequence[bool] | bool | None) -> tuple[list[int], list[bool]]:
    """The extents of a grid, and which of its dimensions wrap."""
    extents = [dims] if isinstance(dims, int) else [int(one) for one in dims]
    given = False if periods is None else periods
    wraps = [bool(given)] * len(extents) if isinstance(given, bool | int) else [bool(one) for one in given]
    if len(wraps) != len(extents):
        raise ValueError(f"expecting {len(extents)} periods, got {len(wraps)}")
    return extents, wraps


@outside
def cart_map(self: Comm, dims: Sequence[int] | int, periods: Sequence[bool] | bool | None = None) -> int:
    """The rank on a grid that is made of the first ranks."""
    extents, _ = _grid(dims, periods)
    return self._rank if self._rank < math.prod(extents) else constants.UNDEFINED


Comm.Create_cart = create_cart  # type: ignore[attr-defined]
Comm.Cart_map = cart_map  # type: ignore[attr-defined]


@outside
def compute_dims(nnodes: int, dims: Sequence[int] | int) -> list[int]:
    """A balanced grid of `nnodes` ranks; numbers above 0 in `dims` stay."""
    found = [0] * dims if isinstance(dims, int) else [int(one) for one in dims]
    free = [at for at, extent in enumerate(found) if extent <= 0]
    fixed = math.prod(extent for extent in found if extent > 0)
    if nnodes % fixed:
        raise failed("ERR_DIMS", f"{nnodes} ranks on a grid with {fixed} fixed")
    for at, extent in zip(free, _balanced(nnodes // fixed, len(free)), strict=True):
        found[at] = extent
    return found


def _balanced(number: int, parts: int) -> list[int]:
    """Factors of `number`, largest first, as close to each other as they can be."""
    if parts == 0:
        return []
    if parts == 1:
        return [number]
    best = [number] + [1] * (parts - 1)
    for factor in (one for one in range(1, number + 1) if number % one == 0):
        rest = sorted([factor, *_balanced(number // factor, parts - 1)], reverse=True)
        if (rest[0], -rest[-1]) < (best[0], -best[-1]):
            best = rest
    return best
