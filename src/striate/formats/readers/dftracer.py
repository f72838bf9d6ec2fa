"""Reads dftracer's logs (.pfw, .pfw.gz, or a folder of them): JSON lines, with numbers as such or as strings.

Processes become ranks in the order of their numbers, and file pointers are followed by file name, for the log says no
more. POSIX and standard I/O are operations; what the program annotates (functions, steps, epochs) are regions.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from striate.errors import TraceError
from striate.limits import ReadBudget
from striate.trace.columns import operations
from striate.trace.functions import meaning
from striate.trace.header import Flag, Header, TracedFile
from striate.trace.kinds import KINDS, LEVELS
from striate.trace.trace import Trace

_LONGEST_LINE = 1 << 20
_NANOSECONDS = {"NS": 1, "US": 1000, "MS": 10**6, "SEC": 10**9, "S": 10**9}
_COMPLETE, _METADATA = (1, "X"), (4, "M")
_ENDINGS = (".pfw", ".pfw.gz")
_OTHER = ("MPI", "dftracer", "dlio_profiler")  # calls that are not supported, and the tracer's own
_REGION = "\0region"  # stands for a function's name in a row that is a region
_MOST_REGIONS = 100_000


class _Line(msgspec.Struct):
    """One event; every field may be missing or of another type in a broken log."""

    name: str
    ph: int | str
    cat: str = ""
    pid: int = 0
    tid: int = 0
    ts: int | float = 0
    dur: int | float = 0
    args: dict[str, Any] = {}


@dataclass(slots=True)
class _Reading:
    """What has been read so far."""

    budget: ReadBudget
    names: dict[str, str] = field(default_factory=dict)  # hash -> name of a file
    hosts: dict[str, str] = field(default_factory=dict)
    host_of: dict[int, str] = field(default_factory=dict)
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    position: dict[tuple[int, str], int] = field(default_factory=dict)
    regions: dict[str, int] = field(default_factory=dict)
    unit: int = 1000
    bad: int = 0
    bare: int = 0  # accesses without arguments
    truncated: bool = False


def recognises(path: Path, head: bytes) -> bool:
    if path.is_dir():
        return any(True for ending in _ENDINGS for _ in path.glob(f"*{ending}"))
    if head[:2] == b"\x1f\x8b":
        try:
            head = zlib.decompressobj(31).decompress(head, 4096)
        except zlib.error:
            return path.name.endswith(".pfw.gz")
    text = head.lstrip(b"[ \r\n\t")
    return text.startswith(b"{") and (b'"ph"' in text[:2048]) and b'"cat"' in text[:2048]


def read(path: Path) -> Trace:
    """Read every line that is sound; raises TraceError when none is."""
    paths = sorted(one for ending in _ENDINGS for one in path.glob(f"*{ending}")) if path.is_dir() else [path]
    reading = _Reading(ReadBudget.of(path))
    decoder = msgspec.json.Decoder(_Line, strict=False)  # older versions write numbers as strings
    for one in paths:
        for line in _lines(one, reading):
            try:
                _take(reading, decoder.decode(line))
            except (
                msgspec.MsgspecError,
                UnicodeDecodeError,
                RecursionError,
                OverflowError,
                ValueError,
                TypeError,
            ):
                reading.bad += 1
    if not reading.rows:
        raise TraceError(f"expected dftracer events, found no valid one ({reading.bad} broken lines)")
    return _trace(reading)


def _lines(path: Path, reading: _Reading) -> Iterator[bytes]:
    with path.open("rb") as raw:
        packed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        file: Any = gzip.GzipFile(fileobj=raw) if packed else raw
        while True:
            try:
                line = file.readline(_LONGEST_LINE)
            except (OSError, EOFError, zlib.error):
                reading.truncated = True
                return
            if not line:
                return
            reading.budget.unpack(len(line))
            text = line.strip().rstrip(b",")
            if text not in (b"", b"[", b"]"):
                yield text


def _take(reading: _Reading, line: _Line) -> None:
    if line.ph in _METADATA:
        _take_name(reading, line)
    elif line.ph in _COMPLETE:
        if max(abs(line.pid), abs(line.tid)) >= 2**62:
            raise ValueError
        if not 0 <= line.ts < 2**61 or not 0 <= line.dur < 2**61:
            raise ValueError
        reading.budget.take_rows(1)
        if "hostname" in line.args:
            host = str(line.args["hostname"])
            reading.hosts[host] = reading.host_of[line.pid] = host
        if line.cat in ("POSIX", "STDIO"):
            _take_call(reading, line)
        elif line.cat not in _OTHER:
            _take_region(reading, line)


def _take_name(reading: _Reading, line: _Line) -> None:
    name, value = str(line.args.get("name", "")), str(line.args.get("value", ""))
    if line.name == "FH":
        reading.names[value] = name
    elif line.name == "HH":
        reading.hosts[value] = name
        reading.host_of[line.pid] = value
    elif line.name == "CM" and name == "time_metric":
        reading.unit = _NANOSECONDS.get(value.upper(), reading.unit)


def _take_region(reading: _Reading, line: _Line) -> None:
    """A stretch that the program annotated, under its category and name."""
    name = f"{line.cat}: {line.name}"[:200]
    if name not in reading.regions and len(reading.regions) >= _MOST_REGIONS:
        reading.bad += 1
        return
    region = reading.regions.setdefault(name, len(reading.regions))
    start, end = _times(reading, line)
    reading.rows.append((line.pid, line.tid, _REGION, "", -1, 0, start, end, region))


def _times(reading: _Reading, line: _Line) -> tuple[int, int]:
    start = round(line.ts * reading.unit)
    end = start + round(line.dur * reading.unit)
    if end >= 2**62:
        raise ValueError
    return start, end


def _take_call(reading: _Reading, line: _Line) -> None:
    what = meaning(line.name)
    file = str(line.args.get("fname") or line.args.get("fhash") or "")
    moved = _number(line.args, "ret", _number(line.args, "count", 0))
    if line.name in ("fread", "fwrite"):
        moved *= max(_number(line.args, "size", 1), 0)
    reading.bare += what.kind in ("read", "write") and not line.args
    place = (line.pid, file)
    offset = -1
    if what.kind in ("read", "write"):
        moved = max(moved, 0)
        own = "offset" not in line.args
        offset = reading.position.get(place, 0) if own else _number(line.args, "offset", -1)
        if own:
            reading.position[place] = offset + moved
        offset = offset if line.args else -1
    elif what.kind == "seek":
        offset = _number(line.args, "ret", 0)
        reading.position[place] = max(offset, 0)
        moved = 0
    elif what.kind == "open":
        reading.position[place] = moved = 0
    else:
        moved = 0
    if not 0 <= moved < 2**62 or not -1 <= offset < 2**62:
        raise ValueError
    start, end = _times(reading, line)
    reading.rows.append((line.pid, line.tid, line.name, file, offset, moved, start, end, -1))


def _number(values: dict[str, Any], name: str, missing: int) -> int:
    value = values.get(name, missing)
    return (
        int(value)
        if isinstance(value, int | float) or (isinstance(value, str) and value.isdigit())
        else missing
    )


def _trace(reading: _Reading) -> Trace:
    pids, tids, functions, files, offset, moved, start, end, region = (
        list(column) for column in zip(*reading.rows, strict=True)
    )
    processes, rank = np.unique(np.array(pids, np.int64), return_inverse=True)
    threads = _threads(rank, np.array(tids, np.int64))
    words, function = np.unique(np.array(functions), return_inverse=True)
    paths, file = np.unique(np.array(files), return_inverse=True)
    kinds = ["region" if word == _REGION else meaning(str(word)).kind for word in words]
    marks = np.array(region, np.int64) >= 0
    begun = min(start)
    table = operations(
        len(start),
        {
            "rank": rank,
            "thread": threads,
            "level": np.where(marks, LEVELS.index("program"), LEVELS.index("posix")),
            "kind": np.array([KINDS.index(kind) for kind in kinds])[function],
            "function": (function, ["" if word == _REGION else str(word) for word in words]),
            "region": np.array(region, np.int64),
            "file": np.where(np.array([bool(path) for path in paths])[file], file, -1),
            "offset": np.array(offset, np.int64),
            "bytes": np.array(moved, np.int64),
            "start": np.array(start, np.int64) - begun,
            "end": np.array(end, np.int64) - begun,
        },
    )
    return Trace.of(table, _header(reading, processes, [str(path) for path in paths], begun))


def _threads(rank: Any, tids: Any) -> Any:
    """Threads numbered from 0 within each rank."""
    pairs, which = np.unique(np.stack([rank, tids]), axis=1, return_inverse=True)
    first = np.searchsorted(pairs[0], pairs[0])
    return (np.arange(pairs.shape[1]) - first)[which.ravel()]


def _header(reading: _Reading, processes: Any, paths: list[str], begun: int) -> Header:
    hosts = tuple(dict.fromkeys(reading.hosts.get(value, value) for value in reading.host_of.values()))
    named = [reading.hosts.get(reading.host_of.get(int(pid), ""), "") for pid in processes]
    known = bool(hosts) and all(name in hosts for name in named)
    flags = [
        Flag("ranks-inferred", "processes were taken as ranks, in the order of their process numbers"),
        Flag("offset-inferred", "offsets of plain reads and writes were reconstructed per file name"),
        Flag("messages-missing", "the dftracer log has no MPI operations"),
    ]
    if reading.bare:
        flags.append(
            Flag("offset-unknown", f"{reading.bare:,} accesses have no sizes: metadata was not recorded")
        )
    if reading.bad or reading.truncated:
        flags.append(
            Flag(
                "damaged",
                f"{reading.bad:,} damaged lines were left out" + ", the log ends early" * reading.truncated,
            )
        )
    return Header(
        len(processes),
        "dftracer",
        "",
        begun if begun < 2**62 else 0,
        0,
        hosts if known else (),
        tuple(hosts.index(name) for name in named) if known else (),
        tuple(TracedFile(reading.names.get(path, path)) for path in paths),
        regions=tuple(reading.regions),
        levels=("posix",),
    ).flagged(*flags)
