"""Reductions: MPI's operations on numbers in buffers and on Python objects, and those that programs define."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from striate.simulate.mpi.datatype import MpiDatatype
from striate.simulate.mpi.errors import Refusing, failed, refuse_unknown
from striate.simulate.mpi.link import all_outside

Value = TypeVar("Value")
Function = Callable[[Any, Any], Any]


def _later(before: Any, after: Any) -> Any:
    return after


def _located(better: Callable[[Any, Any], bool]) -> Function:
    """The better of two pairs of a value and a place; of equal values the lower place."""

    def choose(left: Any, right: Any) -> Any:
        (value, place), (other, other_place) = left, right
        if value == other:
            return (value, min(place, other_place))
        return left if better(value, other) else right

    return choose


def _located_arrays(better: Any) -> Function:
    def choose(left: Any, right: Any) -> Any:
        wins = better(left["value"], right["value"]) | (
            (left["value"] == right["value"]) & (left["index"] <= right["index"])
        )
        return np.where(wins, left, right)

    return choose


def _logical(function: Function) -> Function:
    return lambda left, right: function(bool(left), bool(right))


# name -> (on objects, on arrays)
TABLE: dict[str, tuple[Function, Function]] = {
    "MAX": (lambda left, right: right if right > left else left, np.maximum),
    "MIN": (lambda left, right: right if right < left else left, np.minimum),
    "SUM": (operator.add, np.add),
    "PROD": (operator.mul, np.multiply),
    "LAND": (_logical(operator.and_), np.logical_and),
    "BAND": (operator.and_, np.bitwise_and),
    "LOR": (_logical(operator.or_), np.logical_or),
    "BOR": (operator.or_, np.bitwise_or),
    "LXOR": (_logical(operator.xor), np.logical_xor),
    "BXOR": (operator.xor, np.bitwise_xor),
    "MAXLOC": (_located(operator.gt), _located_arrays(np.greater)),
    "MINLOC": (_located(operator.lt), _located_arrays(np.less)),
    "REPLACE": (_later, _later),
    "NO_OP": (lambda left, right: left, lambda left, right: left),
}


@all_outside
class Op(metaclass=Refusing):
    """An operation that joins two values; `left` comes from the lower rank."""

    def __init__(self, name: str = "", function: Function | None = None, commute: bool = True) -> None:
        self.name = name
        self._function = function  # of a program: (in, in and out, datatype)
        self.is_commutative = commute

    __getattr__ = refuse_unknown("Op")

    @classmethod
    def Create(cls, function: Function, commute: bool = False) -> Op:
        return cls("", function, commute)

    @property
    def is_predefined(self) -> bool:
        return self._function is None

    def Free(self) -> None:
        pass

    def Is_commutative(self) -> bool:
        return self.is_commutative

    def Is_predefined(self) -> bool:
        return self.is_predefined

    def __call__(self, left: Any, right: Any) -> Any:
        if self._function is not None:
            return self._function(left, right)
        return TABLE[self.name][0](left, right)

    def join_bytes(self, datatype: MpiDatatype) -> Callable[[bytes, bytes], bytes]:
        """How two contents of such elements are joined."""
        if self._function is not None:
            return lambda left, right: self._joined_by_program(left, right, datatype)
        dtype = datatype.dtype
        if dtype is None:
            raise failed("ERR_OP", f"MPI_{self.name} of a datatype that is not made of equal numbers")
        function = TABLE[self.name][1]

        def join(left: bytes, right: bytes) -> bytes:
            found = function(np.frombuffer(left, dtype), np.frombuffer(right, dtype))
            return bytes(np.asarray(found).astype(dtype, copy=False).tobytes())

        return join

    def _joined_by_program(self, left: bytes, right: bytes, datatype: MpiDatatype) -> bytes:
        assert self._function is not None
        result = bytearray(right)
        function: Any = self._function
        function(memoryview(left), memoryview(result), datatype)
        return bytes(result)


def reduced(values: Sequence[Value], join: Callable[[Value, Value], Value]) -> Value:
    """All values joined in pairs of neighbours, then pairs of pairs: the order of a binomial tree, rank 0 first."""
    level = list(values)
    while len(level) > 1:
        level = [
            join(level[at], level[at + 1]) if at + 1 < len(level) else level[at]
            for at in range(0, len(level), 2)
        ]
    return level[0]


def prefixes(values: Sequence[Value], join: Callable[[Value, Value], Value]) -> list[Value]:
    """What ranks 0 to i have together, for every i."""
    found = list(values[:1])
    for value in values[1:]:
        found.append(join(found[-1], value))
    return found


PREDEFINED = {name: Op(name) for name in TABLE} | {"OP_NULL": Op("OP_NULL")}
