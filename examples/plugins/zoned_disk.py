"""A disk whose arm takes longer the further it goes, and whose outer tracks are faster.

C. Ruemmler and J. Wilkes, "An introduction to disk drive modeling" (IEEE Computer 27(3), 1994): short seeks grow with
the square root of the distance, long ones linearly.
"""

from __future__ import annotations

from math import sqrt

from striate.plugins import DiskAccess, Server

DISK_BYTES = 250e9
FILE_BYTES = 4e9  # a file begins so far after the one before
OUTER, INNER = 125e6, 60e6  # bytes per second
HALF_TURN = 30 / 7200  # seconds
SHORT = 10e9  # bytes; a longer seek takes the linear part


class ZonedDisk:
    kind = "disk"
    name = "zoned-disk"

    def __init__(self, server: Server, disk: int) -> None:
        self.arm = 0.0

    def seconds(self, access: DiskAccess) -> float:
        place = (access.file * FILE_BYTES + access.offset) % DISK_BYTES
        distance, self.arm = abs(place - self.arm), place + access.bytes
        rate = OUTER + (INNER - OUTER) * place / DISK_BYTES
        return self._seek(distance) + access.bytes / rate

    @staticmethod
    def _seek(distance: float) -> float:
        if distance == 0:
            return 0.0
        if distance < SHORT:
            return HALF_TURN + 1e-3 + 3e-3 * sqrt(distance / SHORT)
        return HALF_TURN + 4e-3 + 10e-3 * (distance - SHORT) / DISK_BYTES


plugins = [ZonedDisk]
