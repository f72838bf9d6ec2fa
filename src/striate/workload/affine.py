"""Values that depend on loop indices: what `with body.repeat(100) as step:` hands out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from striate.errors import WorkloadError

_NUMBERS = int | np.integer | np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Affine:
    """`base + sum of stride * index`; base is a number or an array over ranks, strides are numbers by loop."""

    base: Any
    strides: tuple[tuple[int, int], ...]  # (loop, stride)

    __array_ufunc__ = None  # an array on the left leaves the arithmetic to us

    def __add__(self, other: Any) -> Affine:
        if isinstance(other, Affine):
            merged = dict(self.strides)
            for loop, stride in other.strides:
                merged[loop] = merged.get(loop, 0) + stride
            return Affine(self.base + other.base, tuple(merged.items()))
        if isinstance(other, _NUMBERS):
            return Affine(self.base + other, self.strides)
        return NotImplemented

    __radd__ = __add__

    def __neg__(self) -> Affine:
        return self * -1

    def __sub__(self, other: Any) -> Affine:
        return self.__add__(-other)

    def __rsub__(self, other: Any) -> Affine:
        return (-self).__add__(other)

    def __mul__(self, factor: Any) -> Affine:
        if not isinstance(factor, int | np.integer):
            raise WorkloadError(
                f"a loop index can be multiplied by a whole number only, not by {factor!r:.60}"
            )
        return Affine(
            self.base * factor, tuple((loop, stride * int(factor)) for loop, stride in self.strides)
        )

    __rmul__ = __mul__
