"""Names of submitted systems, which often say what the sheet does not: 24x14TiB_nvme_8xNDR200_18clients."""

from __future__ import annotations

import re

from striate.training.system import StorageSystem

# Gigabits per second of the names of links.
LINKS = {
    "edr": 100,
    "hdr100": 100,
    "hdr200": 200,
    "hdr": 200,
    "ndr200": 200,
    "ndr400": 400,
    "ndr": 400,
    "slingshot200": 200,
}
_DRIVES = re.compile(r"(?<![a-z0-9.])([0-9]{1,4})x([0-9.]{1,6})(ti?b)(?:_?(nvme|ssd|hdd))?", re.ASCII)
_PORTS = re.compile(r"(?<![a-z0-9.])([0-9]{1,4})x([a-z]+(?:[0-9]{3})?)(?![a-z0-9])", re.ASCII)
_SERVERS = re.compile(r"(?<![a-z0-9.])([0-9]{1,4})x?_?(?:storage_?)?(?:nodes?|servers?)(?![a-z])", re.ASCII)


def from_name(name: str) -> StorageSystem:
    """What a name tells: drives, ports of the servers, storage nodes; fields that it does not tell are None."""
    text = name.lower().replace("-", "_")
    drives, ports, servers = _DRIVES.search(text), _ports(text), _SERVERS.search(text)
    count = int(servers[1]) if servers and int(servers[1]) else None
    link = ports[0] * LINKS[ports[1]] * 1e9 / 8 if ports else None
    kind = "nvme" if "nvme" in text else "hdd" if "hdd" in text else None
    return StorageSystem(
        name=name,
        drives=int(drives[1]) * (count or 1) or None
        if drives
        else None,  # of every node, where nodes are named
        drive_kind=kind,
        servers=count or (1 if link else None),  # all ports together, as those of one
        server_link=link,
        rdma=True if ports else None,  # InfiniBand and Slingshot
        local=False,
    )


def _ports(text: str) -> tuple[int, str] | None:
    for match in _PORTS.finditer(text):
        if match[2] in LINKS and int(match[1]):
            return int(match[1]), match[2]
    return None
