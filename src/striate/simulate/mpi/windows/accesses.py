"""Calls that reach into the memory of another rank; an epoch's end, or a request, completes them."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from striate.simulate.mpi import constants
from striate.simulate.mpi.buffers import Part, whole_part
from striate.simulate.mpi.datatype import MpiDatatype
from striate.simulate.mpi.errors import failed
from striate.simulate.mpi.link import all_outside, link
from striate.simulate.mpi.op import PREDEFINED, Op
from striate.simulate.mpi.request import MpiRequest
from striate.simulate.mpi.windows.window import ALL, MemoryWindow
from striate.simulate.wire import Reach

SUM, NO_OP = PREDEFINED["SUM"], PREDEFINED["NO_OP"]


@all_outside
class WindowAccesses(MemoryWindow):
    """Put, get, accumulate, and those that do two of them at once."""

    def _target(self, rank: int, target: Any, origin: Part) -> Part:
        """The bytes that an access is about, counted from the beginning of the target's memory."""
        shift, count, kind = 0, origin.count, origin.datatype
        if isinstance(target, list | tuple):
            if len(target) > 3:
                raise ValueError(
                    "target: expecting at most 3 items (displacement, count, datatype), "
                    f"got {len(target)} items"
                )
            shift = target[0] if target else 0
            count = operator.index(target[1]) if len(target) > 1 else count
            kind = target[2] if len(target) > 2 else kind
        elif target is not None:
            shift = operator.index(target)
        if isinstance(kind, str):
            kind = MpiDatatype.fromcode(kind)
        part = Part(np.empty(0, np.uint8), kind, count, operator.index(shift) * self._shown[rank].unit)
        first, end = part.span
        if count and (first < 0 or end > self._shown[rank].size):
            raise failed(
                "ERR_RMA_RANGE", f"bytes {first} to {end} of {self._shown[rank].size} at rank {rank}"
            )
        return part

    def _expect_epoch(self, rank: int) -> None:
        self._expect_window()
        if not 0 <= rank < len(self._shown):
            raise failed("ERR_RANK", f"rank {rank} of a window of {len(self._shown)}")
        if not (self._fenced or self._locked.keys() & {rank, ALL} or rank in (self._started or ())):
            raise failed("ERR_RMA_SYNC", f"no epoch on the memory of rank {rank} has begun")

    def _access(
        self,
        kind: str,
        rank: int,
        target: Any,
        origin: Part,
        *,
        into: Part | None = None,
        op: Op | None = None,
        compared: bytes = b"",
        later: bool = False,
    ) -> MpiRequest:
        """Begin an access; `into` is where it brings what it finds."""
        number = link().new_handle()
        if rank == constants.PROC_NULL:
            return MpiRequest(-number)
        self._expect_epoch(rank)
        part = self._target(rank, target, into if kind == "get" and into is not None else origin)
        content = b"" if kind == "get" or op is NO_OP else origin.content()
        dtype = None if op is None else self._elements(origin, into, part, op)
        if content and len(content) != part.size:
            raise failed("ERR_COUNT", f"{len(content)} bytes for {part.size} at the target")
        name = "" if op is None else op.name
        if op is NO_OP:
            kind = "get"
        reach = Reach(kind, part.where(), part.size, content, name, dtype, compared)
        fill = self._fill_once(number, into) if into is not None else None
        errand = self._shown[rank].errand
        link().tell("access", self._comm._id, rank, errand, reach, number, later, size=len(content))
        return MpiRequest(number, fill)

    def _elements(self, origin: Part, into: Part | None, target: Part, op: Op) -> Any:
        if not op.is_predefined:
            raise failed("ERR_OP", "an operation of the program's own in an access")
        return (target if op is not NO_OP or into is None else into).datatype.dtype

    def Put(self, origin: Any, target_rank: int, target: Any = None) -> None:
        self._access("put", target_rank, target, whole_part(origin))

    def Rput(self, origin: Any, target_rank: int, target: Any = None) -> MpiRequest:
        return self._access("put", target_rank, target, whole_part(origin), later=True)

    def Get(self, origin: Any, target_rank: int, target: Any = None) -> None:
        part = whole_part(origin)
        self._access("get", target_rank, target, part, into=part)

    def Rget(self, origin: Any, target_rank: int, target: Any = None) -> MpiRequest:
        part = whole_part(origin)
        return self._access("get", target_rank, target, part, into=part, later=True)

    def Accumulate(self, origin: Any, target_rank: int, target: Any = None, op: Op = SUM) -> None:
        self._access("accumulate", target_rank, target, whole_part(origin), op=op)

    def Raccumulate(self, origin: Any, target_rank: int, target: Any = None, op: Op = SUM) -> MpiRequest:
        return self._access("accumulate", target_rank, target, whole_part(origin), op=op, later=True)

    def Get_accumulate(
        self, origin: Any, result: Any, target_rank: int, target: Any = None, op: Op = SUM
    ) -> None:
        into = whole_part(result)
        self._access("get_accumulate", target_rank, target, whole_part(origin), into=into, op=op)

    def Rget_accumulate(
        self, origin: Any, result: Any, target_rank: int, target: Any = None, op: Op = SUM
    ) -> MpiRequest:
        into = whole_part(result)
        return self._access(
            "get_accumulate", target_rank, target, whole_part(origin), into=into, op=op, later=True
        )

    def Fetch_and_op(
        self, origin: Any, result: Any, target_rank: int, target_disp: int = 0, op: Op = SUM
    ) -> None:
        given, into = _single("origin", origin), _single("result", result)
        _expect_alike(given, into)
        self._access("get_accumulate", target_rank, target_disp, given, into=into, op=op)

    def Compare_and_swap(
        self, origin: Any, compare: Any, result: Any, target_rank: int, target_disp: int = 0
    ) -> None:
        given, into = _single("origin", origin), _single("result", result)
        compared = _single("compare", compare)
        _expect_alike(given, into)
        _expect_alike(given, compared)
        self._access(
            "compare_and_swap", target_rank, target_disp, given, into=into, compared=compared.content()
        )


def _single(what: str, message: Any) -> Part:
    """A message of one item."""
    part = whole_part(message)
    if part.count != 1:
        raise ValueError(f"{what}: expecting a buffer with a single element, got {part.count} elements")
    return part


def _expect_alike(one: Part, other: Part) -> None:
    if one.datatype.size != other.datatype.size:
        raise ValueError(
            "expected elements of the same size at origin and target, "
            f"got {one.datatype.size} and {other.datatype.size} bytes"
        )
