"""The container of a Darshan log: header, job, names, and one compressed region a module.

Written from the format itself, with no library of C behind it: a broken or hostile log can only be refused.
"""

from __future__ import annotations

import bz2
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from striate.errors import TraceError
from striate.limits import ReadBudget

MAGIC = 6567223
_CHUNK = 1 << 16
_PART = 1 << 20  # unpacked at a time

_FIRST = ("NULL", "POSIX", "MPI-IO", "H5F", "PNETCDF_FILE", "BG/Q")
_OLD = (*_FIRST, "LUSTRE", "STDIO", "DXT_POSIX", "DXT_MPIIO", "MDHIM")
_LATER = (
    "BG/Q",
    "LUSTRE",
    "STDIO",
    "DXT_POSIX",
    "DXT_MPIIO",
    "MDHIM",
    "APXC",
    "APMPI",
    "HEATMAP",
    "DFS",
    "DAOS",
)
_MIDDLE = ("NULL", "POSIX", "MPI-IO", "H5F", "H5D", "PNETCDF_FILE", *_LATER)
_NEW = (*_MIDDLE[:6], "PNETCDF_VAR", *_LATER)
_MODULES = {"3.00": _FIRST, "3.10": _OLD, "3.20": _MIDDLE, "3.21": _MIDDLE, "3.40": _NEW, "3.41": _NEW}
_WIDE = ("3.40", "3.41")  # 64 modules, times with nanoseconds


@dataclass(frozen=True, slots=True)
class Module:
    """Where a module's records lie, their version, and whether Darshan ran out of room for them."""

    offset: int
    length: int
    version: int
    partial: bool


@dataclass(frozen=True, slots=True)
class DarshanJob:
    """What the log says of the run."""

    number: int
    started: int  # nanoseconds since 1970
    duration: int
    ranks: int
    library: str
    program: str
    mounts: tuple[tuple[str, str], ...]  # (path, type), longest path first
    settings: dict[
        str, str
    ]  # what else Darshan wrote about the run: its hints for writing the log, its version


class AnyLog(Protocol):
    """What the reader asks of a log, be it Darshan 3's, Darshan 2's or text."""

    @property
    def version(self) -> str: ...
    @property
    def order(self) -> str: ...
    @property
    def modules(self) -> dict[str, Module]: ...
    def job(self) -> DarshanJob: ...
    def file_names(self) -> tuple[dict[int, str], bool]: ...
    def records(self, module: str) -> tuple[bytes, bool]: ...


@dataclass(frozen=True, slots=True)
class Log:
    """A log whose header has been understood."""

    path: Path
    order: str  # struct's byte order: "<" or ">"
    version: str
    compression: int
    names: Module
    modules: dict[str, Module]
    size: int
    job_offset: int
    budget: ReadBudget

    def records(self, module: str) -> tuple[bytes, bool]:
        """The unpacked records of `module`, and whether all of them could be unpacked."""
        return self._unpacked(self.modules[module])

    def _unpacked(self, region: Module) -> tuple[bytes, bool]:
        with self.path.open("rb") as file:
            file.seek(region.offset)
            content = file.read(min(region.length, self.size))  # a length is not believed before it is there
        if self.compression == 2:
            return content, len(content) == region.length
        parts, whole = [], len(content) == region.length
        try:
            for part in streams(
                content, self.budget, bz2.BZ2Decompressor if self.compression == 1 else zlib.decompressobj
            ):
                parts.append(part)
        except (zlib.error, OSError, EOFError):
            whole = False
        return b"".join(parts), whole

    def job(self) -> DarshanJob:
        """The job record; raises TraceError when it is not there."""
        end = self.names.offset if self.names.length else self.size
        content, _ = self._unpacked(Module(self.job_offset, max(0, end - self.job_offset), 0, False))
        numbers = 7 if self.version in _WIDE else 5
        if len(content) < 8 * numbers + 1024:
            raise TraceError(
                f"expected a job record of at least {8 * numbers + 1024} bytes, found {len(content)}",
                at="job",
            )
        values = struct.unpack_from(f"{self.order}{numbers}q", content)
        _, start, *rest = values
        nanoseconds = (rest[0], rest[2]) if numbers == 7 else (0, 0)
        end_second, ranks = (rest[1], rest[3]) if numbers == 7 else (rest[0], rest[1])
        begun = start * 10**9 + nanoseconds[0]
        done = end_second * 10**9 + nanoseconds[1]
        if numbers == 5:
            done += 10**9  # whole seconds, both ends counted
        text = content[8 * numbers :]
        metadata = metadata_of(text[:1024])
        program, *mounts = text_of(text[1024:]).split("\n")
        pairs = [tuple(mount.split("\t", 1)) for mount in mounts if "\t" in mount]
        return DarshanJob(
            values[-1],
            begun if 0 <= begun < 2**62 else 0,
            done - begun if 0 < done - begun < 2**61 else 0,
            ranks,
            metadata.get("lib_ver", "")[:32],
            program.strip()[:4096],
            tuple(sorted(((path, kind) for kind, path in pairs), key=lambda pair: -len(pair[0]))),
            metadata,
        )

    def file_names(self) -> tuple[dict[int, str], bool]:
        """Names by record id, and whether all of them could be read."""
        content, whole = self._unpacked(self.names)
        return (_counted_names if self.version == "3.00" else _ended_names)(content, self.order, whole)


def _ended_names(content: bytes, order: str, whole: bool) -> tuple[dict[int, str], bool]:
    """Id and name, which ends with a zero."""
    names: dict[int, str] = {}
    at = 0
    while at + 8 < len(content):
        end = content.find(b"\0", at + 8)
        if end < 0:
            return names, False
        (number,) = struct.unpack_from(order + "Q", content, at)
        names[number] = content[at + 8 : end].decode("utf-8", "replace")
        at = end + 1
    return names, whole


def _counted_names(content: bytes, order: str, whole: bool) -> tuple[dict[int, str], bool]:
    """Id, length and name: format 3.00."""
    names: dict[int, str] = {}
    at = 0
    while at + 12 <= len(content):
        number, length = struct.unpack_from(order + "QI", content, at)
        at += 12
        if at + length > len(content):
            return names, False
        names[number] = text_of(content[at : at + length])
        at += length
    return names, whole and at == len(content)


def open_log(path: Path) -> Log:
    """Understand the header; raises TraceError when it is not a Darshan log of a version we know."""
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(1328)
    version = head[:8].rstrip(b"\0").decode("ascii", "replace")
    order = next((sign for sign in "<>" if len(head) >= 16 and _magic(head, sign) == MAGIC), None)
    if order is None:
        raise TraceError("expected a Darshan log, found another magic number")
    if version not in _MODULES:
        raise TraceError(f"expected Darshan log format {', '.join(_MODULES)}, got {version[:8]!r}")
    wide = version in _WIDE
    count, at = (64, 32) if wide else (16, 24)
    length = at + 16 + 20 * count
    if len(head) < length:
        raise TraceError(f"expected a Darshan header of {length} bytes, found a log of {len(head)} bytes")
    partial = struct.unpack_from(order + ("Q" if wide else "I"), head, 24 if wide else 20)[0]
    maps = struct.unpack_from(f"{order}{2 * count + 2}Q", head, at)
    versions = struct.unpack_from(f"{order}{count}I", head, at + 16 + 16 * count)
    modules = {
        name: Module(maps[2 * i + 2], maps[2 * i + 3], versions[i], bool(partial >> i & 1))
        for i, name in enumerate(_MODULES[version][:count])
        if maps[2 * i + 3] > 0 and maps[2 * i + 2] < size
    }
    if head[16] > 2:
        raise TraceError(f"expected a compression method from 0 to 2, got {head[16]}")
    names = Module(min(maps[0], size), maps[1], 0, False)
    return Log(path, order, version, head[16], names, modules, size, length, ReadBudget.of(path))


def _magic(head: bytes, order: str) -> int:
    return int(struct.unpack_from(order + "q", head, 8)[0])


def streams(content: bytes, budget: ReadBudget, begin: Callable[[], Any]) -> Iterator[bytes]:
    """Every process packed its own records: one stream after the other, each unpacked a part at a time."""
    view, at = memoryview(content), 0
    while at < len(view):
        stream = begin()
        while not stream.eof:
            left = b"" if isinstance(stream, bz2.BZ2Decompressor) else stream.unconsumed_tail
            wants = stream.needs_input if isinstance(stream, bz2.BZ2Decompressor) else not left
            chunk = view[at : at + _CHUNK] if wants else memoryview(left)
            part = stream.decompress(chunk, _PART)
            if not part and wants and not len(chunk):
                raise EOFError
            at += len(chunk) if wants else 0
            budget.unpack(len(part))
            yield part
        at -= len(stream.unused_data)


def text_of(content: bytes) -> str:
    """The text before the first zero."""
    return content.split(b"\0", 1)[0].decode("utf-8", "replace")


def metadata_of(content: bytes) -> dict[str, str]:
    """What Darshan wrote about the run, a line per value."""
    return dict(line.split("=", 1) for line in text_of(content).splitlines() if "=" in line)
