"""What ranks say to each other and to files, counted from the program table: the inputs of the validity tests."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from striate.cluster.cluster import Cluster
from striate.cluster.storage import random_access_ticks
from striate.rungs.check import Check
from striate.rungs.cost import called_rows
from striate.workload.application import Application
from striate.workload.kinds import ACCESSES, COLLECTIVES, Kind
from striate.workload.operand_ranges import program_of_row
from striate.workload.program import Int64s
from striate.workload.transforms.unfold import unfold
from striate.workload.walk import ProgramLine, lines
from striate.workload.workload import Workload

_SENDS = (Kind.SEND, Kind.SSEND, Kind.SENDRECV)
_COUNTED = COLLECTIVES.union((*_SENDS, Kind.SYNC))
_MOST_WALKED = 20_000  # accesses of one rank that are looked at one by one


@dataclass(frozen=True, slots=True)
class ProgramTraffic:
    """Messages between ranks."""

    senders: int  # the most that one rank hears from, or speaks to
    messages: int  # of the rank that sends most
    mean_bytes: int
    groups: int  # of events: how often everyone waits for everyone, and one
    servers: int  # the most that one access may touch
    synchronous: bool = False  # some sends are over only when they are answered
    reads: bool = False  # some accesses read


def traffic_of(workload: Workload, cluster: Cluster) -> ProgramTraffic:
    """Count the messages of a workload, loops by multiplication."""
    sent, bytes_, groups, senders, servers = np.zeros(workload.ranks), 0.0, 1, 1, 0
    synchronous = reads = False
    start = 0
    for application in workload.applications:
        partners = _Partners(application.ranks)
        waits = np.zeros(application.ranks, np.int64)
        own = sent[start : start + application.ranks]
        if any(True for _ in lines(application, kinds=ACCESSES)):
            servers = len(cluster.servers)
            reads |= any(True for _ in lines(application, kinds=(Kind.READ, Kind.READ_ALL)))
        for line in lines(application, kinds=_COUNTED):
            if line.kind in (Kind.READ_ALL, Kind.WRITE_ALL, Kind.SYNC) or _is_collective(line):
                waits[line.ranks] += line.times
            synchronous |= line.kind is Kind.SSEND
            if line.kind in _SENDS:
                own[line.ranks] += line.times
                bytes_ += float(line.column("bytes").sum()) * line.times
                partners.add(line)
            elif _is_collective(line):
                rounds = np.ceil(
                    np.log2(np.maximum(application.groups(line.communicator).size(line.ranks), 1))
                )
                own[line.ranks] += rounds * line.times
                size = line.column("bytes") if line.kind is not Kind.BARRIER else np.zeros(len(line.ranks))
                bytes_ += float((rounds * size).sum()) * line.times
                partners.most = max(partners.most, 2 if len(line.ranks) > 2 else 1)
        senders = max(senders, partners.most)
        groups = max(groups, 1 + int(waits.max(initial=0)))
        start += application.ranks
    total = float(sent.sum())
    mean = round(bytes_ / total) if total else 0
    return ProgramTraffic(senders, math.ceil(sent.max(initial=0)), mean, groups, servers, synchronous, reads)


def _is_collective(line: ProgramLine) -> bool:
    return Kind.BARRIER <= line.kind <= Kind.REDUCE_SCATTER


class _Partners:
    """How many different ranks one rank sends to, or hears from: an upper estimate, row by row."""

    def __init__(self, ranks: int) -> None:
        self.to = np.zeros(ranks, np.int64)
        self.heard = np.zeros(ranks, np.int64)
        self.most = 0
        self.seen: set[bytes] = set()

    def add(self, line: ProgramLine) -> None:
        peers = line.column("peer")
        key = line.ranks.tobytes() + peers.tobytes()
        if key in self.seen:
            return
        self.seen.add(key)
        moves = any(line.strides("peer"))
        several = min(max(line.times, 1), len(self.to) - 1) if moves else 1
        self.to[line.ranks] += several
        world = line.application.groups(line.communicator).world(line.ranks, peers)
        self.heard += np.bincount(world, minlength=len(self.heard)) * several
        self.most = max(self.most, int(self.to.max()), int(self.heard.max()))


def sequential_check(workload: Workload, cluster: Cluster) -> Check:
    """Do the accesses of every disk follow one another? Ranks that share disks which seek do not see to that."""
    name = "sequential I/O"
    users = [
        (application, int(rank)) for application in workload.applications for rank in _accessing(application)
    ]
    if not users:
        return Check(name, True, "no file is touched")
    if not any(random_access_ticks(disk) for server in cluster.servers for disk in server.disks):
        return Check(name, True, "no disk of this machine seeks")
    if len(users) > 1:
        return Check(name, False, f"{len(users):,} ranks share disks that seek")
    if _in_sequence(*users[0]):
        return Check(name, True, "one rank accesses one file from front to back")
    return Check(name, False, "one rank accesses its files at random")


def _accessing(application: Application) -> Int64s:
    """The ranks that access a file at least once."""
    programs, rows = application.programs, called_rows(application)
    accessing = np.zeros(programs.count, bool)
    accessing[program_of_row(programs)[rows.accesses & (rows.calls > 0)]] = True
    return np.flatnonzero(accessing[programs.program_of_rank])


def _in_sequence(application: Application, rank: int) -> bool:
    place: tuple[int, int] | None = None
    for number, step in enumerate(unfold(application, rank)):
        if number > _MOST_WALKED:
            return False
        if step.kind not in ACCESSES:
            continue
        at, size = step.operands["offset"], step.operands["bytes"]
        simple = step.operands["count"] == 1 and step.operands["extents"] < 0
        if not simple or (place is not None and place != (step.operands["file"], at)):
            return False
        place = (step.operands["file"], at + size)
    return True
