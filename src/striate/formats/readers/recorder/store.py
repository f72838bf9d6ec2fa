"""Where the parts of a Recorder trace are: files of a folder, or sections of one recorder.dat."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field
from pathlib import Path

from striate.errors import TraceError

COMBINED, MAGIC = "recorder.dat", b"RECORDER"
# Sections of recorder.dat by their numbers, and the files that hold the same in a folder.
METADATA, TIMES, SHARED_CALLS, SHARED_RULES, WHICH_RULES, CALLS, RULES = range(7)
FILES = ("recorder.mt", "recorder.ts", "recorder.cst", "ug.cfg", "ug.mt", "{rank}.cst", "{rank}.cfg")
_HEAD, _ENTRY, _SIZES = struct.Struct("<8sII"), struct.Struct("<IiQQ"), struct.Struct("<QQ")
_MOST_BYTES = 1 << 32
_MOST_RATIO = 1032  # zlib packs no better


@dataclass(frozen=True, slots=True)
class RecorderStore:
    """A trace's folder; `sections` says where parts are in its recorder.dat, and is empty for plain files."""

    folder: Path
    sections: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)

    @classmethod
    def at(cls, path: Path) -> RecorderStore:
        """The trace in a folder, or beside one of its files."""
        folder = path if path.is_dir() else path.parent
        combined = folder / COMBINED
        return cls(folder, _sections(combined)) if combined.is_file() else cls(folder)

    def has(self, name: str) -> bool:
        return (self.folder / name).is_file()

    def file(self, name: str) -> bytes:
        path = self.folder / name
        if not path.is_file():
            raise TraceError(f"expected a file {name} in the trace's directory, found none")
        if path.stat().st_size > _MOST_BYTES:
            raise TraceError(
                f"expected a file of at most {_MOST_BYTES} bytes, found {path.stat().st_size}", at=name
            )
        return path.read_bytes()

    def part(self, number: int, rank: int = -1) -> bytes:
        """One part by its section number; raises TraceError when the trace does not have it."""
        if not self.sections:
            return self.file(FILES[number].format(rank=rank))
        if (number, rank) not in self.sections:
            raise TraceError(
                f"expected a section {FILES[number].format(rank=rank)} in the trace file, found none",
                at=COMBINED,
            )
        offset, size = self.sections[number, rank]
        with (self.folder / COMBINED).open("rb") as file:
            file.seek(offset)
            return file.read(size)


def _sections(path: Path) -> dict[tuple[int, int], tuple[int, int]]:
    length = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(_HEAD.size)
        if len(head) < _HEAD.size or head[:8] != MAGIC:
            raise TraceError(
                f"expected a file that starts with {MAGIC.decode()}, found {head[:8]!r}", at=COMBINED
            )
        count = _HEAD.unpack(head)[2]
        index = file.read(min(count * _ENTRY.size, length))
    found = {}
    for number, rank, offset, size in _ENTRY.iter_unpack(index[: len(index) // _ENTRY.size * _ENTRY.size]):
        if offset < length and number < len(FILES):
            found[number, rank] = (offset, min(size, length - offset))
    if (METADATA, -1) not in found:
        raise TraceError("expected a section of metadata in the trace file, found none", at=COMBINED)
    return found


def unpacked(content: bytes) -> tuple[list[bytes], bool]:
    """Packed pieces one after the other, each with its two sizes before it; False when the last is not whole."""
    pieces: list[bytes] = []
    at = 0
    while at + _SIZES.size <= len(content):
        packed, plain = _SIZES.unpack_from(content, at)
        at += _SIZES.size
        if packed > len(content) - at or plain > _MOST_RATIO * packed + 64:
            return pieces, False
        try:
            piece = zlib.decompressobj().decompress(content[at : at + packed], plain) if plain else b""
        except zlib.error:
            return pieces, False
        if len(piece) != plain:
            return [*pieces, piece], False
        pieces.append(piece)
        at += packed
    return pieces, at == len(content)
