"""A disk of one's own: what does not continue the access before costs a seek.

Try it: striate predict checkpoint westmere --plugin THIS_FILE
"""

from __future__ import annotations

from striate.plugins import DiskAccess, Server

SEEK_SECONDS = 8e-3
BYTES_PER_SECOND = 100e6


class MyDisk:
    kind = "disk"
    name = "my-disk"

    def __init__(self, server: Server, disk: int) -> None:
        self.stands_at: tuple[int, int] | None = None  # file and byte

    def seconds(self, access: DiskAccess) -> float:
        seek = 0.0 if self.stands_at == (access.file, access.offset) else SEEK_SECONDS
        self.stands_at = access.file, access.end
        return seek + access.bytes / BYTES_PER_SECOND


plugins = [MyDisk]
