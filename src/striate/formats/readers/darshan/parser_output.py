"""Text of `darshan-parser` and `darshan-dxt-parser`, packed again as the records it was printed from.

What the text does not tell is zero; heat maps and messages are left out.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from striate.errors import TraceError
from striate.formats.readers.darshan.counters import record_type
from striate.formats.readers.darshan.layouts import SHAPES
from striate.formats.readers.darshan.log import DarshanJob, Module
from striate.limits import ReadBudget

HEAD = b"# darshan log version:"
_LONGEST_LINE = 1 << 16
_MOST_RECORDS = 2**22
_LATEST = {module: max(version for name, version in SHAPES if name == module) for module, _ in SHAPES}
_PREFIX = {"MPI-IO": "MPIIO_", "BG/Q": "BGQ_"}
_DXT = {"X_POSIX": "DXT_POSIX", "X_MPIIO": "DXT_MPIIO"}
_COMPONENT = re.compile(r"LUSTRE_COMP(\d{1,4})_(STRIPE_SIZE|STRIPE_COUNT|EXT_START|EXT_END|OST_ID_\d{1,6})")
_PLAIN = re.compile(r"LUSTRE_(STRIPE_SIZE|STRIPE_WIDTH|OST_ID_\d{1,6})")

Key = tuple[int, int]  # record id, rank


@dataclass(slots=True)
class TextLog:
    """A log as text; it answers like one in Darshan's own format."""

    version: str = "text"
    order: str = "<"
    head: dict[str, str] = field(default_factory=dict)
    mounts: list[tuple[str, str]] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)
    counters: dict[str, dict[Key, dict[str, str]]] = field(default_factory=dict)
    stripes: dict[Key, dict[int, dict[str, int]]] = field(default_factory=dict)
    accesses: dict[str, dict[tuple[int, int, str], list[tuple[bool, int, int, float, float]]]] = field(
        default_factory=dict
    )
    broken: int = 0

    @property
    def modules(self) -> dict[str, Module]:
        found = {module: Module(0, 0, _LATEST[module], False) for module in self.counters}
        found |= {module: Module(0, 0, 1 if module == "DXT_POSIX" else 2, False) for module in self.accesses}
        return found | ({"LUSTRE": Module(0, 0, 2, False)} if self.stripes else {})

    def job(self) -> DarshanJob:
        """The job as the head of the text tells it."""
        try:
            ranks, started = int(self.head["nprocs"]), int(self.head.get("start_time", "0"))
            seconds = float(self.head.get("run time", "0"))
        except (KeyError, ValueError):
            raise TraceError(
                "expected numbers for `nprocs`, `start_time` and `run time` in the header, "
                "found no number for one of them",
                at="head",
            ) from None
        if not 0 <= started < 2**32 or not 0 <= seconds < 2**32:
            raise TraceError(
                "expected a start time and a run time from 0 to 2^32 s in the header, "
                f"got {started!s:.20} and {seconds!s:.20}",
                at="head",
            )
        number = self.head.get("jobid", "")
        return DarshanJob(
            int(number) if number.isdecimal() and len(number) < 19 else 0,
            started * 10**9,
            round(seconds * 1e9),
            ranks,
            self.head.get("metadata lib_ver", "")[:32],
            self.head.get("exe", "")[:4096],
            tuple(sorted(self.mounts, key=lambda mount: -len(mount[0]))),
            {},
        )

    def file_names(self) -> tuple[dict[int, str], bool]:
        return self.names, not self.broken

    def records(self, module: str) -> tuple[bytes, bool]:
        """The records of a module as they would stand in a log."""
        if module == "LUSTRE":
            return b"".join(self._component(key, parts) for key, parts in self.stripes.items()), True
        if module in self.accesses:
            return b"".join(_segments(key, rows) for key, rows in self.accesses[module].items()), True
        return self._counted(module), True

    def _counted(self, module: str) -> bytes:
        shape = SHAPES[module, _LATEST[module]]
        found = np.zeros(len(self.counters[module]), record_type(shape, "<"))
        prefix, known = _PREFIX.get(module, module + "_"), {*shape.counters, *shape.times}
        for row, (key, values) in enumerate(self.counters[module].items()):
            found[row]["id"], found[row]["rank"] = key
            if shape.inner:
                found[row]["file"] = key[0]
            for name, value in values.items():
                short = name.removeprefix(prefix)
                column, kind = (short[2:].lower(), float) if short.startswith("F_") else (short.lower(), int)
                if column in known:
                    found[row][column] = self._number(value, kind)
        return found.tobytes()

    def _number(self, value: str, kind: type[int] | type[float]) -> int | float:
        try:
            number = kind(value)
        except ValueError:
            self.broken += 1
            return 0
        return number if abs(number) < 2**62 else 0

    def _component(self, key: Key, parts: dict[int, dict[str, int]]) -> bytes:
        table, targets = b"", []
        for _, part in sorted(parts.items()):
            mine = [value for name, value in sorted(part.items(), key=_target) if name.startswith("OST_ID_")]
            start, end = part.get("EXT_START", 0), part.get("EXT_END", -1)
            table += struct.pack("<7q16s", part.get("STRIPE_SIZE", 0), len(mine), 0, 0, start, end, 0, b"")
            targets += mine
        head = struct.pack("<Q3q", *key, len(parts), len(targets))
        return head + table + struct.pack(f"<{len(targets)}q", *targets)


def _target(item: tuple[str, int]) -> int:
    return int(item[0][7:]) if item[0].startswith("OST_ID_") else -1


def _segments(key: tuple[int, int, str], rows: list[tuple[bool, int, int, float, float]]) -> bytes:
    number, rank, host = key
    writes = [row[1:] for row in rows if row[0]]
    reads = [row[1:] for row in rows if not row[0]]
    head = struct.pack("<Qqq64sqq", number, rank, 0, host.encode()[:63], len(writes), len(reads))
    return head + b"".join(struct.pack("<qqdd", *row) for row in (*writes, *reads))


def read_text(path: Path) -> TextLog:
    """Take every line that is sound; lines that are not are counted."""
    log = TextLog()
    here: dict[str, str] = {}  # of DXT: the file and rank that the next lines are of
    for line in _lines(path):
        try:
            if line.startswith("#"):
                _take_head(log, line, here)
            elif line.lstrip().startswith("X_"):
                _take_access(log, line.split(), here)
            elif line.strip():
                _take_counter(log, line)
        except (ValueError, KeyError, IndexError, struct.error):
            log.broken += 1
    return log


def _lines(path: Path) -> Iterator[str]:
    budget = ReadBudget.of(path)
    with path.open("rb") as file:
        while line := file.readline(_LONGEST_LINE):
            budget.unpack(len(line))
            yield line.decode("utf-8", "replace").rstrip("\r\n")


def _take_head(log: TextLog, line: str, here: dict[str, str]) -> None:
    text = line.lstrip("# ")
    if text.startswith("mount entry:"):
        _, path, kind = text.split("\t", 2)
        log.mounts.append((path, kind))
    elif text.startswith("DXT, file_id:"):
        number, name = text.removeprefix("DXT, file_id:").split(", file_name:", 1)
        here["file"] = str(_identity(number))
        log.names[int(here["file"])] = name.strip()
    elif text.startswith("DXT, rank:"):
        here["rank"], here["host"] = text.removeprefix("DXT, rank:").split(", hostname:", 1)
    elif text.startswith("metadata:") and " = " in text:
        name, value = text.removeprefix("metadata:").split(" = ", 1)
        log.head.setdefault(f"metadata {name.strip()}", value.strip())
    elif ": " in text:
        name, value = text.split(": ", 1)
        log.head.setdefault(name, value.strip())


def _identity(text: str) -> int:
    number = int(text)
    if not 0 <= number < 2**64:
        raise ValueError
    return number


def _take_counter(log: TextLog, line: str) -> None:
    module, rank, number, counter, value, rest = line.split("\t", 5)
    key = (_identity(number), int(rank))
    if not -1 <= key[1] < 2**31:
        raise ValueError
    log.names.setdefault(key[0], rest.rsplit("\t", 2)[0])
    if module == "LUSTRE":
        _take_stripe(log, key, counter, value)
    elif module in _LATEST:
        records = log.counters.setdefault(module, {})
        if key not in records and len(records) >= _MOST_RECORDS:
            raise TraceError(
                f"expected at most {_MOST_RECORDS} records of the Darshan module {module}, found more"
            )
        records.setdefault(key, {})[counter] = value


def _take_stripe(log: TextLog, key: Key, counter: str, value: str) -> None:
    match = _COMPONENT.fullmatch(counter)
    plain = _PLAIN.fullmatch(counter)
    if match is None and plain is None:
        return
    part, name = (int(match[1]), match[2]) if match else (1, plain[1] if plain else "")
    number = -1 if value == "EOF" else int(value)
    if not -1 <= number < 2**62:
        raise ValueError
    log.stripes.setdefault(key, {}).setdefault(part, {})[name] = number


def _take_access(log: TextLog, words: list[str], here: dict[str, str]) -> None:
    module, kind = _DXT[words[0]], words[2]
    offset, length, start, end = int(words[4]), int(words[5]), float(words[6]), float(words[7])
    if kind not in ("write", "read") or max(abs(offset), abs(length)) >= 2**62:
        raise ValueError
    key = (int(here["file"]), int(words[1]), here["host"].strip())
    rows = log.accesses.setdefault(module, {}).setdefault(key, [])
    rows.append((kind == "write", offset, length, start, end))
