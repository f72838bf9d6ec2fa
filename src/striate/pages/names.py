"""Names as pages carry them: levels in words; long ones cut in the middle, marks that would act on text spelled out."""

from __future__ import annotations

import re

MOST_CHARACTERS = 300
LEVEL_TITLES = {
    "mpi-io": "MPI-IO calls",
    "mpi": "MPI calls",
    "posix": "system calls",
    "program": "regions and computation",
    "server": "servers",
    "network": "links and interfaces",
    "disk": "disks",
    "step": "steps of collective calls",
}
# Control characters, and marks that turn the direction of the text around them.
_ACTING = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def shown_name(name: str, most: int = MOST_CHARACTERS) -> str:
    """The name, or its two ends with the number of characters left out; always text that can be written."""
    clean = name.encode(errors="replace").decode()
    if len(clean) > most:
        half = (most - 40) // 2
        clean = f"{clean[:half]}[... {len(clean) - 2 * half:,} characters ...]{clean[-half:]}"
    return _ACTING.sub(lambda mark: f"\\u{ord(mark[0]):04x}", clean)
