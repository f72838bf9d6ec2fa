"""Alignment: where uncompressed chunks begin in their sub-files, asked for or as the file system has its blocks."""

from __future__ import annotations

import os
from pathlib import Path

from striate import units
from striate.errors import StriateError
from striate.runtime.store.metadata import MOST_ALIGNMENT

USUAL_ALIGNMENT = 4096  # bytes: where the file system does not say
SMALLEST_BLOCK = 512
REFUSED = 0  # for one that cannot be


def wanted_alignment(asked: units.Quantity | None, path: Path | None) -> int:
    """Bytes: as asked, or the block of the file system of `path`, if there is one; REFUSED for one that cannot be."""
    if asked is None:
        return USUAL_ALIGNMENT if path is None else block_bytes(path)
    try:
        size = units.size(asked)
    except StriateError:
        return REFUSED
    return size if 1 <= size <= MOST_ALIGNMENT else REFUSED


def block_bytes(path: Path) -> int:
    """The block of the file system on which `path` is."""
    try:
        found = os.statvfs(path).f_bsize
    except OSError:
        return USUAL_ALIGNMENT
    whole = found & (found - 1) == 0
    return found if whole and SMALLEST_BLOCK <= found <= MOST_ALIGNMENT else USUAL_ALIGNMENT
