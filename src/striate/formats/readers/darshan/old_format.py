"""Logs of Darshan 2: one packed stream with a job record and one record per file and rank, of all layers together.

The records are packed again as those of Darshan 3's modules. Logs of Darshan 1 are recognised, and refused by name.
"""

from __future__ import annotations

import bz2
import struct
import zlib
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.errors import TraceError
from striate.formats.readers.darshan.counters import record_type
from striate.formats.readers.darshan.layouts import DARSHAN_2, SHAPES
from striate.formats.readers.darshan.log import MAGIC, DarshanJob, Module, metadata_of, streams, text_of
from striate.limits import ReadBudget

_JOB_HEAD = 16  # the version as eight characters, then the magic number
_LONGEST_BLOCK = 2**20  # of bzip2, which unpacks nothing before a block is whole
_NUMBERS = 56  # bytes of the job record before its metadata
_EARLY, _LATE = (64, 1024), (1024, 4096)  # bytes of the metadata, of the whole job record
_SIZES = {"2.00": (0, 1024), **dict.fromkeys(("2.01", "2.02", "2.03"), _EARLY)}
_SIZES |= dict.fromkeys(("2.04", "2.05", "2.06"), _LATE)
_NAME_BYTES = 16
# The counters that tell whether a file was used through a module, and that are named otherwise in its records.
_USED = {
    "POSIX": ("opens", "fopens", "stats"),
    "MPI-IO": ("indep_opens", "coll_opens"),
    "H5F": ("hdf5_opens",),
    "PNETCDF_FILE": ("indep_nc_opens", "coll_nc_opens"),
}
_RENAMED = {
    "POSIX": {f"{kind}_time": f"posix_{kind}_time" for kind in ("read", "write", "meta")},
    "MPI-IO": {f"{kind}_time": f"mpi_{kind}_time" for kind in ("read", "write", "meta")},
    "H5F": {"opens": "hdf5_opens"},
    "PNETCDF_FILE": {"indep_opens": "indep_nc_opens", "coll_opens": "coll_nc_opens"},
}


def old_version(path: Path, head: bytes) -> str | None:
    """The version of a log that was written before Darshan 3; None for anything else."""
    begin = _unpacked(path, head)
    if len(begin) < _JOB_HEAD:
        return None
    if not any(struct.unpack_from(sign + "q", begin, 8)[0] == MAGIC for sign in "<>"):
        return None
    version = text_of(begin[:8])
    return version if version[:2] in ("1.", "2.") else None


def _unpacked(path: Path, head: bytes) -> bytes:
    """The first bytes of a packed file, as far as they can be unpacked."""
    try:
        if head.startswith(b"\x1f\x8b"):
            return zlib.decompressobj(31).decompress(head, _JOB_HEAD)
        if head.startswith(b"BZh"):
            with path.open("rb") as file:
                return bz2.BZ2Decompressor().decompress(file.read(_LONGEST_BLOCK), _JOB_HEAD)
    except (zlib.error, OSError, EOFError):
        pass
    return b""


@dataclass(frozen=True)
class OldLog:
    """A log of Darshan 2, unpacked; it answers like one of Darshan 3."""

    version: str
    order: str
    content: bytes
    whole: bool

    @property
    def _sizes(self) -> tuple[int, int]:
        return _SIZES[self.version]

    @cached_property
    def _rows(self) -> NDArray[Any]:
        record = record_type(DARSHAN_2, self.order, name_bytes=_NAME_BYTES)
        content = self.content[self._sizes[1] :]
        return np.frombuffer(content, record, len(content) // record.itemsize)

    def _used(self, module: str) -> NDArray[np.bool_]:
        return np.asarray(np.any([self._rows[name] > 0 for name in _USED[module]], axis=0))

    @property
    def modules(self) -> dict[str, Module]:
        return {module: Module(0, 0, 1, False) for module in _USED if self._used(module).any()}

    def job(self) -> DarshanJob:
        """The job record; times are whole seconds, both ends counted."""
        _, start, end, ranks, number = struct.unpack_from(self.order + "5q", self.content, _JOB_HEAD)
        metadata = metadata_of(self.content[_NUMBERS : _NUMBERS + self._sizes[0]])
        seconds = end - start + 1
        return DarshanJob(
            number,
            start * 10**9 if 0 <= start < 2**32 else 0,
            seconds * 10**9 if 0 < seconds < 2**31 else 0,
            ranks,
            metadata.get("lib_ver", "")[:32],
            self._text[0].strip()[:4096],
            tuple(sorted(self._mounts.values(), key=lambda mount: -len(mount[0]))),
            metadata,
        )

    @cached_property
    def _text(self) -> list[str]:
        """The command line, and one line per mount."""
        return text_of(self.content[_NUMBERS + self._sizes[0] : self._sizes[1]]).split("\n")

    @cached_property
    def _mounts(self) -> dict[str, tuple[str, str]]:
        """Path and type of each mounted file system, by the number of its device."""
        lines = [line.split("\t") for line in self._text[1:]]
        return {line[0]: (line[2], line[1]) for line in lines if len(line) == 3}

    def file_names(self) -> tuple[dict[int, str], bool]:
        """The ends of names, behind the mount point of their device where that is known."""
        names = {}
        for number, device, end in zip(
            self._rows["id"].tolist(), self._rows["device"].tolist(), self._rows["name"].tolist(), strict=True
        ):
            mount = self._mounts[str(device)][0].rstrip("/") + "/" if str(device) in self._mounts else ""
            names[number] = f"{mount}...{text_of(end)}"
        return names, self.whole

    def records(self, module: str) -> tuple[bytes, bool]:
        """The records of a module as Darshan 3 would have written them; MPI-IO's bytes are those that POSIX saw."""
        shape, rows = SHAPES[module, 1], self._rows[self._used(module)]
        found = np.zeros(len(rows), record_type(shape, self.order))
        names, known = _RENAMED[module], frozenset(rows.dtype.names or ())
        for name in ("id", "rank", *shape.counters, *shape.times):
            source = names.get(name, name)
            if source in known and not (module == "MPI-IO" and name.startswith(("access", "max_"))):
                found[name] = rows[source]
        return found.tobytes(), self.whole


def open_old(path: Path, head: bytes, version: str) -> OldLog:
    """Unpack a log of Darshan 2; raises TraceError for Darshan 1 and for a job record that is cut."""
    if version not in _SIZES:
        raise TraceError(f"expected a log of Darshan 2 or 3, got format {version}")
    begin = bz2.BZ2Decompressor if head.startswith(b"BZh") else partial(zlib.decompressobj, 31)
    parts, whole = [], True
    try:
        for part in streams(path.read_bytes(), ReadBudget.of(path), begin):
            parts.append(part)
    except (zlib.error, OSError, EOFError):
        whole = False
    content = b"".join(parts)
    job_bytes = _SIZES[version][1]
    if len(content) < job_bytes:
        raise TraceError(f"expected a job record of {job_bytes} bytes, found {len(content)}", at="job")
    order = "<" if struct.unpack_from("<q", content, 8)[0] == MAGIC else ">"
    length = record_type(DARSHAN_2, order, name_bytes=_NAME_BYTES).itemsize
    return OldLog(version, order, content, whole and (len(content) - job_bytes) % length == 0)
