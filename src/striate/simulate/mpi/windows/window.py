"""A window of memory as its own rank knows it, and what the rank does there for others."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from striate.simulate.mpi import constants
from striate.simulate.mpi.attributes import Attributes
from striate.simulate.mpi.buffers import Bytes, Part
from striate.simulate.mpi.datatype import of_dtype
from striate.simulate.mpi.errors import failed
from striate.simulate.mpi.op import PREDEFINED
from striate.simulate.wire import Reach

ALL = constants.ANY_SOURCE  # in place of a rank
TOLD = struct.Struct(
    "<qii"
)  # 16 bytes, as in MPICH: the size of a rank's part, its unit, the number of its errand


class ShownMemory(NamedTuple):
    """The part of a window that one rank shows."""

    size: int
    unit: int  # bytes in which displacements are counted
    errand: int  # by which the rank reaches into it for others


class MemoryWindow(Attributes):
    """It has a communicator of its own, by which the coordinator knows it."""

    def __init__(self, win: MemoryWindow | None = None) -> None:
        self._attributes: dict[int, Any] = {}
        self._comm: Any = None
        self._shown: list[ShownMemory] = []
        self._memory: Bytes = np.empty(0, np.uint8)
        self._kept: Any = None  # the program's own object, as long as the window is there
        self._flavor = constants.WIN_FLAVOR_CREATE
        self._fills: dict[int, Callable[[bytes], None]] = {}  # where accesses in flight bring what they found
        self._fenced = False
        self._locked: dict[int, bool] = {}  # ranks, or all, and whether their locks were asked for
        self._started: list[int] | None = None
        self._posted: list[int] | None = None
        self.name = ""
        if win is not None:
            vars(self).update(vars(win))

    def __bool__(self) -> bool:
        return self._comm is not None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MemoryWindow) and self._comm == other._comm

    def __hash__(self) -> int:
        return hash(self._comm)

    def _expect_window(self) -> None:
        if self._comm is None:
            raise failed("ERR_WIN", "invalid window")

    @property
    def _mine(self) -> ShownMemory:
        rank: int = self._comm._rank
        return self._shown[rank]

    def _serve(self, reach: Reach) -> bytes | None:
        """Reach into this rank's memory for another; what was there, where it asks for that."""
        before = self._memory[reach.where].tobytes() if reach.kind != "put" else b""
        after = reach.content
        if "accumulate" in reach.kind:
            after = PREDEFINED[reach.operation].join_bytes(of_dtype(reach.dtype))(before, after)
        if reach.kind != "get" and (reach.kind != "compare_and_swap" or before == reach.compared):
            self._memory[reach.where] = np.frombuffer(after, np.uint8)
        return before if reach.returns else None

    def _fill_once(self, number: int, into: Part) -> Callable[[bytes], None]:
        """Bring what was found to the program, by the request or by the end of the epoch, whichever is first."""

        def fill(content: bytes) -> None:
            if self._fills.pop(number, None) is not None:
                into.fill(content)

        self._fills[number] = fill
        return fill

    def _bring(self, found: dict[int, bytes]) -> None:
        for number, content in found.items():
            if number in self._fills:
                self._fills[number](content)
