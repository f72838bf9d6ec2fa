"""Tables of repeated runs: who ran what when, and how long it took; own columns or those of TOKIO's summaries."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from striate.errors import NoiseError

if TYPE_CHECKING:
    import pyarrow as pa

Floats = NDArray[np.float64]
OWN = (
    "machine",
    "program",
    "ranks",
    "seconds",
)  # `rate` may stand for `seconds`; `start` and `bytes` may be added
TOKIO_RATE = "darshan_agg_perf_by_slowest_posix"
OTHER_JOB = 2.0  # a run that moved more than this many times more or fewer bytes is not a repetition


@dataclass(frozen=True, slots=True)
class Series:
    """Runs of one program with one number of ranks on one machine, in order of time: log of seconds, any unit."""

    machine: str
    program: str
    ranks: int
    log_seconds: Floats

    @property
    def name(self) -> str:
        return f"{self.machine}, {self.program}, {self.ranks} ranks"


@dataclass(frozen=True, slots=True)
class RunTable:
    """All series of a table, and how many of its rows say nothing about run-to-run differences."""

    series: tuple[Series, ...]
    without_time: int  # rows with no positive number of seconds or rate
    other_jobs: int  # rows that moved another amount of data than their series


def read_runs(path: str | Path) -> RunTable:
    """The runs of a CSV file (.csv, .csv.gz), grouped by machine, program and ranks and ordered by their start.

    Columns: machine, program, ranks, and seconds or rate; start (any number that grows) and bytes where known. A table
    of TOKIO (job summaries with Darshan's counters) is recognised by its columns. Raises NoiseError.
    """
    from pyarrow import ArrowInvalid, csv

    try:
        names = csv.ReadOptions(column_names=_header(Path(path)), skip_rows=1)
        table = csv.read_csv(path, read_options=names)
    except FileNotFoundError:
        raise NoiseError("no such file", source=str(path)) from None
    except (ArrowInvalid, OSError, EOFError, UnicodeDecodeError) as error:
        raise NoiseError(
            f"the file is not a table of runs: {str(error).splitlines()[0]:.120}", source=str(path)
        ) from None
    try:
        columns = _of_tokio(table, path) if TOKIO_RATE in table.column_names else _own(table)
        return _grouped(**columns)
    except NoiseError as error:
        raise error.in_source(str(path)) from None


def _header(path: Path) -> list[str]:
    """The names of the columns; a table whose rows have one field more has row numbers before the first (pandas)."""
    import csv
    import gzip
    from itertools import islice

    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        lines = list(islice(csv.reader(file), 2))
    header = lines[0] if lines else []
    return ["row", *header] if len(lines) == 2 and len(lines[1]) == len(header) + 1 else header


def _own(table: pa.Table) -> dict[str, Any]:
    names = table.column_names
    time = "seconds" if "seconds" in names else "rate"
    missing = [name for name in (*OWN[:3], time) if name not in names]
    if missing:
        wanted = "seconds or rate" if missing[0] == "rate" else missing[0]
        raise NoiseError(
            f"expected a column {wanted}; columns of the table: {', '.join(names[:8]) or 'none'}",
            at=missing[0],
        )
    amount = _numbers(table, time)
    count = table.num_rows
    return {
        "machine": _words(table, "machine"),
        "program": _words(table, "program"),
        "ranks": _numbers(table, "ranks"),
        "start": _numbers(table, "start") if "start" in names else np.arange(count, dtype=np.float64),
        "seconds": amount if time == "seconds" else _inverse(amount),
        "moved": _numbers(table, "bytes") if "bytes" in names else np.ones(count),
    }


def _of_tokio(table: pa.Table, path: str | Path) -> dict[str, Any]:
    """TOKIO's columns: what Darshan saw of the job; the rate is that of the slowest rank, in MiB/s."""
    wanted = ("_file_system", "darshan_app", "darshan_nprocs", "_datetime_start", "darshan_total_gibs_posix")
    sides = [
        f"darshan_biggest_{access}_api_{what}" for access in ("read", "write") for what in ("bytes", "files")
    ]
    for name in (*wanted, *sides):
        if name not in table.column_names:
            raise NoiseError(f"expected the column {name} of a TOKIO summary, found none", at=name)
    machine = Path(path).name.split("-")[0]
    read_bytes, read_files, written_bytes, written_files = (_numbers(table, name) for name in sides)
    writes = written_bytes > read_bytes
    shared = np.where(writes, written_files, read_files) == 1
    app = [Path(one).name for one in _words(table, "darshan_app")]
    program = [
        f"{one} {'write' if write else 'read'} {'one file' if one_file else 'a file per rank'}"
        for one, write, one_file in zip(app, writes, shared, strict=True)
    ]
    return {
        "machine": [f"{machine}/{one}" for one in _words(table, "_file_system")],
        "program": program,
        "ranks": _numbers(table, "darshan_nprocs"),
        "start": _numbers(table, "_datetime_start"),
        "seconds": _inverse(_numbers(table, TOKIO_RATE)),
        "moved": _numbers(table, "darshan_total_gibs_posix"),
    }


def _numbers(table: pa.Table, name: str) -> Floats:
    from pyarrow import ArrowInvalid, float64

    try:
        column = table.column(name).cast(float64())
    except (ArrowInvalid, NotImplementedError):
        raise NoiseError(f"expected numbers, found {table.column(name).type}", at=name) from None
    return np.asarray(column.to_numpy(zero_copy_only=False), np.float64)


def _words(table: pa.Table, name: str) -> list[str]:
    return [str(one) for one in table.column(name).to_pylist()]


def _inverse(rate: Floats) -> Floats:
    """Seconds per unit of work; rates that are no rate stay none."""
    return np.divide(1.0, rate, out=np.full_like(rate, np.nan), where=rate > 0)


def _grouped(
    machine: list[str], program: list[str], ranks: Floats, start: Floats, seconds: Floats, moved: Floats
) -> RunTable:
    timed = np.isfinite(seconds) & (seconds > 0) & np.isfinite(ranks) & np.isfinite(start)
    groups: dict[tuple[str, str, int], list[int]] = {}
    for row in np.flatnonzero(timed):
        groups.setdefault((machine[row], program[row], int(ranks[row])), []).append(int(row))
    found, others = [], 0
    for key in sorted(groups):
        rows = np.array(groups[key])
        known = moved[rows][np.isfinite(moved[rows])]
        usual = np.median(known) if known.size else 0.0
        same = ~(moved[rows] > OTHER_JOB * usual) & ~(OTHER_JOB * moved[rows] < usual)  # also where unknown
        others += int((~same).sum())
        rows = rows[same]
        rows = rows[np.argsort(start[rows], kind="stable")]
        found.append(Series(*key, np.log(seconds[rows])))
    return RunTable(tuple(found), int((~timed).sum()), others)
