"""Reads what the tracer's look at a host left behind; `core/shim/record.h` describes it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from striate.errors import TraceError
from striate.record.clocks import Correction
from striate.record.files import HEAD, RankFile, read_head
from striate.trace.resources import COUNTERS, SCHEMA, no_samples, ordered

_SAMPLE = np.dtype([("clock", "<u8"), *((name, "<i8") for name in COUNTERS)])
_LATEST = 2**61
_PROCESS = ".process.samples"


def samples_of(
    folder: Path, parts: Sequence[RankFile], fixes: Sequence[Correction], origin: int
) -> tuple[pa.Table, bool]:
    """Samples of all hosts on the trace's clock, and whether all files of them were sound."""
    hosts = list(dict.fromkeys(part.host for part in parts))
    tables, whole = [no_samples()], True
    for path in _files(folder):
        try:
            host, samples, sound = _read(path)
        except (TraceError, OSError):
            whole = False
            continue
        whole &= sound
        at = next((number for number, part in enumerate(parts) if part.host == host), None)
        if at is None:
            continue  # a program that began later, and is not shown
        time = np.maximum(
            fixes[at].apply(samples["clock"].astype(np.int64)) - origin, 0
        )  # some are taken in MPI_Init
        columns: dict[str, Any] = {"host": np.full(len(samples), hosts.index(host), np.int32), "time": time}
        tables.append(pa.table(columns | {name: samples[name] for name in COUNTERS}, schema=SCHEMA))
    return ordered(pa.concat_tables(tables)), whole


def _files(folder: Path) -> list[Path]:
    """A file for each host: of a rank where there is one, else of the first process that was recorded."""
    found = sorted(folder.glob("*.samples"))
    ranks = {path.name for path in found}
    return [
        path
        for path in found
        if not (path.name.endswith(_PROCESS) and f"{path.name.removesuffix(_PROCESS)}.samples" in ranks)
    ]


def _read(path: Path) -> tuple[str, NDArray[Any], bool]:
    content = path.read_bytes()
    head = read_head(content, source=str(path))
    body = content[HEAD.size :]
    samples = np.frombuffer(body, _SAMPLE, len(body) // _SAMPLE.itemsize)
    sound = samples["clock"] < _LATEST
    return head.host, samples[sound], bool(sound.all()) and len(body) % _SAMPLE.itemsize == 0
