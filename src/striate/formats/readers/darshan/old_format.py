"""Logs of Darshan 1 and 2: one packed stream with a job record in front. They are recognised, and refused by name."""

from __future__ import annotations

import bz2
import struct
import zlib
from pathlib import Path

from striate.formats.readers.darshan.log import MAGIC

_JOB_HEAD = 16  # the version as eight characters, then the magic number
_LONGEST_BLOCK = 2**20  # of bzip2, which unpacks nothing before a block is whole


def old_version(path: Path, head: bytes) -> str | None:
    """The version of a log that was written before Darshan 3; None for anything else."""
    begin = _unpacked(path, head)
    if len(begin) < _JOB_HEAD:
        return None
    if not any(struct.unpack_from(sign + "q", begin, 8)[0] == MAGIC for sign in "<>"):
        return None
    version = begin[:8].split(b"\0", 1)[0].decode("ascii", "replace")
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
