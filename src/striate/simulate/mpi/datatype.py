"""MPI datatypes: which bytes of a buffer or of a file belong to a message, and what numbers they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from striate.errors import LayoutError
from striate.layout import datatypes as byte_runs
from striate.simulate.mpi import constants
from striate.simulate.mpi.errors import Refusing, failed, refuse_unknown
from striate.simulate.mpi.link import all_outside

AnyDtype = np.dtype[Any]

# name of mpi4py -> code of numpy
NUMBERS = {
    "CHAR": "i1",
    "WCHAR": "i4",
    "SIGNED_CHAR": "i1",
    "UNSIGNED_CHAR": "u1",
    "BYTE": "u1",
    "PACKED": "u1",
    "SHORT": "i2",
    "UNSIGNED_SHORT": "u2",
    "INT": "i4",
    "UNSIGNED": "u4",
    "LONG": "i8",
    "UNSIGNED_LONG": "u8",
    "LONG_LONG": "i8",
    "UNSIGNED_LONG_LONG": "u8",
    "FLOAT": "f4",
    "DOUBLE": "f8",
    "LONG_DOUBLE": "g",
    "C_BOOL": "?",
    "CXX_BOOL": "?",
    "LOGICAL": "i4",
    "INTEGER": "i4",
    "REAL": "f4",
    "DOUBLE_PRECISION": "f8",
    "COMPLEX": "c8",
    "DOUBLE_COMPLEX": "c16",
    "C_COMPLEX": "c8",
    "C_FLOAT_COMPLEX": "c8",
    "C_DOUBLE_COMPLEX": "c16",
    "CHARACTER": "i1",
    "C_LONG_DOUBLE_COMPLEX": "G",
    "AINT": "i8",
    "OFFSET": "i8",
    "COUNT": "i8",
    **{f"INT{bits}_T": f"i{bits // 8}" for bits in (8, 16, 32, 64)},
    **{f"UINT{bits}_T": f"u{bits // 8}" for bits in (8, 16, 32, 64)},
    **{f"INTEGER{size}": f"i{size}" for size in (1, 2, 4, 8)},
    **{f"REAL{size}": f"f{size}" for size in (4, 8)},
}
# The same under other names.
ALSO = {
    "INT8_T": "SINT8_T",
    "INT16_T": "SINT16_T",
    "INT32_T": "SINT32_T",
    "INT64_T": "SINT64_T",
    "C_BOOL": "BOOL",
    "UNSIGNED": "UNSIGNED_INT",
    "DOUBLE_COMPLEX": "F_DOUBLE_COMPLEX",
}
PAIRS = {
    "FLOAT_INT": "f4",
    "DOUBLE_INT": "f8",
    "LONG_INT": "i8",
    "SHORT_INT": "i2",
    "TWOINT": "i4",
    "INT_INT": "i4",
}


@all_outside
class MpiDatatype(metaclass=Refusing):
    """The bytes of one item (`runs`), and the numpy type of its elements where they all have one."""

    def __init__(
        self, runs: byte_runs.Datatype | None = None, dtype: AnyDtype | None = None, name: str = ""
    ) -> None:
        self.runs = runs if runs is not None else byte_runs.element(1)
        self.dtype = dtype
        self.name = name
        self.size = self.runs.size  # these are asked for at every call
        self.extent = self.runs.extent
        self.is_dense = self.runs.is_dense
        first = int(self.runs.runs.offsets.min()) if len(self.runs.runs) else 0
        self.reach = (first, self.runs.runs.end - first)

    __getattr__ = refuse_unknown("Datatype")

    @property
    def lb(self) -> int:
        return self.runs.lower

    @property
    def ub(self) -> int:
        return self.runs.lower + self.runs.extent

    @property
    def is_predefined(self) -> bool:
        return bool(self.name.startswith("MPI_"))

    @property
    def is_named(self) -> bool:
        return self.is_predefined

    @property
    def typestr(self) -> str:
        return "" if self.dtype is None else self.dtype.str

    def tocode(self) -> str:
        """The code of numpy, such as f8."""
        if self.dtype is None:
            raise ValueError("cannot map a derived MPI datatype to a type code of NumPy")
        return self.dtype.str[1:]

    def Get_size(self) -> int:
        return self.size

    def Get_extent(self) -> tuple[int, int]:
        return self.lb, self.extent

    def Get_true_extent(self) -> tuple[int, int]:
        return self.reach

    def Get_name(self) -> str:
        return self.name

    def Set_name(self, name: str) -> None:
        self.name = name

    def Commit(self) -> MpiDatatype:
        return self

    def Free(self) -> None:
        pass

    def Dup(self) -> MpiDatatype:
        return MpiDatatype(self.runs, self.dtype, self.name)

    def Create_dup(self) -> MpiDatatype:
        return self.Dup()

    def _derived(self, make: Any, *arguments: Any) -> MpiDatatype:
        try:
            return MpiDatatype(make(*arguments), self.dtype)
        except LayoutError as error:
            raise failed("ERR_ARG", error.message) from None

    def Create_contiguous(self, count: int) -> MpiDatatype:
        return self._derived(byte_runs.contiguous, count, self.runs)

    def Create_vector(self, count: int, blocklength: int, stride: int) -> MpiDatatype:
        return self._derived(byte_runs.vector, count, blocklength, stride, self.runs)

    def Create_hvector(self, count: int, blocklength: int, stride: int) -> MpiDatatype:
        return self._derived(byte_runs.hvector, count, blocklength, stride, self.runs)

    def Create_indexed(self, blocklengths: Sequence[int], displacements: Sequence[int]) -> MpiDatatype:
        return self._derived(byte_runs.indexed, blocklengths, displacements, self.runs)

    def Create_indexed_block(self, blocklength: int, displacements: Sequence[int]) -> MpiDatatype:
        return self.Create_indexed([blocklength] * len(displacements), displacements)

    def Create_hindexed(self, blocklengths: Sequence[int], displacements: Sequence[int]) -> MpiDatatype:
        return self._derived(byte_runs.hindexed, blocklengths, displacements, self.runs)

    def Create_hindexed_block(self, blocklength: int, displacements: Sequence[int]) -> MpiDatatype:
        return self.Create_hindexed([blocklength] * len(displacements), displacements)

    def Create_subarray(
        self,
        sizes: Sequence[int],
        subsizes: Sequence[int],
        starts: Sequence[int],
        order: int = constants.ORDER_C,
    ) -> MpiDatatype:
        letter = "C" if order == constants.ORDER_C else "F"
        return self._derived(byte_runs.subarray, sizes, subsizes, starts, self.runs, letter)

    def Create_resized(self, lb: int, extent: int) -> MpiDatatype:
        return MpiDatatype(self.runs.resized(lb, extent), self.dtype)

    @classmethod
    def Create_struct(
        cls, blocklengths: Sequence[int], displacements: Sequence[int], datatypes: Sequence[MpiDatatype]
    ) -> MpiDatatype:
        kinds = {one.dtype for one in datatypes}
        dtype = kinds.pop() if len(kinds) == 1 else None
        return MpiDatatype(
            byte_runs.struct(blocklengths, displacements, [one.runs for one in datatypes]), dtype
        )

    @classmethod
    def fromcode(cls, code: str) -> MpiDatatype:
        """The datatype of numpy's code, such as "d" or "f8"."""
        return of_dtype(np.dtype(code))


def _basic(name: str, code: str) -> MpiDatatype:
    dtype = np.dtype(code)
    return MpiDatatype(byte_runs.element(dtype.itemsize), dtype, f"MPI_{name}")


PREDEFINED = {name: _basic(name, code) for name, code in NUMBERS.items()}
PREDEFINED.update({other: PREDEFINED[name] for name, other in ALSO.items()})
for _name, _code in PAIRS.items():
    _pair = np.dtype([("value", _code), ("index", "i4")], align=True)
    PREDEFINED[_name] = MpiDatatype(byte_runs.element(_pair.itemsize), _pair, f"MPI_{_name}")
PREDEFINED["DATATYPE_NULL"] = MpiDatatype(byte_runs.element(1), None, "MPI_DATATYPE_NULL")

# The first name of each type of numbers, as mpi4py finds it: CHAR is text, BYTE and C's own names are not looked for.
_OF_DTYPE = {
    PREDEFINED[name].dtype: PREDEFINED[name]
    for name in (
        *(
            "SIGNED_CHAR",
            "UNSIGNED_CHAR",
            "SHORT",
            "UNSIGNED_SHORT",
            "INT",
            "UNSIGNED",
            "LONG",
            "UNSIGNED_LONG",
        ),
        *(
            "FLOAT",
            "DOUBLE",
            "LONG_DOUBLE",
            "C_BOOL",
            "C_FLOAT_COMPLEX",
            "C_DOUBLE_COMPLEX",
            "C_LONG_DOUBLE_COMPLEX",
        ),
    )
}


def of_dtype(dtype: AnyDtype) -> MpiDatatype:
    """The datatype of an array's elements; those that are no numbers are bytes."""
    found = _OF_DTYPE.get(dtype)
    if found is not None:
        return found
    for pair in PAIRS:
        if PREDEFINED[pair].dtype == dtype:
            return PREDEFINED[pair]
    if dtype.kind in "SV" and dtype.itemsize:
        return MpiDatatype(byte_runs.element(dtype.itemsize), dtype)
    raise KeyError(
        f"expected an array whose elements have an MPI datatype, got elements of the NumPy type {dtype.str}"
    )
