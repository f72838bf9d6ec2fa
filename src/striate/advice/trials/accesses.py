"""Changes to the accesses of single ranks: larger, aligned, sorted, overlapped or compressed, and no repeated reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from striate.advice.facts import Sample
from striate.advice.rules.work import WORTH
from striate.advice.trials.edits import in_order, is_access, is_plain, joined, place, plain, sized
from striate.advice.trials.situation import Situation, Variant
from striate.trace.trace import Trace
from striate.workload.kinds import WRITES, Kind
from striate.workload.operations import PENDING, Operation, compute, wait
from striate.workload.transforms.rewrite import rewritten

BUFFER = 4 * 2**20  # into which small accesses are joined
SORTED_BUFFER = 16 * 2**20
Piece = tuple[str, int, int]  # file, offset, bytes


def buffered(situation: Situation) -> Variant:
    """Small requests that follow one another, joined in a buffer."""
    return Variant(rewritten(situation.workload, lambda rank, steps: joined(steps, BUFFER)))


def sorted_by_offset(situation: Situation) -> Variant:
    """Accesses with nothing but compute between them, in the order of the file."""
    return Variant(rewritten(situation.workload, lambda rank, steps: in_order(steps, SORTED_BUFFER)))


def aligned(situation: Situation) -> Variant:
    """Accesses of at least a strip begin where a strip begins."""
    unit = int(situation.cluster.settings.stripe_unit)
    return Variant(rewritten(situation.workload, lambda rank, steps: _aligned(steps, unit)))


def _aligned(steps: Iterator[Operation], unit: int) -> Iterator[Operation]:
    for step in steps:
        if is_plain(step) and place(step)[2] >= unit:
            file, offset, size = place(step)
            yield plain(step.kind, file, offset // unit * unit, size)
        else:
            yield step


def read_once(situation: Situation) -> Variant | None:
    """Pieces of files that nobody writes are read once, by the lowest rank that reads them."""
    rows = situation.accesses.where(situation.accesses.of_kind("read"))
    rows = rows.where((rows.column("offset") >= 0) & ~rows.column("collective") & (rows.column("bytes") > 0))
    written = set(situation.accesses.column("file")[situation.accesses.of_kind("write")].tolist())
    files = {situation.file_name(file) for file in set(rows.column("file").tolist()) - written}
    owners = _owners(rows, situation)
    if not files:
        return None  # what was read again may have been written in between
    return Variant(rewritten(situation.workload, lambda rank, steps: _once(rank, steps, files, owners)))


def _owners(rows: Trace, situation: Situation) -> dict[Piece, int]:
    owners: dict[Piece, int] = {}
    columns = (rows.column(name).tolist() for name in ("rank", "file", "offset", "bytes"))
    for rank, file, offset, size in zip(*columns, strict=True):
        key = (situation.file_name(file), offset, size)
        owners[key] = min(rank, owners.get(key, rank))
    return owners


def _once(
    rank: int, steps: Iterator[Operation], files: set[str], owners: Mapping[Piece, int]
) -> Iterator[Operation]:
    """A piece is read by its owner, the first time."""
    done: set[Piece] = set()
    for step in steps:
        if is_plain(step) and step.kind is Kind.READ and place(step)[0] in files:
            key = place(step)
            if key in done or owners.get(key, rank) != rank:
                continue
            done.add(key)
        yield step


def overlapped(situation: Situation) -> Variant:
    """Writes are waited for when the rank does anything but compute next; computing counts."""
    return Variant(rewritten(situation.whole, lambda rank, steps: _overlapped(steps)), situation.whole)


def _overlapped(steps: Iterator[Operation]) -> Iterator[Operation]:
    open_: Operation | None = None
    for step in steps:
        if open_ is not None and step.kind is not Kind.COMPUTE:
            yield wait(open_)
            open_ = None
        if is_plain(step) and step.kind is Kind.WRITE:
            open_ = Operation(Kind.WRITE, (*step.operands[:-1], PENDING), step.communicator)
            yield open_
        else:
            yield step
    if open_ is not None:
        yield wait(open_)


def compressed(situation: Situation) -> Variant:
    """Files whose sample shrinks enough are written with fewer bytes, after the work of the codec."""
    good = {name: sample for name, sample in situation.samples.items() if sample.share <= WORTH}
    return Variant(rewritten(situation.workload, lambda rank, steps: _compressed(steps, good)))


def _compressed(steps: Iterator[Operation], samples: Mapping[str, Sample]) -> Iterator[Operation]:
    for step in steps:
        sample = samples.get(str(step.operands[0])) if is_access(step) and step.kind in WRITES else None
        if sample is None or isinstance(step.operands[5], tuple):
            yield step
            continue
        block, count = step.operands[2], step.operands[3]
        yield compute(block * count * sample.seconds_per_byte)
        yield sized(step, max(1, round(block * sample.share)))
