"""What Recorder's calls mean: which of their arguments are file, offset, count, type, peer, tag, communicator."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from striate.formats.readers.recorder.grammar import Signature
from striate.trace.functions import Meaning, meaning

# Bytes of the datatypes that have names of their own; others have none that the trace tells.
TYPE_BYTES: Mapping[str, int] = {
    "MPI_BYTE": 1, "MPI_PACKED": 1, "MPI_CHAR": 1, "MPI_SIGNED_CHAR": 1, "MPI_UNSIGNED_CHAR": 1, "MPI_CHARACTER": 1,
    "MPI_INT8_T": 1, "MPI_UINT8_T": 1, "MPI_C_BOOL": 1, "MPI_SHORT": 2, "MPI_UNSIGNED_SHORT": 2, "MPI_INT16_T": 2,
    "MPI_UINT16_T": 2, "MPI_INT": 4, "MPI_UNSIGNED": 4, "MPI_INT32_T": 4, "MPI_UINT32_T": 4, "MPI_FLOAT": 4,
    "MPI_INTEGER": 4, "MPI_REAL": 4, "MPI_LOGICAL": 4, "MPI_INTEGER4": 4, "MPI_REAL4": 4, "MPI_LONG": 8,
    "MPI_UNSIGNED_LONG": 8, "MPI_LONG_LONG": 8, "MPI_LONG_LONG_INT": 8, "MPI_UNSIGNED_LONG_LONG": 8,
    "MPI_INT64_T": 8, "MPI_UINT64_T": 8, "MPI_DOUBLE": 8, "MPI_DOUBLE_PRECISION": 8, "MPI_REAL8": 8,
    "MPI_INTEGER8": 8, "MPI_AINT": 8, "MPI_OFFSET": 8, "MPI_COUNT": 8, "MPI_C_FLOAT_COMPLEX": 8, "MPI_COMPLEX": 8,
    "MPI_LONG_DOUBLE": 16, "MPI_C_DOUBLE_COMPLEX": 16, "MPI_DOUBLE_COMPLEX": 16,
}  # fmt: skip

# Places of arguments, counted from 0; a count beside a type is in elements.
_POSIX: Mapping[str, dict[str, int]] = {
    "read": {"file": 0, "count": 2}, "write": {"file": 0, "count": 2},
    "pread": {"file": 0, "count": 2, "offset": 3}, "pwrite": {"file": 0, "count": 2, "offset": 3},
    "readv": {"file": 0, "count": 1}, "writev": {"file": 0, "count": 1},
    "fread": {"size": 1, "count": 2, "file": 3}, "fwrite": {"size": 1, "count": 2, "file": 3},
    "lseek": {"file": 0, "offset": 1, "whence": 2}, "fseek": {"file": 0, "offset": 1, "whence": 2},
    "fseeko": {"file": 0, "offset": 1, "whence": 2}, "open": {"file": 0, "mode": 1}, "fopen": {"file": 0, "mode": 1},
    "__xstat": {"file": 1}, "__lxstat": {"file": 1}, "__fxstat": {"file": 1}, "creat": {"file": 0},
}  # fmt: skip
_SEND = {"count": 1, "type": 2, "peer": 3, "tag": 4, "comm": 5, "request": 6}
# Gathers tell what each rank sends, scatters what each receives.
_ALL = {"count": 1, "type": 2, "comm": 6, "request": 7}
_MPI: Mapping[str, dict[str, int]] = {
    "send": _SEND, "ssend": _SEND, "bsend": _SEND, "rsend": _SEND, "recv": _SEND,
    "sendrecv": {"count": 1, "type": 2, "peer": 3, "tag": 4, "count2": 6, "type2": 7, "source": 8,
                 "source_tag": 9, "comm": 10},
    "barrier": {"comm": 0, "request": 1}, "bcast": {"count": 1, "type": 2, "root": 3, "comm": 4, "request": 5},
    "gather": {"count": 1, "type": 2, "root": 6, "comm": 7, "request": 8},
    "scatter": {"count": 4, "type": 5, "root": 6, "comm": 7, "request": 8},
    "gatherv": {"count": 1, "type": 2, "root": 7, "comm": 8, "request": 9},
    "scatterv": {"count": 5, "type": 6, "root": 7, "comm": 8, "request": 9},
    "allgather": _ALL, "alltoall": _ALL, "allgatherv": {"count": 1, "type": 2, "comm": 7, "request": 8},
    "reduce": {"count": 2, "type": 3, "root": 5, "comm": 6, "request": 7},
    "allreduce": {"count": 2, "type": 3, "comm": 5, "request": 6}, "scan": {"count": 2, "type": 3, "comm": 5},
    "reduce_scatter": {"comm": 5},
    "wait": {"requests": 0}, "waitall": {"requests": 1}, "waitsome": {"requests": 1}, "waitany": {"requests": 1},
    "test": {"requests": 0, "flag": 1}, "testall": {"requests": 1, "flag": 2},
    "comm_split": {"comm": 0, "created": 3, "place": 4}, "comm_dup": {"comm": 0, "created": 1, "place": 2},
    "comm_create": {"comm": 0, "created": 2, "place": 3}, "comm_split_type": {"comm": 0, "created": 4, "place": 5},
    "cart_create": {"comm": 0, "created": 5, "place": 6}, "cart_sub": {"comm": 0, "created": 2, "place": 3},
}  # fmt: skip
_FILE: Mapping[str, dict[str, int]] = {
    "open": {"comm": 0, "file": 1, "mode": 2, "handle": 4},
    "set_view": {"handle": 0, "offset": 1, "type": 2, "type2": 3},
    "seek": {"handle": 0, "offset": 1, "whence": 2},
}
_LINE = re.compile(r"(-?\d{1,18})\*r\+(-?\d{1,18})")  # an offset that was found to be a line over ranks


@dataclass(frozen=True, slots=True)
class RecorderCall:
    """A signature with its meaning; numbers that it does not tell are None."""

    name: str
    means: Meaning
    thread: int
    arguments: Mapping[str, str]

    def text(self, name: str) -> str:
        return self.arguments.get(name, "")

    def number(self, name: str, rank: int = 0) -> int | None:
        """An argument as a number of 62 bits; of a line over ranks, its value for `rank`."""
        text = self.arguments.get(name, "")
        if len(text) > 40:
            return None
        line = _LINE.fullmatch(text)
        try:
            value = int(line[1]) * rank + int(line[2]) if line else int(text)
        except ValueError:
            return None
        return value if -(2**62) < value < 2**62 else None

    def bytes(self, count: str = "count", kind: str = "type") -> int | None:
        """Bytes that were asked for."""
        number = self.number(count)
        if kind in self.arguments:
            size = TYPE_BYTES.get(self.text(kind))
        else:
            size = self.number("size") if "size" in self.arguments else 1
        if number is None or size is None or not 0 <= number * size < 2**62:
            return None
        return number * size


def call_of(signature: Signature, functions: tuple[str, ...]) -> RecorderCall | None:
    """What a signature means; None for functions of other libraries, or numbers that no function has."""
    if not 0 <= signature.function < len(functions):
        return None
    name = functions[signature.function]
    if not name or name.startswith(("H5", "ncmpi", "nc_", "nc__", "cuda")):
        return None
    places = _places(name, len(signature.arguments))
    told = {word: signature.arguments[at] for word, at in places.items() if at < len(signature.arguments)}
    return RecorderCall(name, meaning(name), signature.thread, told)


def _places(name: str, count: int) -> Mapping[str, int]:
    if name.startswith("MPI_File_"):
        word = name.removeprefix("MPI_File_").removesuffix("_c")
        if "read" in word or "write" in word:
            at = int("_at" in word)
            return {"handle": 0, "count": 2 + at, "type": 3 + at} | ({"offset": 1} if at else {})
        return _FILE.get(word, {"handle": 0})
    if name.startswith("MPI_"):
        word = name.removeprefix("MPI_").removesuffix("_c").lower()
        return _MPI.get(word) or _MPI.get(word[1:] if word.startswith("i") else "", {})
    word = name.removesuffix("64")
    if word in ("fread", "fwrite") and count == 3:
        return {"count": 1, "file": 2}
    return _POSIX.get(word, {"file": 0})
