"""What the stand-in raises: MPI's own errors, and a refusal of what is not simulated."""

from __future__ import annotations

from typing import Any

SUCCESS = 0
CLASSES = {  # the numbers of MPICH
    "ERR_BUFFER": 1,
    "ERR_COUNT": 2,
    "ERR_TYPE": 3,
    "ERR_TAG": 4,
    "ERR_COMM": 5,
    "ERR_RANK": 6,
    "ERR_ROOT": 7,
    "ERR_GROUP": 8,
    "ERR_OP": 9,
    "ERR_TOPOLOGY": 10,
    "ERR_DIMS": 11,
    "ERR_ARG": 12,
    "ERR_UNKNOWN": 13,
    "ERR_TRUNCATE": 14,
    "ERR_OTHER": 15,
    "ERR_INTERN": 16,
    "ERR_IN_STATUS": 17,
    "ERR_PENDING": 18,
    "ERR_REQUEST": 19,
    "ERR_ACCESS": 20,
    "ERR_AMODE": 21,
    "ERR_BAD_FILE": 22,
    "ERR_CONVERSION": 23,
    "ERR_DUP_DATAREP": 24,
    "ERR_FILE_EXISTS": 25,
    "ERR_FILE_IN_USE": 26,
    "ERR_FILE": 27,
    "ERR_INFO": 28,
    "ERR_INFO_KEY": 29,
    "ERR_INFO_VALUE": 30,
    "ERR_INFO_NOKEY": 31,
    "ERR_IO": 32,
    "ERR_NAME": 33,
    "ERR_NO_MEM": 34,
    "ERR_NOT_SAME": 35,
    "ERR_NO_SPACE": 36,
    "ERR_NO_SUCH_FILE": 37,
    "ERR_PORT": 38,
    "ERR_QUOTA": 39,
    "ERR_READ_ONLY": 40,
    "ERR_SERVICE": 41,
    "ERR_SPAWN": 42,
    "ERR_UNSUPPORTED_DATAREP": 43,
    "ERR_UNSUPPORTED_OPERATION": 44,
    "ERR_WIN": 45,
    "ERR_BASE": 46,
    "ERR_LOCKTYPE": 47,
    "ERR_KEYVAL": 48,
    "ERR_RMA_CONFLICT": 49,
    "ERR_RMA_SYNC": 50,
    "ERR_SIZE": 51,
    "ERR_DISP": 52,
    "ERR_ASSERT": 53,
    "ERR_RMA_RANGE": 55,
    "ERR_RMA_ATTACH": 56,
    "ERR_RMA_SHARED": 57,
    "ERR_RMA_FLAVOR": 58,
    "ERR_SESSION": 75,
    "ERR_PROC_ABORTED": 76,
    "ERR_VALUE_TOO_LARGE": 77,
    "ERR_ERRHANDLER": 80,
}
_NAMES = {number: name for name, number in CLASSES.items()}


class MpiError(RuntimeError):
    """An error of MPI, with its class; programs know it as `MPI.Exception`."""

    def __init__(self, ierr: int = SUCCESS, words: str = "") -> None:
        super().__init__(ierr, words)
        self.ierr = ierr
        self.words = words

    def __str__(self) -> str:
        return f"MPI_{_NAMES.get(self.ierr, 'SUCCESS')}" + (f": {self.words}" if self.words else "")

    def __int__(self) -> int:
        return self.ierr

    def __eq__(self, other: object) -> bool:
        return int(other) == self.ierr if isinstance(other, MpiError | int) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.ierr)

    def Get_error_code(self) -> int:
        return self.ierr

    def Get_error_class(self) -> int:
        return self.ierr

    def Get_error_string(self) -> str:
        return str(self)

    error_code = property(Get_error_code)
    error_class = property(Get_error_class)
    error_string = property(Get_error_string)


MpiError.__module__ = "mpi4py.MPI"


def failed(name: str, words: str) -> MpiError:
    """The error of class `name`."""
    return MpiError(CLASSES[name], words)


class NotSimulatedError(AttributeError, NotImplementedError):
    """A part of mpi4py that the stand-in does not have."""


class NotSimulatedModuleError(ImportError):
    """A module of mpi4py that the stand-in does not have."""


def refuse_unknown(kind: str) -> Any:
    """A `__getattr__` for a class of the stand-in."""

    def missing(self: object, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotSimulatedError(f"MPI.{kind}.{name} is not simulated")

    return missing


class Refusing(type):
    """A class of which unknown class attributes are refused by name, too."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotSimulatedError(f"MPI.{cls.__name__}.{name} is not simulated")
