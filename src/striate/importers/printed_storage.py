"""Storage by what its own commands print: `lfs df`, `beegfs-ctl --listtargets`, `gluster volume info`."""

from __future__ import annotations

import re

from striate.errors import ClusterError
from striate.importers.command_options import count_of
from striate.training.kinds import BRICK, TARGET
from striate.training.system import StorageSystem
from striate.units import counted

_LFS = re.compile(
    r"^(\S+?)-(OST|MDT)([0-9a-fA-F]{4})_UUID\s+([0-9]{1,15}(?:\.[0-9]{1,9})?[KMGTPE]?)\s+(.*)$", re.ASCII
)
_SCALES = {
    "": 2**10,
    "K": 2**10,
    "M": 2**20,
    "G": 2**30,
    "T": 2**40,
    "P": 2**50,
    "E": 2**60,
}  # plain: 1K-blocks


def from_lfs_df(text: str, source: str) -> StorageSystem:
    """The OSTs of `lfs df`, plain or with -h; servers and rates are not said there."""
    names, osts, mdts, capacity = set(), {}, set(), 0.0
    for number, line in enumerate(text.splitlines(), 1):
        match = _LFS.match(line.strip())
        if match is None:
            if "_UUID" in line and "inactive" not in line and not line.startswith("UUID"):
                raise ClusterError(
                    f"expected a line of `lfs df` about an OST or MDT, got {line.strip()!r:.60}",
                    at=f"line {number}",
                    source=source,
                )
            continue
        name, kind, index, size, _ = match.groups()
        names.add(name)
        if kind == "MDT":
            mdts.add(index)
            continue
        if index in osts:
            raise ClusterError(
                f"expected every OST once, got OST{index} twice", at=f"line {number}", source=source
            )
        osts[index] = _bytes(size)
        capacity += osts[index]
    if not osts:
        raise ClusterError("expected the output of `lfs df`, found no OST in it", source=source)
    if len(names) > 1:
        found = ", ".join(sorted(names)[:4])
        raise ClusterError(f"expected `lfs df` of one file system, found several: {found}", source=source)
    return StorageSystem(
        name=f"Lustre {names.pop()}",
        drives=len(osts),
        drive_kind=TARGET,
        raw_capacity=capacity,
        local=False,
        notes=(f"{counted(len(osts), 'OST')} and {counted(len(mdts), 'MDT')} by lfs df",),
    )


def _bytes(text: str) -> float:
    unit = text[-1] if text[-1].isalpha() else ""
    return float(text.removesuffix(unit)) * _SCALES[unit]


_NODE_NUMBER = re.compile(r"\[ID:\s*\d+\]")


def from_beegfs_targets(text: str, source: str) -> StorageSystem:
    """Storage targets and the servers that hold them, of `beegfs-ctl --listtargets --nodetype=storage`."""
    lines = [
        line.strip() for line in text.splitlines() if line.strip() and not set(line.strip()) <= set("=- ")
    ]
    head = next((at for at, line in enumerate(lines) if line.startswith("TargetID")), None)
    if head is None:
        raise ClusterError(
            "expected the output of `beegfs-ctl --listtargets`, found no header line with TargetID",
            source=source,
        )
    columns = lines[head].split()
    if "NodeID" not in columns:
        wanted = "beegfs-ctl --listtargets --nodetype=storage"
        raise ClusterError(f"expected the output of `{wanted}`, found no column NodeID in it", source=source)
    targets: dict[str, str] = {}
    for line in lines[head + 1 :]:
        cells = _NODE_NUMBER.sub("", line).split()
        if len(cells) < len(columns):
            raise ClusterError(f"expected {len(columns)} columns, got {line!r:.60}", source=source)
        if cells[0] in targets:
            raise ClusterError(
                f"expected every storage target once, got {cells[0]!r:.20} twice", source=source
            )
        targets[cells[0]] = cells[columns.index("NodeID")]
    if not targets:
        raise ClusterError(
            "expected storage targets below the header line TargetID, found none", source=source
        )
    servers = len(set(targets.values()))
    return StorageSystem(
        name="BeeGFS",
        drives=len(targets),
        drive_kind=TARGET,
        servers=servers,
        local=False,
        notes=(f"{counted(len(targets), 'storage target')} on {counted(servers, 'server')} by beegfs-ctl",),
    )


_COUNTED = re.compile(r"^Number of Bricks:\s*(.*)$", re.MULTILINE)
_BRICK = re.compile(r"^Brick(\d+):\s*([^\s:]+):(/\S*)", re.MULTILINE)


def from_gluster_info(text: str, source: str) -> StorageSystem:
    """Bricks and the hosts that hold them, of one volume of `gluster volume info`; copies and parity slow writes."""
    volumes = re.findall(r"^Volume Name:\s*(\S+)", text, re.MULTILINE)
    if len(volumes) != 1:
        raise ClusterError(
            f"expected the output of `gluster volume info` for one volume, found {len(volumes)} volumes",
            source=source,
        )
    kind = re.search(r"^Type:\s*(\S+)", text, re.MULTILINE)
    bricks = _BRICK.findall(text)
    said = _COUNTED.search(text)
    if not bricks:
        raise ClusterError("expected lines of bricks such as Brick1: HOST:/PATH, found none", source=source)
    number = count_of(said[1].split("=")[-1]) if said else None
    if number not in (None, len(bricks)):
        raise ClusterError(
            f"expected {number} lines of bricks, as many as Number of Bricks says, found {len(bricks)}",
            at="Number of Bricks",
            source=source,
        )
    servers = len({host for _, host, _ in bricks})
    notes = [f"{counted(len(bricks), 'brick')} on {counted(servers, 'server')} by gluster volume info"]
    if kind is not None and kind[1] != "Distribute":
        notes.append(
            f"the volume is of type {kind[1]}: what copies and parity take of writes is not modelled"
        )
    return StorageSystem(
        name=f"GlusterFS {volumes[0]}", drives=len(bricks), drive_kind=BRICK, servers=servers, local=False, rdma=False,
        notes=tuple(notes),
    )  # fmt: skip
