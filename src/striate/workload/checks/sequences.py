"""All ranks of a communicator call the same collectives in the same order: compared as a hash a rank."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.arrow import distinct
from striate.errors import WorkloadError
from striate.workload.application import Application, Groups
from striate.workload.kinds import COLLECTIVES, EQUAL_BYTES, ROOTED, Kind
from striate.workload.operand_ranges import program_of_row
from striate.workload.program import Int64s
from striate.workload.transforms.unfold import ProgramStep, unfold
from striate.workload.walk import ProgramLine, lines

Hashes = NDArray[np.uint64]
_LOOP, _END = int(Kind.LOOP), int(Kind.END)
_BASE = 0x9E3779B97F4A7C15  # odd, so that powers stay invertible


def compare_collectives(application: Application, groups: list[Groups]) -> None:
    """Raise WorkloadError naming the first operation in which two ranks of a communicator differ."""
    for number, group in enumerate(groups):
        hashes = np.zeros(application.ranks, np.uint64)
        for program in _that_meet(application, number):
            ranks = application.programs.ranks_of(program)
            if len(ranks):
                hashes[ranks] = _hash_program(application, program, ranks, number)
        leader = group.member[group.first[:-1]]
        leaders = np.repeat(leader, np.diff(group.first))
        differing = np.flatnonzero(hashes[group.member] != hashes[leaders])
        if len(differing):
            _explain(application, number, int(leaders[differing[0]]), int(group.member[differing[0]]))


def _that_meet(application: Application, communicator: int) -> list[int]:
    """Programs that call a collective on the communicator; the hash of the others is 0."""
    programs = application.programs
    rows = np.isin(programs.kind, list(COLLECTIVES)) & (programs.communicator == communicator)
    return [int(program) for program in distinct(program_of_row(programs)[rows])]


def _hash_program(application: Application, program: int, ranks: Int64s, communicator: int) -> Hashes:
    """hash = sum of signature * BASE^(calls after it), loops by powers instead of passes."""
    programs = application.programs
    by_row = {line.row: line for line in lines(application, program, COLLECTIVES)}
    stack = [_Stretch(1, np.zeros(len(ranks), np.uint64), ())]
    counts: list[int] = []
    for row in programs.rows_of(program):
        kind = programs.kind[row]
        if kind == _LOOP:
            counts.append(int(programs.constant[programs.operand(row, "count")]))
            stack.append(_Stretch(1, np.zeros(len(ranks), np.uint64), (0,) * len(counts)))
        elif kind == _END:
            body = stack.pop().repeated(counts.pop())
            stack[-1] = stack[-1].then(body)
        elif row in by_row and programs.communicator[row] == communicator:
            stack[-1] = stack[-1].then(_call(by_row[row]))
    return stack[0].total


@dataclass(frozen=True, slots=True, eq=False)
class _Stretch:
    """What some calls make of a hash: hash * power + total + sum of slope * index over the loops around them."""

    power: int
    total: Hashes
    slopes: tuple[int, ...]  # outermost loop first

    def then(self, later: _Stretch) -> _Stretch:
        slopes = zip(self.slopes, later.slopes, strict=True)
        with np.errstate(over="ignore"):
            total = self.total * np.uint64(later.power) + later.total
        return _Stretch(
            self.power * later.power % 2**64, total, tuple((a * later.power + b) % 2**64 for a, b in slopes)
        )

    def repeated(self, count: int) -> _Stretch:
        """All passes of the innermost loop around, by doubling; the stretch is then outside that loop."""
        passes, power, once, index = (
            0,
            1,
            0,
            0,
        )  # once: sum of power^(passes after i); index: the same times i
        for bit in bin(count)[2:]:
            once, index = once * (power + 1), index * (power + 1) + passes * once
            passes, power = 2 * passes, power * power
            if bit == "1":
                once, index = once * self.power + 1, index * self.power + passes
                passes, power = passes + 1, power * self.power
            power, once, index = power % 2**64, once % 2**64, index % 2**64
        *outer, own = self.slopes
        with np.errstate(over="ignore"):
            total = self.total * np.uint64(once) + np.uint64(own * index % 2**64)
        return _Stretch(power, total, tuple(slope * once % 2**64 for slope in outer))


def _call(line: ProgramLine) -> _Stretch:
    """One call. What must agree: the kind, the root, and the size where MPI wants it equal."""
    signature = np.full(len(line.ranks), int(line.kind) + 1, np.uint64) * np.uint64(0xD1342543DE82EF95)
    slopes = [0] * len(line.counts)
    for name, factor in (("root", 0xA24BAED4963EE407), ("bytes", 0x9FB21C651E98DF25)):
        if line.kind in (ROOTED if name == "root" else EQUAL_BYTES):
            with np.errstate(over="ignore"):
                signature = signature + line.column(name).astype(np.uint64) * np.uint64(factor)
            slopes = [
                slope + stride * factor for slope, stride in zip(slopes, line.strides(name), strict=True)
            ]
    return _Stretch(_BASE, np.asarray(signature, np.uint64), tuple(slope % 2**64 for slope in slopes))


def _same_order(step: ProgramStep) -> tuple[object, ...]:
    root = step.operands["root"] if step.kind in ROOTED else None
    return step.kind, root, step.operands["bytes"] if step.kind in EQUAL_BYTES else None


def _explain(application: Application, communicator: int, one: int, other: int) -> None:
    """Walk both ranks until they differ; programs that say the same in different loops do not differ."""
    name = application.communicators[communicator].name
    mine, theirs = (_calls(application, rank, communicator) for rank in (other, one))
    while True:
        (index, step), (other_index, other_step) = next(mine), next(theirs)
        if step is None and other_step is None:
            return
        if step is None or other_step is None or _same_order(step) != _same_order(other_step):
            at = f"rank {other}, operation {index} ({step.kind.label if step else 'end'})"
            found = f"{_words(step)}, but rank {one} {_words(other_step)} (operation {other_index})"
            raise WorkloadError(f"on communicator {name!r} {found}", at=at, source=application.name)


def _words(step: ProgramStep | None) -> str:
    if step is None:
        return "ends"
    shown = {key: step.operands[key] for key in ("bytes", "root") if key in step.operands}
    return f"calls {step.kind.label}" + (
        f" with {', '.join(f'{k} {v}' for k, v in shown.items())}" if shown else ""
    )


def _calls(application: Application, rank: int, communicator: int):  # type: ignore[no-untyped-def]
    index = -1
    for index, step in enumerate(unfold(application, rank)):
        if step.kind in COLLECTIVES and step.communicator == communicator:
            yield index, step
    yield index + 1, None
