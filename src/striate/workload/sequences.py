"""All ranks of a communicator call the same collectives in the same order: compared as a hash a rank."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from striate.errors import WorkloadError
from striate.workload.application import Application, Groups
from striate.workload.kinds import COLLECTIVES, EQUAL_BYTES, ROOTED, Kind
from striate.workload.text import Int64s
from striate.workload.unfold import Step, unfold
from striate.workload.walk import Line, lines

Hashes = NDArray[np.uint64]
_BASE = np.uint64(0x9E3779B97F4A7C15)  # odd, so that powers stay invertible
_MOST_PASSES = 4096  # of a loop in which a size or root moves


def compare_collectives(application: Application, groups: list[Groups]) -> None:
    """Raise WorkloadError naming the first operation in which two ranks of a communicator differ."""
    for number, group in enumerate(groups):
        hashes = np.zeros(application.ranks, np.uint64)
        for program in range(application.text.programs):
            ranks = application.text.ranks_of(program)
            if len(ranks):
                hashes[ranks] = _hash_program(application, program, ranks, number)
        leader = group.member[group.first[:-1]]
        leaders = np.repeat(leader, np.diff(group.first))
        differing = np.flatnonzero(hashes[group.member] != hashes[leaders])
        if len(differing):
            _explain(application, number, int(leaders[differing[0]]), int(group.member[differing[0]]))


def _hash_program(application: Application, program: int, ranks: Int64s, communicator: int) -> Hashes:
    """hash = sum of signature * BASE^(calls after it), loops by powers instead of passes."""
    text = application.text
    by_row = {line.row: line for line in lines(application) if line.program == program}
    stack: list[tuple[np.uint64, Hashes]] = [(np.uint64(1), np.zeros(len(ranks), np.uint64))]
    counts: list[int] = []
    with np.errstate(over="ignore"):
        for row in text.rows_of(program):
            kind = text.kind[row]
            if kind == Kind.LOOP:
                counts.append(int(text.constant[text.operand(row, "count")]))
                stack.append((np.uint64(1), np.zeros(len(ranks), np.uint64)))
            elif kind == Kind.END:
                power, total = _repeated(*stack.pop(), counts.pop())
                stack[-1] = (stack[-1][0] * power, stack[-1][1] * power + total)
            elif row in by_row and kind in COLLECTIVES and text.communicator[row] == communicator:
                power, total = stack[-1]
                stack[-1] = (power * _BASE, total * _BASE + _signature(by_row[row]))
    return stack[0][1]


def _repeated(power: np.uint64, total: Hashes, count: int) -> tuple[np.uint64, Hashes]:
    """The map hash -> hash * power + total, applied `count` times, by squaring."""
    result_power, result = np.uint64(1), np.zeros_like(total)
    while count:
        if count & 1:
            result_power, result = result_power * power, result * power + total
        power, total = power * power, total * power + total
        count >>= 1
    return result_power, result


def _signature(line: Line) -> Hashes:
    """What must agree: the kind, the root, and the size where MPI wants it equal."""
    signature = np.full(len(line.ranks), int(line.kind) + 1, np.uint64) * np.uint64(0xD1342543DE82EF95)
    for name, factor in (("root", 0xA24BAED4963EE407), ("bytes", 0x9FB21C651E98DF25)):
        if line.kind in (ROOTED if name == "root" else EQUAL_BYTES):
            signature = signature + line.column(name).astype(np.uint64) * np.uint64(factor)
            moved = np.uint64(sum(line.strides(name)) % 2**64)
            signature = signature + moved * np.uint64(0xC2B2AE3D27D4EB4F)
    return np.asarray(signature, np.uint64)


def _agreement(step: Step) -> tuple[object, ...]:
    root = step.operands["root"] if step.kind in ROOTED else None
    return step.kind, root, step.operands["bytes"] if step.kind in EQUAL_BYTES else None


def _explain(application: Application, communicator: int, one: int, other: int) -> None:
    """Walk both ranks until they differ; texts that say the same in different loops do not differ."""
    name = application.communicators[communicator].name
    mine, theirs = (_calls(application, rank, communicator) for rank in (other, one))
    while True:
        (index, step), (other_index, other_step) = next(mine), next(theirs)
        if step is None and other_step is None:
            return
        if step is None or other_step is None or _agreement(step) != _agreement(other_step):
            at = f"rank {other}, operation {index} ({step.kind.label if step else 'end'})"
            found = f"{_words(step)}, but rank {one} {_words(other_step)} (operation {other_index})"
            raise WorkloadError(f"on communicator {name!r} {found}", at=at, source=application.name)


def _words(step: Step | None) -> str:
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
