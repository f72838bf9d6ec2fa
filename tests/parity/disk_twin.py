"""A hard disk and the queue of jobs in front of it, ordered by the cache policy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from parity.packet_twin import Twin
from parity.supply_twin import ignore


@dataclass(eq=False)
class Job:
    write: bool
    offset: int
    size: int
    parts: list[Job] = field(default_factory=list)  # of a merged job
    on_start: Callable[[], None] = ignore
    on_done: Callable[[], None] = ignore

    @property
    def end(self) -> int:
        return self.offset + self.size

    def told(self) -> list[Job]:
        """The parts in the order in which they hear of the end: the second before the first, then the rest."""
        return [*self.parts[1:2], *self.parts[:1], *self.parts[2:]] or [self]


@dataclass(eq=False)
class Disk:
    """Rule 12: no seek in sequence, a track's seek nearby, an average one elsewhere."""

    last: int | None = None  # where the last access ended
    operations: int = 0
    sequential: int = 0
    near: int = 0
    transferred: int = 0

    def nanoseconds(self, job: Job) -> int:
        seek = self.seek_seconds(job.offset)
        self.last = job.end
        self.operations += 1
        self.transferred += job.size
        return int((seek + job.size / 100663296) * 1e9)

    def seek_seconds(self, offset: int) -> float:
        if self.last is not None and offset == self.last:
            self.sequential += 1
            return 0.0
        if self.last is not None and abs(offset - self.last) < 1_000_000:
            self.near += 1
            return 0.001 + 30 / 7200
        return 0.009 + 30 / 7200


class Queue:
    """The jobs in front of one disk, ordered by the cache policy."""

    def __init__(self, twin: Twin, policy: str, io_request: int) -> None:
        self.twin, self.policy, self.io_request = twin, policy, io_request
        self.disk = Disk()
        self.waiting: list[Job] = []
        self.busy = False
        self.on_change: list[Callable] = []

    @property
    def idle(self) -> bool:
        return not self.busy and not self.waiting

    def submit(self, job: Job) -> None:
        self.waiting.append(job)
        self.start()

    def start(self) -> None:
        if self.busy or not self.waiting:
            return
        job = self.take()
        self.busy = True
        self.twin.at(self.twin.now + self.disk.nanoseconds(job), 0, lambda: self.finish(job))
        for part in job.told():
            part.on_start()

    def finish(self, job: Job) -> None:
        self.busy = False
        for part in job.told():
            part.on_done()
        self.start()
        for tell in list(self.on_change):
            tell()

    def take(self) -> Job:
        if self.policy in ("none", "piosimhd-none", "write-behind"):
            return self.waiting.pop(0)
        if self.policy == "aggregation":
            return self.merged(self.waiting.pop(0))
        reads_first = [job for job in self.waiting if not job.write] or self.waiting
        first = min(reads_first, key=lambda job: job.offset)
        self.waiting.remove(first)
        return self.merged(first)

    def merged(self, job: Job) -> Job:
        """The job and the waiting ones that continue it, up to one I/O request."""
        while follower := next((other for other in self.waiting if self.continues(other, job)), None):
            self.waiting.remove(follower)
            parts = [*(job.parts or [job]), follower]
            job = Job(job.write, job.offset, job.size + follower.size, parts)
        return job

    def continues(self, other: Job, job: Job) -> bool:
        neighbours = other.write == job.write and other.offset == job.end
        return neighbours and job.size + other.size <= self.io_request
