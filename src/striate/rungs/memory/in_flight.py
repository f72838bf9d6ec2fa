"""What a rank of a program has in flight at most: requests not yet awaited, bytes that servers have yet to write."""

from __future__ import annotations

from dataclasses import dataclass, field

from striate.rungs.memory.machine import Storage
from striate.rungs.memory.operands import AverageRows
from striate.rungs.memory.rows import MESSAGE, SENT_OR_RECEIVED, RowCosts
from striate.workload.kinds import ACCESSES, BLOCKING, OPERANDS, REMOTE_ACCESSES, Kind, position

_BEGINS = {kind: position(kind, "request") for kind, names in OPERANDS.items() if "request" in names}
# Keys of requests whose number a loop moves, of messages sent and not yet received, of accesses of an open epoch.
_MOVING, _EARLY, _EPOCH = -2, -3, -4
REQUEST = 24.0  # bytes of one that is begun (program_runner.hpp)
_DEEPEST = 6  # loops in loops that are walked twice


@dataclass(slots=True)
class Amounts:
    """Bytes taken and routes in use."""

    taken: float = 0.0
    routes: float = 0.0


@dataclass(slots=True)
class Peak:
    """The most at any time, of one rank."""

    taken: float = 0.0
    routes: float = 0.0
    unwritten: float = 0.0  # bytes
    jobs: float = 0.0


@dataclass(slots=True)
class Rank:
    """One rank stepping through a program."""

    requests: dict[int, Amounts] = field(default_factory=dict)
    begun: int = 0  # requests of which a loop moves the number
    unwritten: float = 0.0
    jobs: float = 0.0


class Walk:
    """Walks programs with their loops folded: two passes tell what all of them leave."""

    def __init__(
        self,
        average: AverageRows,
        costs: RowCosts,
        storage: Storage,
        *,
        share: float,
        speed: float,
        flush_on_close: bool,
    ) -> None:
        """`share` is this rank's part of what the servers can do, `speed` in instructions per second."""
        programs = average.programs
        self._kind, self._times = programs.kind.tolist(), average.average
        self._first = programs.first_operand.tolist()
        self._first_stride = programs.first_stride.tolist()
        self._constant = programs.constant.tolist()
        self._in_flight_bytes, self._routes = costs.taken.tolist(), costs.routes.tolist()
        self._written, self._jobs = costs.written.tolist(), costs.jobs.tolist()
        self._storage, self._share, self._speed = storage, share, speed
        self._flushes = {Kind.SYNC, Kind.CLOSE} if flush_on_close else {Kind.SYNC}
        self._room = storage.room * share
        self._receives = False
        self.peak = Peak()
        self.rank = Rank()

    def go(self, rows: range) -> Peak:
        """Walk the rows of a program from its beginning."""
        self.peak, self.rank = Peak(), Rank()
        ends = self._ends(rows)
        # Who also receives is taken to receive as often as it sends; others' messages are received as they come.
        self._receives = any(self._kind[row] == Kind.RECV for row in rows)
        self._block(rows.start, rows.stop, ends, 0)
        return self.peak

    def _ends(self, rows: range) -> dict[int, int]:
        """The end of each loop."""
        open_, ends = [], {}
        for row in rows:
            if self._kind[row] == Kind.LOOP:
                open_.append(row)
            elif self._kind[row] == Kind.END:
                ends[open_.pop()] = row
        return ends

    def _block(self, row: int, stop: int, ends: dict[int, int], depth: int) -> None:
        while row < stop:
            if self._kind[row] == Kind.LOOP:
                self._loop(row, ends, depth)
                row = ends[row] + 1
                continue
            self._operation(row)
            row += 1

    def _loop(self, row: int, ends: dict[int, int], depth: int) -> None:
        count = self._constant[self._first[row]]
        if count <= 0:
            return
        self._block(row + 1, ends[row], ends, depth + 1)
        if count == 1:
            return
        before = _copy(self.rank)
        peak, self.peak = self.peak, Peak()
        if depth < _DEEPEST:
            self._block(row + 1, ends[row], ends, depth + 1)
        taken, routes = _in_flight_bytes(self.rank), _routes(self.rank)
        self._repeat(before, count - 2)
        self.peak = Peak(
            max(peak.taken, self.peak.taken + _in_flight_bytes(self.rank) - taken),
            max(peak.routes, self.peak.routes + _routes(self.rank) - routes),
            max(peak.unwritten, self.peak.unwritten, self.rank.unwritten),
            max(peak.jobs, self.peak.jobs, self.rank.jobs),
        )

    def _repeat(self, before: Rank, times: int) -> None:
        """Let grow what has grown since `before` so many times more."""
        rank = self.rank
        for key, amounts in rank.requests.items():
            was = before.requests.get(key, Amounts())
            amounts.taken += max(0.0, amounts.taken - was.taken) * times
            amounts.routes += max(0.0, amounts.routes - was.routes) * times
        rank.begun += max(0, rank.begun - before.begun) * times
        grown = max(0.0, rank.unwritten - before.unwritten) * times
        if grown:
            rank.jobs *= min(self._room, rank.unwritten + grown) / rank.unwritten
            rank.unwritten = min(self._room, rank.unwritten + grown)

    def _operation(self, row: int) -> None:
        kind, rank = self._kind[row], self.rank
        if kind == Kind.COMPUTE:
            at = self._first[row]
            self._drain(self._times[at] / 1e12 + self._times[at + 1] / self._speed)
        elif kind == Kind.WAITALL:
            rank.requests = {key: one for key, one in rank.requests.items() if key in (_EARLY, _EPOCH)}
            rank.begun = 0
        elif kind == Kind.WAIT:
            self._await(row)
        elif kind in (Kind.FLUSH, Kind.UNLOCK):
            rank.requests.pop(_EPOCH, None)
        elif kind in self._flushes:
            rank.unwritten = rank.jobs = 0.0
        elif self._in_flight_bytes[row]:
            self._begin(row)

    def _begin(self, row: int) -> None:
        kind, rank = self._kind[row], self.rank
        request = BLOCKING
        if kind in _BEGINS:
            operand = self._first[row] + _BEGINS[kind]
            moves = self._first_stride[operand + 1] > self._first_stride[operand]
            request = _MOVING if moves else self._constant[operand]
        if self._receives and request == BLOCKING and self._routes[row] == 1 and kind == Kind.SEND:
            request = _EARLY
        if request == BLOCKING and kind in REMOTE_ACCESSES:
            request = _EPOCH
        if kind == Kind.RECV and _EARLY in rank.requests:
            early = rank.requests[_EARLY]
            early.taken = max(0.0, early.taken - SENT_OR_RECEIVED - MESSAGE)
            early.routes = 0.0
        begun = Amounts(self._in_flight_bytes[row], self._routes[row])
        if request != BLOCKING:
            new = request != _EPOCH and (request == _MOVING or request not in rank.requests)
            slot = rank.requests.setdefault(request, Amounts())
            slot.taken += begun.taken + REQUEST * new
            slot.routes += begun.routes
            rank.begun += request == _MOVING
            begun = Amounts()
        if kind in ACCESSES and self._written[row]:
            self._write(row)
        self.peak.taken = max(self.peak.taken, _in_flight_bytes(rank) + begun.taken)
        self.peak.routes = max(self.peak.routes, _routes(rank) + begun.routes)

    def _write(self, row: int) -> None:
        """Part of the bytes waits before the disks; a full server takes no more."""
        rank, size, jobs = self.rank, self._written[row], self._jobs[row]
        share = self._storage.backlog_share(size / max(jobs, 1.0))
        kept = self._storage.kept_until_sync * self._share
        left = max(share * size, min(size, kept - rank.unwritten))
        left = max(0.0, min(left, self._room - rank.unwritten))
        rank.unwritten += left
        rank.jobs += jobs * left / size
        self.peak.unwritten = max(self.peak.unwritten, rank.unwritten)
        self.peak.jobs = max(self.peak.jobs, rank.jobs)

    def _await(self, row: int) -> None:
        rank, operand = self.rank, self._first[row]
        if self._first_stride[operand + 1] == self._first_stride[operand]:
            rank.requests.pop(self._constant[operand], None)
            return
        moving = rank.requests.get(_MOVING)
        if moving and rank.begun > 0:
            moving.taken *= 1 - 1 / rank.begun
            moving.routes *= 1 - 1 / rank.begun
            rank.begun -= 1

    def _drain(self, seconds: float) -> None:
        rank = self.rank
        kept = min(rank.unwritten, self._storage.kept_until_sync * self._share)
        left = max(kept, rank.unwritten - seconds * self._storage.written_per_second * self._share)
        if rank.unwritten:
            rank.jobs *= left / rank.unwritten
        rank.unwritten = left


def _in_flight_bytes(rank: Rank) -> float:
    return sum(one.taken for one in rank.requests.values())


def _routes(rank: Rank) -> float:
    return sum(one.routes for one in rank.requests.values())


def _copy(rank: Rank) -> Rank:
    requests = {key: Amounts(one.taken, one.routes) for key, one in rank.requests.items()}
    return Rank(requests, rank.begun, rank.unwritten, rank.jobs)
