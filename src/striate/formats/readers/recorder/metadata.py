"""What a Recorder trace says of itself: version, ranks, clock, options, and the names of its functions."""

from __future__ import annotations

import math
import re
import struct
from dataclasses import dataclass
from typing import Any

from striate.errors import TraceError
from striate.formats.readers.recorder.store import FILES, METADATA, TIMES, RecorderStore
from striate.trace.header import MOST_RANKS

_MOST_FUNCTIONS = 65_536
_NAME_BYTES = 64
_RESERVED = 1024  # bytes before the names in folders of version 3
_VERSION = re.compile(rb"\s*(\d{1,4})\.(\d{1,4})(?:\.(\d{1,6}))?")

# Three layouts of the head of recorder.mt: up to early 2.5, late 2.5 to 3.0, and with the version inside.
_EARLY = struct.Struct("<i4xddii")
_LATE = struct.Struct("<i8?4xddi4?")
_NEW = struct.Struct("<5i8?4xddi4?")


@dataclass(frozen=True, slots=True)
class RecorderMetadata:
    """`packed`: parts are packed and the times of all ranks stand together; `shared`: ranks share call tables."""

    version: str
    ranks: int
    started: float  # seconds, on the clock of MPI_Wtime
    resolution: float  # seconds a tick
    functions: tuple[str, ...]
    packed: bool
    packed_times: bool
    shared: bool
    offsets_recoded: bool  # offsets within a rank were replaced by patterns
    messages: bool  # MPI calls other than MPI-IO were recorded


def read_metadata(store: RecorderStore) -> RecorderMetadata:
    """Raises TraceError for a head that makes no sense, or of a version not known."""
    content = store.part(METADATA)
    if store.sections or not store.has("VERSION"):
        return _checked(_new(content))
    found = _VERSION.match(store.file("VERSION")[:64])
    if found is None:
        raise TraceError("expected a version of Recorder such as 2.5.0, found other text", at="VERSION")
    major, minor, patch = (int(part or 0) for part in found.groups())
    if (major, minor) < (2, 3) or major > 3:
        raise TraceError(f"expected a Recorder trace of version 2.3 to 3, got {major}.{minor}", at="VERSION")
    late = major == 3 or (minor > 3 and store.has(FILES[TIMES]))
    make = _late if late else _early
    return _checked(make(content, (major, minor), f"{major}.{minor}.{patch}"))


def _early(content: bytes, version: tuple[int, int], text: str) -> RecorderMetadata:
    ranks, started, resolution, *_ = _unpack(_EARLY, content)
    length = _EARLY.size if version == (2, 3) else _EARLY.size + 8
    shared = version > (2, 3) and content[_EARLY.size : _EARLY.size + 4] not in (b"", bytes(4))
    names = _lines(content, length)
    return RecorderMetadata(
        text, ranks, started, resolution, names, False, False, shared, False, _has_messages(names)
    )


def _late(content: bytes, version: tuple[int, int], text: str) -> RecorderMetadata:
    ranks, _, messages, *rest = _unpack(_LATE, content)
    started, resolution, _, packed_times, shared, _, recoded = rest[-7:]
    names = _lines(content, _LATE.size)
    return RecorderMetadata(
        text, ranks, started, resolution, names, True, packed_times, shared, recoded, messages
    )


def _new(content: bytes) -> RecorderMetadata:
    major, minor, patch, ranks, count, _, messages, *rest = _unpack(_NEW, content)
    started, resolution, _, packed_times, shared, _, recoded = rest[-7:]
    if not 0 < count <= _MOST_FUNCTIONS or not 3 <= major <= 3:
        raise TraceError(
            f"expected a Recorder trace of version 3 with 1 to {_MOST_FUNCTIONS} functions, "
            f"got version {major}.{minor} with {count} functions"
        )
    places = range(_NEW.size, _NEW.size + count * _NAME_BYTES, _NAME_BYTES)
    names = tuple(_name(content[at : at + _NAME_BYTES].split(b"\0", 1)[0]) for at in places)
    text = f"{major}.{minor}.{patch}"
    return RecorderMetadata(
        text, ranks, started, resolution, names, True, packed_times, shared, recoded, messages
    )


def _checked(metadata: RecorderMetadata) -> RecorderMetadata:
    if not 1 <= metadata.ranks <= MOST_RANKS:
        raise TraceError(f"expected 1 to {MOST_RANKS} ranks, got {metadata.ranks}", at=FILES[METADATA])
    if not 1e-12 <= metadata.resolution <= 1:
        raise TraceError(
            f"expected a clock of 1 ps to 1 s per tick, got {metadata.resolution:g} s", at=FILES[METADATA]
        )
    if not math.isfinite(metadata.started):
        raise TraceError(f"expected a finite start time, got {metadata.started}", at=FILES[METADATA])
    return metadata


def _unpack(layout: struct.Struct, content: bytes) -> tuple[Any, ...]:
    if len(content) < layout.size:
        raise TraceError(
            f"expected metadata of the trace of at least {layout.size} bytes, got {len(content)}",
            at=FILES[METADATA],
        )
    return layout.unpack_from(content)


def _lines(content: bytes, length: int) -> tuple[str, ...]:
    """Names one per line, behind the head or behind the block that is reserved for it."""
    after = (
        length
        if content[length : length + 1].isalpha() or content[length : length + 1] == b"_"
        else _RESERVED
    )
    names = tuple(_name(line) for line in content[after:].split(b"\n")[:-1])
    if not 0 < len(names) <= _MOST_FUNCTIONS:
        raise TraceError(
            f"expected 1 to {_MOST_FUNCTIONS} names of functions, found {len(names)}", at=FILES[METADATA]
        )
    return names


def _name(text: bytes) -> str:
    return (
        text[:_NAME_BYTES].decode("ascii", "replace").removeprefix("P" if text.startswith(b"PMPI_") else "")
    )


def _has_messages(names: tuple[str, ...]) -> bool:
    return any(name in ("MPI_Send", "MPI_Bcast") for name in names)
