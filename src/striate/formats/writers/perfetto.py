"""Perfetto's protobuf traces, written by hand: names interned, observed and simulated as two groups."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from striate.trace.analysis.counters import Counter
from striate.trace.analysis.lanes import edges
from striate.trace.analysis.tracks import Slices

# Field numbers of perfetto's trace_packet.proto, track_descriptor.proto, track_event.proto, interned_data.proto.
_TIMESTAMP, _SEQUENCE, _EVENT, _INTERNED, _FLAGS, _DESCRIPTOR = 8, 10, 11, 12, 13, 60
_CLEARED, _NEEDED = 1, 2
_BEGIN, _END, _COUNTER = 1, 2, 4


def encode(groups: Sequence[Slices], counters: Sequence[Counter] = ()) -> bytes:
    """The whole file; counters stand in groups of their hosts."""
    parts: list[bytes] = []
    next_track = 1
    for number, slices in enumerate(groups):
        parts.append(_descriptor(next_track, slices.group, process=number + 1))
        parts += [
            _descriptor(next_track + 1 + at, name, parent=next_track, order=at)
            for at, name in enumerate(slices.tracks)
        ]
        parts.append(_interned(slices, sequence=number + 1))
        parts += _events(slices, sequence=number + 1, first_track=next_track + 1)
        next_track += 1 + len(slices.tracks)
    for number, host in enumerate(dict.fromkeys(counter.host for counter in counters)):
        parts.append(_descriptor(next_track, f"host {host}", process=len(groups) + number + 1))
        for at, counter in enumerate([counter for counter in counters if counter.host == host]):
            parts.append(_counter(counter, next_track + 1 + at, parent=next_track, sequence=len(groups) + 1))
        next_track += 1 + len(counters)
    return b"".join(parts)


def _counter(counter: Counter, track: int, *, parent: int, sequence: int) -> bytes:
    """A curve: its track, and an event a value."""
    unit = _message(8, _message(6, counter.unit.encode()))
    body = _number(1, track) + _message(2, counter.name.encode()) + _number(5, parent) + unit
    head = _number(9, _COUNTER) + _number(11, track)
    tail = _number(_SEQUENCE, sequence)
    return _message(1, _message(_DESCRIPTOR, body)) + b"".join(
        _message(1, _number(_TIMESTAMP, time) + tail + _message(_EVENT, head + _double(44, value)))
        for time, value in zip(counter.time.tolist(), counter.value.tolist(), strict=True)
    )


def _events(slices: Slices, *, sequence: int, first_track: int) -> Iterator[bytes]:
    begins = _details(slices)
    tail = _number(_SEQUENCE, sequence) + _number(_FLAGS, _NEEDED)
    tracks = slices.track.tolist()
    begin_type, end_type = _number(9, _BEGIN), _number(9, _END)
    of_track = [_number(11, first_track + at) for at in range(len(slices.tracks))]
    for row, begin, time in edges(slices.track, slices.start, slices.end):
        track = of_track[tracks[row]]
        event = begin_type + track + begins[row] if begin else end_type + track
        yield _message(1, _number(_TIMESTAMP, time) + tail + _message(_EVENT, event))


def _details(slices: Slices) -> list[bytes]:
    """Name, category and annotations of every slice; equal ones are encoded once."""
    numbers = {name: column.tolist() for name, column in slices.numbers.items()}
    words = [_number(10, at + 1) for at in range(len(slices.names))]
    levels = [_number(3, at + 1) for at in range(len(slices.categories))]
    files = [
        _message(4, _number(1, len(numbers) + 1) + _number(17, at + 1)) for at in range(len(slices.files))
    ]
    found = []
    columns = list(numbers.values())
    hidden = [1 if name == "blocks" else 0 if name == "stride" else None for name in numbers]
    for row, (name, category, file) in enumerate(
        zip(slices.name.tolist(), slices.category.tolist(), slices.file.tolist(), strict=True)
    ):
        notes = b"".join(
            _message(4, _number(1, at + 1) + _number(4, column[row]))
            for at, (column, plain) in enumerate(zip(columns, hidden, strict=True))
            if column[row] >= 0 and column[row] != plain
        )
        found.append(words[name] + levels[category] + notes + (files[file] if file >= 0 else b""))
    return found


def _interned(slices: Slices, *, sequence: int) -> bytes:
    data = b""
    tables = {1: slices.categories, 2: slices.names, 3: (*slices.numbers, "file"), 29: slices.files}
    for field, words in tables.items():
        for at, word in enumerate(words):
            data += _message(field, _number(1, at + 1) + _message(2, word.encode()))
    return _message(
        1, _number(_SEQUENCE, sequence) + _number(_FLAGS, _CLEARED | _NEEDED) + _message(_INTERNED, data)
    )


def _descriptor(
    number: int, name: str, *, process: int | None = None, parent: int | None = None, order: int = 0
) -> bytes:
    body = _number(1, number) + _message(2, name.encode())
    if process is not None:
        body += _message(3, _number(1, process) + _message(6, name.encode())) + _number(11, 3)
    if parent is not None:
        body += _number(5, parent) + _number(12, order)
    return _message(1, _message(_DESCRIPTOR, body))


def _varint(number: int) -> bytes:
    if number < 128:
        return bytes((number,))
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _double(field: int, value: float) -> bytes:
    return _varint(field << 3 | 1) + struct.pack("<d", value)


def _message(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content
