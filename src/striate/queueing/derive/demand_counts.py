"""What a workload asks for, counted phase by phase: computing, messages, bytes, I/O."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from striate.errors import QueueingError
from striate.queueing.curves import Floats
from striate.workload import Application, Workload
from striate.workload.kinds import ACCESSES, REMOTE_ACCESSES, WRITES, Kind
from striate.workload.rhythm import Stretch, phases_of
from striate.workload.walk import ProgramLine, lines

# Messages and multiples of the bytes named that one rank sends on average among q ranks, by the usual algorithms:
# binomial trees, recursive doubling, a ring, pairwise exchange.
_TREE = (Kind.BCAST, Kind.REDUCE, Kind.GATHER, Kind.GATHERV, Kind.SCATTER, Kind.SCATTERV)
_DOUBLING = (Kind.BARRIER, Kind.SCAN, Kind.EXSCAN, Kind.REDUCE_SCATTER, Kind.ALLREDUCE)
_EXCHANGE = (Kind.ALLGATHER, Kind.ALLGATHERV, Kind.ALLTOALL, Kind.ALLTOALLV)


@dataclass(frozen=True, slots=True)
class PhaseCounts:
    """One phase; computing, messages, bytes sent and I/O requests are means over ranks, I/O bytes sums."""

    ranks: int
    cycles: int
    bursts: int
    compute_seconds: float = 0.0
    instructions: float = 0.0
    messages: float = 0.0
    sent_bytes: float = 0.0
    requests: float = 0.0
    read_bytes: float = 0.0
    written_bytes: float = 0.0
    together: bool = False  # all of its I/O is collective

    @property
    def bursts_per_cycle(self) -> float:
        return self.bursts / self.cycles


def count_phases(workload: Workload) -> tuple[PhaseCounts, ...]:
    """Count a workload of one application; ranks whose programs have other phases make it one phase."""
    if len(workload.applications) != 1:
        raise QueueingError(f"expected a workload of one application, got {len(workload.applications)}")
    application = workload.applications[0]
    programs = application.programs
    used = [program for program in range(programs.count) if programs.ranks_of(program).size]
    stretches = {program: phases_of(programs, program) for program in used}
    if len({len(found) for found in stretches.values()}) > 1:
        stretches = {program: _joined(found) for program, found in stretches.items()}
    usual = max(used, key=lambda program: int(programs.ranks_of(program).size))
    phases = [
        PhaseCounts(
            application.ranks,
            max(1, stretch.rhythm.io_bursts),
            max(1, stretch.rhythm.computation_bursts),
        )
        for stretch in stretches[usual]
    ]
    for line in lines(application):
        number = _place(stretches[line.program], line.row)
        phases[number] = _added(phases[number], line, application)
    return tuple(phases)


def _joined(found: list[Stretch]) -> list[Stretch]:
    rhythm = found[0].rhythm
    for stretch in found[1:]:
        rhythm = rhythm.then(stretch.rhythm)
    return [Stretch(range(found[0].rows.start, found[-1].rows.stop), rhythm)]


def _place(stretches: list[Stretch], row: int) -> int:
    return next(number for number, stretch in enumerate(stretches) if row in stretch.rows)


def _added(phase: PhaseCounts, line: ProgramLine, application: Application) -> PhaseCounts:
    """The phase with one more row, for all the ranks that run it."""
    share = line.times / phase.ranks  # of a sum over ranks, as a mean over all ranks
    kind = line.kind
    if kind is Kind.COMPUTE:
        seconds, instructions = _mean(line, "picoseconds") / 1e12, _mean(line, "instructions")
        return replace(
            phase,
            compute_seconds=phase.compute_seconds + share * float(seconds.sum()),
            instructions=phase.instructions + share * float(instructions.sum()),
        )
    if kind in (Kind.SEND, Kind.SSEND, Kind.SENDRECV, *REMOTE_ACCESSES):
        sent = float(_mean(line, "bytes").sum())
        return _told(phase, share * line.ranks.size, share * sent)
    if Kind.BARRIER <= kind <= Kind.REDUCE_SCATTER:
        groups = application.groups(line.communicator).size(line.ranks).astype(np.float64)
        named = _mean(line, "bytes") if kind is not Kind.BARRIER else np.zeros(line.ranks.size)
        messages, multiples = _collective(kind, np.maximum(groups, 1))
        return _told(phase, share * float(messages.sum()), share * float((multiples * named).sum()))
    if kind in ACCESSES:
        return _accessed(phase, line, share)
    return phase


def _told(phase: PhaseCounts, messages: float, sent: float) -> PhaseCounts:
    return replace(phase, messages=phase.messages + messages, sent_bytes=phase.sent_bytes + sent)


def _accessed(phase: PhaseCounts, line: ProgramLine, share: float) -> PhaseCounts:
    moved = float((_mean(line, "bytes") * _mean(line, "count")).sum()) * line.times
    collective = line.kind in (Kind.READ_ALL, Kind.WRITE_ALL)
    writes = line.kind in WRITES
    return replace(
        phase,
        requests=phase.requests + share * line.ranks.size,
        read_bytes=phase.read_bytes + (0.0 if writes else moved),
        written_bytes=phase.written_bytes + (moved if writes else 0.0),
        together=collective and (phase.together or phase.requests == 0),
    )


def _mean(line: ProgramLine, name: str) -> Floats:
    """An operand's mean over the passes of its loops, one value per rank."""
    steps = zip(line.strides(name), line.counts, strict=True)
    return np.asarray(line.column(name) + sum(stride * (count - 1) / 2 for stride, count in steps))


def _collective(kind: Kind, group: Floats) -> tuple[Floats, Floats]:
    rest = (group - 1) / group
    if kind in _TREE:
        return rest, rest
    if kind in _DOUBLING:
        rounds = np.ceil(np.log2(group))
        return rounds, (2 if kind is Kind.ALLREDUCE else 1) * rest
    assert kind in _EXCHANGE
    once = kind is Kind.ALLTOALLV  # its bytes are those sent in all
    return group - 1, np.ones_like(group) if once else group - 1
