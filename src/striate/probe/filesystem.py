"""What a file system says of itself: how many servers it has, and in which parts a file is dealt to them.

Every kind is asked in its own way; the words of its tools and attributes are parsed by functions of text alone.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from striate.errors import UnitError
from striate.units import size

_ASK_SECONDS = 20.0
_NETWORKED = ("nfs", "nfs4", "lustre", "beegfs", "ceph", "fuse.glusterfs", "fuse.ceph", "fuse.ceph-fuse")


@dataclass(frozen=True, slots=True)
class FileSystem:
    """A mounted file system; None and empty where it does not say."""

    kind: str
    source: str
    networked: bool = False
    servers: int | None = None
    stripe_bytes: int | None = None  # None also where files lie whole on one server
    hosts: tuple[str, ...] = ()  # of the servers, one entry for each
    told_by: str = ""


def ask(directory: Path) -> FileSystem:
    """The file system that holds `directory`, with what its own tools and attributes tell."""
    found = mounted(Path("/proc/self/mounts").read_text(), str(directory.resolve()))
    asker = _ASKERS.get(found.kind)
    return asker(found, directory) if asker else found


def mounted(mounts: str, path: str) -> FileSystem:
    """The entry of /proc/mounts with the longest mount point above `path`; later ones cover earlier ones."""
    best = ("", "unknown", "")
    for entry in mounts.splitlines():
        source, point, kind, *_ = (word.replace("\\040", " ") for word in entry.split())
        above = path == point or path.startswith(point.rstrip("/") + "/")
        if above and len(point) >= len(best[0]):
            best = (point, kind, source)
    return FileSystem(best[1], best[2], best[1] in _NETWORKED)


def gluster_bricks(pathinfo: str) -> list[tuple[str, str]]:
    """(host, brick) of every part in a GlusterFS `pathinfo` attribute."""
    return [(short_name(host), brick) for brick, host in re.findall(r"<POSIX\(([^)]*)\):([^:>]+):", pathinfo)]


def short_name(host: str) -> str:
    """A host without its domain, as MPI and a file system may differ in that; addresses stay whole."""
    return host if host.replace(".", "").isdigit() else host.partition(".")[0]


def gluster_shard(info: str) -> int | None:
    """Bytes of a shard in the words of `gluster volume info`; None when the volume keeps files whole."""
    options = dict(re.findall(r"^([\w.-]+): (\S+)$", info, re.M))
    if options.get("features.shard") not in ("on", "enable", "true"):
        return None
    return _bytes(options.get("features.shard-block-size", "64MB"))


def lustre_stripe(words: str) -> tuple[int | None, int | None]:
    """(stripe count, stripe size) of `lfs getstripe -d`; a count of -1 means all targets and comes back as None."""
    count = re.search(r"stripe_count:\s*(-?\d+)", words)
    length = re.search(r"stripe_size:\s*(\d+)", words)
    counted = int(count[1]) if count and int(count[1]) > 0 else None
    return counted, int(length[1]) if length else None


def lustre_targets(words: str) -> int | None:
    """Active targets in the words of `lfs osts`."""
    return len(re.findall(r"^\s*\d+: \S+OST\S+ ACTIVE", words, re.M)) or None


def beegfs_stripe(words: str) -> tuple[int | None, int | None]:
    """(targets, chunk size) of `beegfs-ctl --getentryinfo`."""
    count = re.search(r"storage targets: desired: (\d+)", words)
    chunk = re.search(r"Chunksize: (\S+)", words)
    return int(count[1]) if count else None, _bytes(chunk[1]) if chunk else None


def beegfs_targets(words: str) -> int | None:
    """Storage targets in the words of `beegfs-ctl --listtargets`."""
    return len(re.findall(r"^\s*\d+\s+\d+", words, re.M)) or None


def ceph_object(layout: str) -> int | None:
    """Bytes of an object in a CephFS layout attribute: what one server holds before the next one."""
    found = re.search(r"object_size=(\d+)", layout)
    return int(found[1]) if found else None


def brick_of(path: Path) -> tuple[str, str] | None:
    """(host, brick) that holds a file of GlusterFS, if that is what it lies on."""
    return next(iter(gluster_bricks(_attribute(path, "glusterfs.pathinfo"))), None)


def _gluster(found: FileSystem, directory: Path) -> FileSystem:
    bricks = gluster_bricks(_attribute(directory, "glusterfs.pathinfo"))
    host, _, volume = found.source.partition(":/")
    info = _words(["gluster", "--mode=script", f"--remote-host={host}", "volume", "info", volume])
    told_by = " and ".join(["glusterfs.pathinfo"] * bool(bricks) + ["gluster volume info"] * bool(info))
    return replace(
        found,
        servers=len(bricks) or None,
        stripe_bytes=gluster_shard(info),
        hosts=tuple(host for host, _ in bricks),
        told_by=told_by,
    )


def _lustre(found: FileSystem, directory: Path) -> FileSystem:
    count, length = lustre_stripe(_words(["lfs", "getstripe", "-d", str(directory)]))
    servers = lustre_targets(_words(["lfs", "osts", str(directory)])) or count
    return replace(found, servers=servers, stripe_bytes=length, told_by="lfs" if servers or length else "")


def _beegfs(found: FileSystem, directory: Path) -> FileSystem:
    count, chunk = beegfs_stripe(_words(["beegfs-ctl", "--getentryinfo", str(directory)]))
    servers = beegfs_targets(_words(["beegfs-ctl", "--listtargets", "--nodetype=storage"])) or count
    return replace(found, servers=servers, stripe_bytes=chunk, told_by="beegfs-ctl" if servers else "")


def _ceph(found: FileSystem, directory: Path) -> FileSystem:
    probe = directory / ".striate-layout"
    probe.touch()
    try:
        object_bytes = ceph_object(_attribute(probe, "ceph.file.layout"))
    finally:
        probe.unlink(missing_ok=True)
    return replace(found, stripe_bytes=object_bytes, told_by="ceph.file.layout" if object_bytes else "")


def _nfs(found: FileSystem, directory: Path) -> FileSystem:
    return replace(found, servers=1, hosts=(found.source.partition(":")[0],), told_by="its mount")


_ASKERS: dict[str, Callable[[FileSystem, Path], FileSystem]] = {
    "fuse.glusterfs": _gluster,
    "lustre": _lustre,
    "beegfs": _beegfs,
    "ceph": _ceph,
    "fuse.ceph": _ceph,
    "fuse.ceph-fuse": _ceph,
    "nfs": _nfs,
    "nfs4": _nfs,
}


def _attribute(path: Path, name: str) -> str:
    try:
        return os.getxattr(path, name).decode(errors="replace")
    except OSError:
        return ""


def _words(command: Sequence[str]) -> str:
    """What a tool prints; nothing where it is missing, slow or refuses."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_ASK_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


def _bytes(word: str) -> int | None:
    """Sizes as these tools write them: powers of two, with or without a B ("4MB", "512K", "4194304")."""
    number = re.fullmatch(r"(\d+)([KMGT]?)(?:i?B)?", word)
    if number is None:
        return None
    try:
        return size(f"{number[1]} {number[2]}{'i' if number[2] else ''}B")
    except UnitError:
        return None
