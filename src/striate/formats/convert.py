"""Writes a trace in the format that a file's name asks for."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path

from striate.errors import OutputError
from striate.trace.trace import Trace

FORMATS = {
    "parquet": (".parquet",),
    "perfetto": (".pftrace", ".perfetto-trace", ".pftrace.gz"),
    "chrome": (".json", ".json.gz"),
    "csv": (".csv", ".csv.gz"),
    "paraver": (".prv",),
    "otf2": (".otf2",),
}
_VIEWERS = ("perfetto", "chrome")  # formats that take simulated timelines beside what was observed


def format_of(path: Path) -> str:
    """The format that the name of `path` asks for; raises OutputError when it asks for none we know."""
    for name, endings in FORMATS.items():
        if path.name.endswith(endings):
            return name
    known = ", ".join(ending for endings in FORMATS.values() for ending in endings)
    raise OutputError(f"expected an output ending in {known}, got {path.name!r:.60}", at=str(path))


def files_of(trace: Trace, path: Path, format_name: str, beside: Sequence[Trace] = ()) -> dict[Path, bytes]:
    """The files to write and their contents; only for formats of plain files."""
    if beside and format_name not in _VIEWERS:
        raise OutputError(
            f"only the formats {' and '.join(_VIEWERS)} show a simulated timeline beside the trace, "
            f"got {format_name}"
        )
    if format_name == "paraver":
        from striate.formats.writers import paraver

        made = paraver.encode(trace)
        return {
            path: made.records.encode(),
            path.with_suffix(".pcf"): made.meanings.encode(),
            path.with_suffix(".row"): made.rows.encode(),
        }
    content = _content(trace, format_name, beside)
    return {path: gzip.compress(content, 6, mtime=0) if path.name.endswith(".gz") else content}


def _content(trace: Trace, format_name: str, beside: Sequence[Trace]) -> bytes:
    if format_name == "csv":
        from striate.formats.writers import csv

        return csv.encode(trace)
    from striate.trace.analysis.counters import counters_of
    from striate.trace.analysis.tracks import slices_of

    groups, counters = [slices_of(each) for each in (trace, *beside)], counters_of(trace)
    if format_name == "perfetto":
        from striate.formats.writers import perfetto

        return perfetto.encode(groups, counters)
    from striate.formats.writers import chrome

    return chrome.encode(groups, counters)
