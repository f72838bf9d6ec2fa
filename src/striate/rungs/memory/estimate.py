"""About the memory that playing a program packet by packet takes, from the program's counts and the machine.

`verification/memory.py` plays programs of all kinds and prints this estimate over what they used.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from striate.cluster.cluster import Cluster
from striate.collectives.calls import Chooser, distinct_calls
from striate.collectives.choice import Choice
from striate.errors import PredictionError
from striate.rungs.memory.in_flight import REQUEST, Peak, Walk
from striate.rungs.memory.machine import Storage, stations_of_route, storage_of
from striate.rungs.memory.operands import AverageRows, strided
from striate.rungs.memory.rows import JOB, RowCosts, row_costs, sent_messages
from striate.workload.application import Application
from striate.workload.kinds import REMOTE_ACCESSES, VARYING, Kind
from striate.workload.operand_ranges import Floats, program_of_row

# Bytes, with what the heap adds: measured by `verification/memory.py`.
RANK, IN_GROUPS = (
    650,
    48,
)  # its interface, its place in the program, its columns; and its place in a communicator
STATION = 256  # of the network: itself, its totals, its share of the routes
SLOT, STREAM = (
    64,
    136,
)  # a stream between two interfaces: at each station of its route, and beside (traffic.hpp)
SCHEDULED, COMBINED, EMPTY = (
    220,
    380,
    130,
)  # a message of a collective's schedule; of a reduction; of a barrier
UNMERGED_JOB, DIRTY_JOB, BURST_JOB = 90, 60, 125  # without an order, until a sync, in a burst buffer
PAGE_BYTES, PAGE = 64 * 1024, 27  # of a read cache (read_cache.hpp)
BLOCK_PAGES, BLOCK = 16, 112  # neighbouring pages that are looked up together
FILE, FILE_ON_SERVER = 300, 8
BAR, TRANSFER, TRACE_ROW = 64, 40, 480  # of a timeline: as the core writes it down, and as a trace
KEPT_STREAMS = 4096  # that are idle, and one for every four interfaces (traffic_streams.cpp)
_REDUCTIONS = frozenset((Kind.REDUCE, Kind.ALLREDUCE, Kind.SCAN, Kind.REDUCE_SCATTER))


def bytes_needed(
    application: Application,
    cluster: Cluster,
    *,
    choice: Choice | None = None,
    timeline_bytes: int = 0,
    collective_steps: bool = False,
    at_once: bool = False,
) -> int:
    """What a run of `application` takes beside the workload itself.

    With `at_once`, what it would take with all its operations in flight together: more, and cheap to know.
    """
    estimate = Estimate.of(application, cluster, (choice or Choice()).on(cluster))
    parts = estimate.parts(timeline_bytes, collective_steps=collective_steps, at_once=at_once)
    return int(min(sum(parts.values()), 2.0**62))


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """A program's operations on a machine, with what they cost."""

    application: Application
    cluster: Cluster
    choice: Choice
    average: AverageRows
    costs: RowCosts
    storage: Storage

    @classmethod
    def of(cls, application: Application, cluster: Cluster, choice: Choice) -> Estimate:
        average = AverageRows.of(application.programs)
        costs = row_costs(application, cluster, choice, average)
        return cls(application, cluster, choice, average, costs, storage_of(cluster, application.ranks))

    def parts(
        self, timeline_bytes: int = 0, *, collective_steps: bool = False, at_once: bool = False
    ) -> dict[str, float]:
        """Bytes by what takes them."""
        peaks, ranks = self._sums() if at_once else self._peaks(), self._ranks()
        ever = self._routes_ever()
        taken = sum(count * peak.taken for count, peak in zip(ranks, peaks, strict=True))
        jobs = sum(count * peak.jobs for count, peak in zip(ranks, peaks, strict=True))
        in_use = sum(
            count * min(peak.routes, most) for count, peak, most in zip(ranks, peaks, ever, strict=True)
        )
        return {
            "machine and ranks": self._setting(),
            "operations in flight": taken,
            "before the disks": jobs * self._job(),
            "collective schedules": self._schedules(),
            "routes": self._streams(in_use, sum(np.multiply(ranks, ever).tolist())),
            "read caches": self._pages(seen=timeline_bytes > 0),
            "timeline": self._timeline(timeline_bytes, collective_steps),
        }

    def _ranks(self) -> list[int]:
        programs = self.application.programs
        found: list[int] = np.bincount(programs.program_of_rank, minlength=programs.count).tolist()
        return found

    def _by_program(self, values: Floats) -> Floats:
        """Sums of a column over the rows of each program."""
        programs = self.application.programs
        return np.bincount(program_of_row(programs), values, minlength=programs.count).astype(np.float64)

    def _sums(self) -> list[Peak]:
        """Per program: what one of its ranks would have in flight if nothing ever ended."""
        begun = self.costs.taken > 0
        taken = self._by_program((self.costs.taken + REQUEST * begun) * self.average.times)
        jobs = self._by_program(self.costs.jobs * self.average.times)
        return [Peak(size, math.inf, 0.0, count) for size, count in zip(taken, jobs, strict=True)]

    def _peaks(self) -> list[Peak]:
        """Per program: what one of its ranks has in flight at most."""
        programs = self.application.programs
        writes = self._by_program(self.costs.written) > 0
        writers = float(np.count_nonzero(writes[programs.program_of_rank])) or 1.0
        speed = min(float(kind.instructions_per_second) for kind in self.cluster.node_types)
        flush = self.cluster.settings.flush_on_close
        walk = Walk(
            self.average, self.costs, self.storage, share=1 / writers, speed=speed, flush_on_close=flush
        )
        return [walk.go(programs.rows_of(program)) for program in range(programs.count)]

    def _setting(self) -> float:
        """What is there before the first event: ranks, network, columns, files."""
        application, network = self.application, self.cluster.network
        extents = application.extents
        lists = extents.first.nbytes + extents.offsets.nbytes + extents.sizes.nbytes
        files = application.file_count * (FILE + FILE_ON_SERVER * len(self.cluster.servers))
        ranks = application.ranks * (RANK + IN_GROUPS * len(application.communicators))
        return float(
            ranks
            + (network.components + network.edges) * STATION
            + 2 * application.programs.nbytes
            + lists
            + files
        )

    def _job(self) -> float:
        """Bytes of a job before the disks."""
        if self.storage.burst:
            return BURST_JOB
        flushes = (Kind.SYNC, Kind.CLOSE) if self.cluster.settings.flush_on_close else (Kind.SYNC,)
        if self.storage.kept_until_sync and not len(self.average.rows(*flushes)):
            return DIRTY_JOB
        job = JOB if self.storage.merges else UNMERGED_JOB
        return job + (DIRTY_JOB if self.storage.kept_until_sync else 0)

    def _schedules(self) -> float:
        """Of all different collective calls."""
        chooser, size = Chooser(self.application, self.choice), 0.0
        try:
            for call in distinct_calls(self.application):
                name = chooser.name(call.kind, call.members, call.bytes, call.algorithm)
                sent = call.members * sent_messages(call.kind.label, call.members, call.bytes, name)
                size += sent * _scheduled(call.kind)
        except PredictionError:
            pass  # too many different ones: the engine refuses them by name
        for kind in VARYING:
            rows = self.average.rows(kind)
            size += float(self.costs.messages[rows] @ self.average.ranks[rows]) * _scheduled(kind)
        return size

    def _peers(self) -> Floats:
        """Per program: ranks that one of its ranks sends messages to."""
        programs = self.application.programs
        rows = self.average.rows(Kind.SEND, Kind.SSEND, Kind.SENDRECV, *REMOTE_ACCESSES)
        at = self.average.operand(rows, Kind.SEND, "peer")
        moves = strided(programs)[at]
        told = np.stack([programs.constant[at], programs.per_rank[at], programs.table[at]])
        of_row = program_of_row(programs)[rows]
        _, first = np.unique(np.vstack([of_row, told]), axis=1, return_index=True)
        found = np.zeros(programs.rows)
        found[rows[first]] = 1.0
        found[rows[moves]] = self.average.times[rows[moves]]
        collective = self.average.rows(
            *(kind for kind in Kind if Kind.BARRIER <= kind <= Kind.REDUCE_SCATTER)
        )
        found[collective] = self.costs.messages[collective]
        return np.minimum(self._by_program(found), self.application.ranks - 1)

    def _routes_ever(self) -> Floats:
        """Per program: streams from and to one of its ranks, those of its messages counted once."""
        access = self._by_program(self.costs.routes * (self.costs.parts > 0) * self.average.times)
        most = float(self.costs.routes[self.costs.parts > 0].max(initial=0.0))
        return np.minimum(access, max(most, 2 * len(self.cluster.servers))) + self._peers()

    def _streams(self, in_use: float, ever: float) -> float:
        """Streams in use at once, and some thousands that are kept for the next message."""
        interfaces = self.application.ranks + len(self.cluster.servers)
        streams = min(ever, in_use + KEPT_STREAMS + interfaces / 4)
        return streams * (STREAM + SLOT * stations_of_route(self.cluster))

    def _pages(self, *, seen: bool) -> float:
        """Of read caches, when nothing is accessed twice; none unless the program reads or a timeline shows them.

        A block holds one access, or as many neighbours as it has room for; what is taken lies between the two.
        """
        moved = self.costs.read + self.costs.written
        accessed = moved * self.average.times * self.average.ranks
        if not accessed.any() or not (seen or self.costs.read.any()):
            return 0.0
        together = np.clip(moved / PAGE_BYTES, 1, BLOCK_PAGES)
        each = np.average(PAGE + BLOCK / np.sqrt(BLOCK_PAGES * together), weights=accessed)
        return float(min(float(accessed.sum()), self.storage.keeps) / PAGE_BYTES * each)

    def _timeline(self, most_bytes: int, collective_steps: bool) -> float:
        if not most_bytes:
            return 0.0
        often = self.average.times * self.average.ranks
        marks = (Kind.LOOP, Kind.END, Kind.REGION_END)
        bars = float(often[~np.isin(self.application.programs.kind, marks)].sum())
        bars += float(((self.costs.parts + self.costs.jobs) * often).sum())
        if collective_steps:  # two bars per message at most: the exchange, and computing
            inside = self.average.rows(
                *(kind for kind in Kind if Kind.BARRIER <= kind <= Kind.REDUCE_SCATTER)
            )
            bars += 2 * float((self.costs.messages * often)[inside].sum())
        watched = (stations_of_route(self.cluster) - 5) / 2 + 2  # edges, and two interfaces
        transfers = watched * float((self.costs.messages * often).sum())
        written = bars * BAR + transfers * TRANSFER
        kept = min(1.0, most_bytes / max(written, 1.0))
        return kept * (written + (bars + transfers) * TRACE_ROW)


def _scheduled(kind: Kind) -> int:
    """Bytes of a message of a schedule, while it is written and read."""
    return COMBINED if kind in _REDUCTIONS else EMPTY if kind is Kind.BARRIER else SCHEDULED
