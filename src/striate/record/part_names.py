"""Names that ranks share, numbered in order of first use."""

from __future__ import annotations

import os.path
from dataclasses import dataclass, field

from striate.layout.extent_lists import ExtentNumbers


@dataclass(slots=True)
class MergedNames:
    """Files, communicators, regions, functions and byte runs; and what could not be followed on the way."""

    files: dict[str, tuple[int, dict[str, str]]] = field(default_factory=dict)
    communicators: dict[tuple[tuple[int, ...], int], int] = field(default_factory=dict)
    regions: dict[str, int] = field(default_factory=dict)
    functions: dict[str, int] = field(default_factory=lambda: {"": 0})
    lists: ExtentNumbers = field(default_factory=ExtentNumbers)
    views_missed: int = 0
    shared_pointers: int = 0

    def file(self, path: str, hints: dict[str, str]) -> int:
        number, known = self.files.setdefault(os.path.normpath(path), (len(self.files), {}))
        known.update(hints)
        return number
