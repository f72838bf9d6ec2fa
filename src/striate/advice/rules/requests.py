"""Requests as the file system saw them: small, random, strided, unaligned."""

from __future__ import annotations

import numpy as np

from striate.advice.diagnosis import Diagnosis, Unjudged, Verdict
from striate.advice.facts import Facts
from striate.advice.fit import per_call_share
from striate.advice.item import Evidence
from striate.advice.layer import KINDS, Floats, Layer
from striate.tuning.change import Change
from striate.units import about_size, counted

SMALL_SHARE = (
    0.1  # of the calls of a file, and of accesses in any order: as Drishti's (Bez et al., PDSW 2022)
)
RANDOM_SHARE = 0.2
FEW = 64  # calls that cannot matter
LARGE = 2**20  # bytes: requests of this size need no merging
JUMP = 2 * 2**20  # bytes that a disk moves while it could seek: 10 ms at 200 MB/s
CALL = 2**20  # bytes whose transfer takes about as long as the rest of a call: a millisecond at 1 GB/s
BUFFER = 4 * 2**20
LASTING = 0.5  # of the time per call may be locks and copies that larger requests do not spare
NO_STORAGE = Unjudged("POSIX or DAOS counters")
NO_POSIX = Unjudged("POSIX counters")  # of what DAOS does not count


def small_requests(facts: Facts) -> Verdict:
    layer = facts.storage
    if layer is None or layer.module == "STDIO":
        return NO_STORAGE
    small = layer.below_mebibyte("read") + layer.below_mebibyte("write")
    calls = layer.calls()
    chosen = (small >= SMALL_SHARE * calls) & (small > 0) & (_spare(layer) > 0)
    count = int(small[chosen].sum())
    if (small * _spare(layer))[chosen].sum() < FEW:
        return None
    spent = np.where(chosen, _small_seconds(layer), 0.0)
    wall = facts.wall(layer, spent)
    if not facts.matters(wall.estimate):
        return None
    size = float(sum(layer.bytes_below_mebibyte(kind)[chosen].sum() for kind in KINDS))
    words = (
        f"{count:,} of {int(calls.sum()):,} accesses move less than 1 MiB, {about_size(size / count)} on "
        f"average, in {_files(facts, layer, spent)}"
    )
    low, high = _merged_share(layer, chosen, size / count)
    return Diagnosis(
        title="Many small requests",
        evidence=Evidence(count, int(size), float(spent.sum()), words),
        why="Every request pays the latency of the file system, however few bytes it moves.",
        wall=wall,
        change=_larger_requests(facts, layer.where(chosen)),
        verify="striate info of a new trace: fewer accesses for as many bytes",
        saved=(low, high),
    )


def _larger_requests(facts: Facts, layer: Layer) -> Change:
    """A buffer merges accesses that follow each other; those with gaps between them need to be described together.

    Below collective calls the buffer is that of the aggregators.
    """
    above = facts.layer("MPI-IO")
    if above is not None and collective_calls(above)[np.unique(layer.file[layer.file >= 0])].any():
        return Change(
            "Give collective calls more at a time, several variables or steps in one call, and a larger buffer",
            hints={"cb_buffer_size": str(16 * 2**20), "romio_cb_write": "enable", "romio_cb_read": "enable"},
        )
    following = sum(float(layer.get(f"consec_{kind}s").sum()) for kind in KINDS)
    if layer.has("consec_reads") and following < 0.5 * float(layer.calls().sum()):
        return Change(
            "Access whole regions and pick the pieces in memory, or describe all pieces of a rank by one datatype "
            "and access them in one collective call; a buffer does not merge pieces with gaps between them",
            code=_one_call(layer),
            hints={"romio_cb_read": "enable", "romio_cb_write": "enable", "cb_buffer_size": str(16 * 2**20)},
        )
    mode = "rb" if _reads(layer) else "wb"
    return Change(
        f"Collect data in memory and access the file in requests of {about_size(BUFFER)} or more",
        code=f"file = open(path, '{mode}', buffering=4 << 20)  # C: setvbuf(file, NULL, _IOFBF, 4 << 20)",
        runtime={"buffer": "64 MiB"},
    )


def collective_calls(above: Layer) -> Floats:
    """Collective calls of MPI-IO, by file."""
    calls = [above.get(f"{form}_{kind}s") for form in ("coll", "split") for kind in KINDS]
    return above.of_files(np.sum(calls, axis=0))


def _reads(layer: Layer) -> bool:
    """Whether most calls of the records read."""
    return bool(layer.calls("read").sum() > layer.calls("write").sum())


def _one_call(layer: Layer) -> str:
    """The collective call for all pieces of a rank."""
    return (
        f"file.Set_view(displacement, etype, filetype); file.{'Read' if _reads(layer) else 'Write'}_all(data)"
    )


def _small_seconds(layer: Layer) -> Floats:
    """Seconds of small calls of each record: their share of the calls of their kind and of the bytes."""
    spent = np.zeros(len(layer))
    for kind in KINDS:
        cost = layer.calls(kind) * CALL + layer.moved(kind)
        small = layer.below_mebibyte(kind) * CALL + layer.bytes_below_mebibyte(kind)
        spent += layer.seconds(kind) * np.divide(
            np.minimum(small, cost), cost, out=np.zeros(len(layer)), where=cost > 0
        )
    return spent


def _merged_share(layer: Layer, chosen: np.ndarray, mean: float) -> tuple[float, float]:
    """Share of the time that is saved when requests are joined into large ones."""
    seconds = layer.seconds(*KINDS)
    fit = per_call_share(layer.calls(), layer.moved(), seconds)
    weight = np.where(chosen, seconds, 0.0)
    total = max(float(weight.sum()), 1e-12)
    fewer = np.minimum(1 - min(mean / BUFFER, 1.0), _spare(layer))
    least, most = (float((share * weight * fewer).sum()) / total for share in (fit.low, fit.high))
    return LASTING * least, most


def _spare(layer: Layer) -> Floats:
    """The share of the calls of each record that larger ones could replace: each rank needs one per file."""
    return np.asarray(1 - np.minimum(layer.users / np.maximum(layer.calls(), 1), 1.0))


def _files(facts: Facts, layer: Layer, spent: Floats) -> str:
    names = facts.largest(layer.of_files(spent), most=1)
    others = int((layer.of_files(spent) > 0).sum()) - 1
    return (names[0] if names else "unknown files") + (
        f" and {counted(others, 'more file')}" if others > 0 else ""
    )


def random_access(facts: Facts) -> Verdict:
    layer = facts.storage
    if layer is None or not layer.has("seq_reads"):
        return Unjudged("counters of sequential accesses") if layer is not None else NO_STORAGE
    back, spent = np.zeros(len(layer)), np.zeros(len(layer))
    for kind in KINDS:
        calls, jumps = layer.calls(kind), _jumps(layer, kind)
        often = (jumps >= RANDOM_SHARE * calls) & (calls > 0)
        back += np.where(often, jumps, 0)
        cost = JUMP * calls + layer.moved(kind)  # of each access, were it a jump
        spent += np.where(often, layer.seconds(kind) * JUMP * jumps / np.maximum(cost, 1), 0.0)
    wall = facts.wall(layer, spent)
    if back.sum() < FEW or not facts.matters(wall.estimate):
        return None
    total = float(layer.moved()[back > 0].sum())
    words = (
        f"{int(back.sum()):,} of {int(layer.calls().sum()):,} accesses go back in the "
        f"file, in {_files(facts, layer, spent)}"
    )
    return Diagnosis(
        title="Accesses jump back and forth in a file",
        evidence=Evidence(int(back.sum()), int(total), float(spent.sum()), words),
        why="Read-ahead and write-behind work forwards; a jump costs a seek on a disk, and a "
        "round trip without read-ahead.",
        wall=wall,
        change=Change(
            "Sort accesses by offset before they are made, or let a collective call or a large buffer do it",
            code="for offset in sorted(offsets): read(offset)",
            hints={"romio_cb_read": "enable", "romio_cb_write": "enable"},
        ),
        verify="striate info of a new trace: accesses in the order of the file",
        saved=(0.1, 0.9),
        certainty="inferred",
    )


def _jumps(layer: Layer, kind: str) -> Floats:
    """Accesses that go back in the file; the first after each open is none."""
    calls = layer.calls(kind)
    first = np.minimum(layer.users * np.maximum(layer.opens() / layer.users, 1), calls)
    return np.maximum(calls - layer.get(f"seq_{kind}s") - first, 0)


def _regular_gaps(layer: Layer) -> Floats:
    """Accesses after one of the common gaps."""
    found = np.zeros(len(layer))
    for number in range(1, 5):
        found += np.where(layer.get(f"stride{number}_stride") > 0, layer.get(f"stride{number}_count"), 0.0)
    return found


def strided_access(facts: Facts) -> Verdict:
    layer = facts.storage
    if layer is None or not layer.has("consec_reads"):
        return Unjudged("counters of consecutive accesses") if layer is not None else NO_STORAGE
    gaps, spent = np.zeros(len(layer)), np.zeros(len(layer))
    for kind in KINDS:
        calls = layer.calls(kind)
        skips = np.maximum(layer.get(f"seq_{kind}s") - layer.get(f"consec_{kind}s"), 0)
        size = np.divide(layer.moved(kind), calls, out=np.zeros(len(layer)), where=calls > 0)
        often = (skips >= 0.5 * calls) & (size <= LARGE / 8) & (skips > 0)
        often &= (_jumps(layer, kind) < RANDOM_SHARE * calls) | (_regular_gaps(layer) >= 0.5 * skips)
        gaps += np.where(often, skips, 0)
        spent += np.where(often, layer.seconds(kind) * skips / np.maximum(calls, 1), 0.0)
    wall = facts.wall(layer, spent)
    if gaps.sum() < FEW or not facts.matters(wall.estimate):
        return None
    total = float(layer.moved()[gaps > 0].sum())
    words = f"{int(gaps.sum()):,} small accesses leave a gap after the previous one, in {_files(facts, layer, spent)}"
    return Diagnosis(
        title="Small accesses with gaps between them",
        evidence=Evidence(int(gaps.sum()), int(total), float(spent.sum()), words),
        why="Pieces with gaps cannot be merged by a buffer; each is a separate request.",
        wall=wall,
        change=Change(
            "Describe all pieces of a rank by one datatype and access them in one collective call",
            hints={"romio_cb_write": "enable", "romio_cb_read": "enable"},
            code=_one_call(layer.where(gaps > 0)),
        ),
        verify="striate info of a new trace: read_all or write_all calls above few large accesses",
        saved=_merged_share(layer, gaps > 0, total / max(float(layer.calls()[gaps > 0].sum()), 1.0)),
    )


def unaligned(facts: Facts) -> Verdict:
    layer = facts.storage
    if layer is None or not layer.has("file_not_aligned"):
        return Unjudged("counters of alignment")
    calls, off = layer.calls(), layer.get("file_not_aligned")
    unit = layer.get("file_alignment")
    often = (off >= 0.3 * calls) & (unit > 1) & (calls > 0)
    share = np.minimum(off / np.maximum(calls, 1), 1.0)
    locked = layer.in_files(
        layer.users_of_files() > 1
    )  # else a call pays for its two ends, however long it is
    share *= np.where(locked, 1.0, CALL * calls / np.maximum(CALL * calls + layer.moved(), 1))
    spent = np.where(often, layer.seconds(*KINDS) * share, 0.0)
    wall = facts.wall(layer, spent)
    if off[often].sum() < FEW or not facts.matters(wall.estimate):
        return None
    size = int(unit[often].max())
    words = (
        f"{int(off[often].sum()):,} of {int(calls.sum()):,} accesses begin inside a block of {about_size(size)}, "
        f"in {_files(facts, layer, spent)}"
    )
    return Diagnosis(
        title="Accesses do not begin at a block of the file system",
        evidence=Evidence.of(off[often], layer.moved()[often], spent, words),
        why="A write to part of a block reads the rest first, and ranks that write to one block wait for its lock."
        if layer.calls("write")[often].any()
        else "A read of part of a block fetches the whole of it, and one across blocks or stripes makes two requests.",
        wall=wall,
        change=Change(
            "Begin every rank's part at a multiple of the block or stripe",
            hints={"striping_unit": str(max(size, 2**20)), "cb_buffer_size": str(16 * 2**20)},
            code="H5Pset_alignment(fapl, 1 << 20, 1 << 20)  # HDF5; else round the rank's offset up",
        ),
        verify="a new log: POSIX_FILE_NOT_ALIGNED near 0",
        saved=(0.0, 0.5),
        certainty="assumed",
    )
