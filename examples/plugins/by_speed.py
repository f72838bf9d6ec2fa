"""A layout for servers of different speed: each takes a strip in proportion to the rate of its disks.

H. Song et al., "A segment-level adaptive data layout scheme for improved load balance in parallel file systems" (CCGrid
2011), in its simplest form: PVFS2's variable strips.
"""

from __future__ import annotations

from striate.cluster.storage import transfer_rate
from striate.plugins import FileRequest, Strip

LEAST_BYTES = 64 * 1024  # on the slowest server


class BySpeed:
    kind = "layout"
    name = "by-speed"

    def strips(self, file: FileRequest) -> list[Strip] | None:
        servers = file.machine.servers
        turned = [servers[(file.number + s) % len(servers)] for s in range(len(servers))]
        rates = [sum(transfer_rate(disk, write=True) for disk in one.disks) for one in turned]
        units = [round(rate / min(rates)) for rate in rates]
        return [Strip(server, unit * LEAST_BYTES) for server, unit in enumerate(units)]


plugins = [BySpeed]
