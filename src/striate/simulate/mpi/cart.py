"""Cartesian topologies: ranks on a grid, in C order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from striate.simulate.mpi import constants
from striate.simulate.mpi.comm import COMM_NULL, Comm, Intracomm
from striate.simulate.mpi.errors import failed
from striate.simulate.mpi.link import all_outside, outside


@all_outside
class Cartcomm(Intracomm):
    """A communicator whose ranks have coordinates."""

    dims: list[int]
    periods: list[bool]
    is_topo = True

    @property
    def dim(self) -> int:
        return len(self.dims)

    ndim = dim

    @property
    def coords(self) -> list[int]:
        return self.Get_coords(self._rank)

    @property
    def topo(self) -> tuple[list[int], list[bool], list[int]]:
        return self.Get_topo()

    def Get_topology(self) -> int:
        return constants.CART

    def Get_dim(self) -> int:
        return len(self.dims)

    def Get_topo(self) -> tuple[list[int], list[bool], list[int]]:
        return list(self.dims), list(self.periods), self.Get_coords(self._rank)

    def Get_coords(self, rank: int) -> list[int]:
        if not 0 <= rank < len(self._members):
            raise failed("ERR_RANK", f"rank {rank} of a grid of {len(self._members)}")
        found = []
        for extent in reversed(self.dims):
            rank, coordinate = divmod(rank, extent)
            found.append(coordinate)
        return found[::-1]

    def Get_cart_rank(self, coords: Sequence[int]) -> int:
        rank = 0
        for coordinate, extent, wraps in zip(coords, self.dims, self.periods, strict=True):
            if wraps:
                coordinate %= extent
            elif not 0 <= coordinate < extent:
                raise failed("ERR_ARG", f"coordinate {coordinate} of a dimension of {extent}")
            rank = rank * extent + coordinate
        return rank

    def Shift(self, direction: int, disp: int) -> tuple[int, int]:
        """Who sends to this rank and to whom it sends, when all shift by `disp`."""
        if not 0 <= direction < len(self.dims):
            raise failed("ERR_DIMS", f"direction {direction} of {len(self.dims)} dimensions")
        return self._neighbour(direction, -disp), self._neighbour(direction, disp)

    def _neighbour(self, direction: int, disp: int) -> int:
        coords = self.Get_coords(self._rank)
        coords[direction] += disp
        outside_grid = not 0 <= coords[direction] < self.dims[direction]
        if outside_grid and not self.periods[direction]:
            return constants.PROC_NULL
        return self.Get_cart_rank(coords)

    def Sub(self, remain_dims: Sequence[bool]) -> Any:
        """The grid of the ranks that differ from this one in the remaining dimensions only."""
        coords = self.Get_coords(self._rank)
        color = key = 0
        for coordinate, extent, stays in zip(coords, self.dims, remain_dims, strict=True):
            color, key = (color, key * extent + coordinate) if stays else (color * extent + coordinate, key)
        kept = [at for at, stays in enumerate(remain_dims) if stays]
        made = self._make("sub", color, key)
        return _on_grid(made, [self.dims[at] for at in kept], [self.periods[at] for at in kept])

    def _copy(self, made: Any) -> Any:
        return _on_grid(made, self.dims, self.periods)


def _on_grid(made: Any, dims: Sequence[int], periods: Sequence[bool]) -> Any:
    comm = Cartcomm._of(made)
    if comm is not COMM_NULL:
        comm.dims, comm.periods = list(dims), list(periods)
    return comm


@outside
def create_cart(
    self: Comm, dims: Sequence[int] | int, periods: Sequence[bool] | bool | None = None, reorder: bool = False
) -> Any:
    """The grid `dims` of the first ranks; the others get COMM_NULL."""
    extents = [dims] if isinstance(dims, int) else [int(one) for one in dims]
    given = False if periods is None else periods
    wraps = [bool(given)] * len(extents) if isinstance(given, bool | int) else [bool(one) for one in given]
    if math.prod(extents) > len(self._members) or min(extents, default=1) < 1:
        raise failed("ERR_DIMS", f"a grid of {' x '.join(map(str, extents))} of {len(self._members)} ranks")
    inside = self._rank < math.prod(extents)
    return _on_grid(self._make("cart", 0 if inside else -1, self._rank), extents, wraps)


Comm.Create_cart = create_cart  # type: ignore[attr-defined]


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
