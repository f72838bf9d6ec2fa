"""Chrome's trace events as JSON: one complete event a slice, groups as processes, tracks as threads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from striate.trace.analysis.counters import Counter
from striate.trace.analysis.tracks import Slices


def encode(groups: Sequence[Slices], counters: Sequence[Counter] = ()) -> bytes:
    """The whole document, one event per line; counters stand in processes of their hosts."""
    encoder = msgspec.json.Encoder()
    events = [
        encoder.encode(event) for number, slices in enumerate(groups) for event in _events(number + 1, slices)
    ]
    hosts = list(dict.fromkeys(counter.host for counter in counters))
    for counter in counters:
        process = len(groups) + hosts.index(counter.host) + 1
        events += [encoder.encode(event) for event in _curve(process, counter)]
    return b'{"displayTimeUnit":"ns","traceEvents":[\n' + b",\n".join(events) + b"\n]}\n"


def _curve(process: int, counter: Counter) -> Iterator[dict[str, Any]]:
    yield {"ph": "M", "name": "process_name", "pid": process, "args": {"name": f"host {counter.host}"}}
    name = f"{counter.name} ({counter.unit})"
    for time, value in zip(counter.time.tolist(), counter.value.tolist(), strict=True):
        yield {"ph": "C", "name": name, "pid": process, "ts": time / 1000, "args": {counter.unit: value}}


def _events(process: int, slices: Slices) -> Iterator[dict[str, Any]]:
    yield {"ph": "M", "name": "process_name", "pid": process, "args": {"name": slices.group}}
    for track, name in enumerate(slices.tracks):
        thread = {"ph": "M", "pid": process, "tid": track + 1}
        yield thread | {"name": "thread_name", "args": {"name": name}}
        yield thread | {"name": "thread_sort_index", "args": {"sort_index": track}}
    numbers = {name: column.tolist() for name, column in slices.numbers.items()}
    rows = zip(
        *(
            column.tolist()
            for column in (slices.track, slices.name, slices.category, slices.start, slices.end)
        ),
        slices.file.tolist(),
        strict=True,
    )
    for row, (track, name, category, start, end, file) in enumerate(rows):
        shown: dict[str, Any] = {word: column[row] for word, column in numbers.items() if column[row] >= 0}
        if file >= 0:
            shown["file"] = slices.files[file]
        yield {
            "ph": "X",
            "name": slices.names[name],
            "cat": slices.categories[category],
            "ts": start / 1000,
            "dur": (end - start) / 1000,
            "pid": process,
            "tid": track + 1,
            "args": shown,
        }
