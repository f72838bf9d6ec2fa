"""Collective algorithms as the columns that the engine plays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Int64s = NDArray[np.int64]

MEETS, LISTED, REACTS = (
    -1,
    -2,
    -3,
)  # values of `first_member`, core/include/striate/programs/collective_book.hpp


@dataclass(frozen=True, slots=True, eq=False)
class CollectiveBook:
    """Collective algorithms as columns; core/include/striate/programs/collective_book.hpp says what each means."""

    kind: NDArray[np.uint8]
    members: Int64s
    root: Int64s
    bytes: Int64s
    first_member: Int64s
    first_action: Int64s
    action: NDArray[np.uint8]
    peer: NDArray[np.int32]
    amount: Int64s
    algorithm: Int64s = field(default_factory=lambda: np.empty(0, np.int64))
    first_group: Int64s = field(default_factory=lambda: np.empty(0, np.int64))
    first_call: Int64s = field(default_factory=lambda: np.empty(0, np.int64))
    call: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))
    reacting: Mapping[int, Any] = field(default_factory=dict)  # by schedule: what its plug-in is asked

    @classmethod
    def empty(cls) -> CollectiveBook:
        """No schedules at all: barriers synchronise at no cost, other collectives are refused."""
        none = np.empty(0, np.int64)
        small = np.empty(0, np.uint8)
        return cls(small, none, none, none, none, np.zeros(1, np.int64), small, np.empty(0, np.int32), none)
