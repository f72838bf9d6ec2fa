"""File servers one by one: what a disk takes from a client on its own node, and what it takes over the network.

A file no longer than a stripe lies on one server. GlusterFS says on which, so every server gets a file of its own.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from striate.probe.deadline import affordable
from striate.probe.filesystem import FileSystem, brick_of
from striate.probe.links import leaders
from striate.probe.samples import Floats, Line, sturdy_line

SIZES = (1024**2, 2 * 1024**2, 4 * 1024**2)
DISK, REMOTE = "server, from its own node", "server, from another node"
_TRIES_EACH = 40  # files made for each server before one that got none is given up
_MOST_SPOTS = 16
_IN_A_ROW = (
    4  # flushes of one sample: limits that allow so much in each tenth of a second show in their mean alone
)
Spot = tuple[str, str]  # a file, and the host of the server that holds it


def spots(directory: Path, system: FileSystem) -> list[Spot]:
    """A new file on each server where that can be told, or one somewhere; called on one rank."""
    wanted = min(system.servers or 1, _MOST_SPOTS)
    if not system.hosts or system.kind != "fuse.glusterfs":
        (directory / "spot-0").touch()
        return [(str(directory / "spot-0"), system.hosts[0] if system.hosts else "")]
    found: dict[tuple[str, str], Spot] = {}
    for number in range(_TRIES_EACH * wanted):
        path = directory / f"spot-{number}"
        path.touch()
        brick = brick_of(path)
        if brick is None or brick in found:
            path.unlink()
        else:
            found[brick] = (str(path), brick[0])
        if len(found) == wanted:
            break
    return sorted(found.values(), key=lambda spot: spot[1])


def server_lines(comm: Any, hosts: Sequence[str], places: Sequence[Spot], seconds: float) -> list[Line]:
    """Seconds to write and flush by bytes, servers in turn: from their own nodes, and from others; on rank 0."""
    first = {hosts[rank]: rank for rank in leaders(hosts)}
    flows: dict[str, list[tuple[int, str]]] = {DISK: [], REMOTE: []}
    for path, host in places:
        if host in first:
            flows[DISK].append((first[host], path))
        others = [rank for name, rank in first.items() if name != host]
        if others:
            flows[REMOTE].append((others[0], path))
    chosen = {name: writers for name, writers in flows.items() if writers}
    lines = []
    for name, writers in chosen.items():
        share = seconds / len(chosen) / len(SIZES) / len(writers)
        columns = [
            np.concatenate([_samples(comm, rank, path, size, share) for rank, path in writers])
            for size in SIZES
        ]
        if comm.rank == 0:
            lines.append(sturdy_line(name, SIZES, columns))
    return lines


def _samples(comm: Any, writer: int, path: str, size: int, seconds: float) -> Floats:
    """Seconds of writes and flushes by one rank while all others wait, told to all."""
    comm.Barrier()
    found = None
    if comm.rank == writer:
        content = os.urandom(size)
        descriptor = os.open(path, os.O_WRONLY)
        try:
            one = _flushed(descriptor, content)
            rounds = affordable(one * _IN_A_ROW, seconds, least=2, most=10)
            found = np.array([_flushed(descriptor, content) for _ in range(rounds)])
        finally:
            os.close(descriptor)
    samples: Floats = comm.bcast(found, root=writer)
    return samples


def _flushed(descriptor: int, content: bytes) -> float:
    """Mean seconds of a write and its flush, over several in a row."""
    before = time.perf_counter()
    for _ in range(_IN_A_ROW):
        os.pwrite(descriptor, content, 0)
        os.fsync(descriptor)
    return (time.perf_counter() - before) / _IN_A_ROW
