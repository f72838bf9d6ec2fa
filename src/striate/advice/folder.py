"""Advice on every log of a folder: in parallel, ranked by what can be saved, and resumed where it was stopped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import msgspec

from striate import documents
from striate.advice.advise import Advice, advise
from striate.errors import StriateError, TuningError
from striate.formats.read import read_trace

SCHEMA = "striate.advice-folder/1"
ENDINGS = (
    ".darshan",
    ".darshan.gz",
    ".darshan.bz2",
    ".darshan_partial",
)  # Darshan 3, Darshan 2, a run that was cut


class LogAdvice(msgspec.Struct, frozen=True):
    """One log: where it lies, how large and how old it was, and the advice or why there is none."""

    path: str
    bytes: int
    modified: int  # nanoseconds since 1970
    ranks: int = 0
    advice: Advice | None = None
    error: str = ""

    @property
    def gain_seconds(self) -> float:
        """The largest gain of one change, by its estimate, times the ranks that wait for it."""
        gains = [item.gain.estimate for item in self.advice.items if item.gain] if self.advice else []
        return max(gains, default=0.0) * self.ranks


class FolderAdvice(msgspec.Struct, frozen=True):
    """All logs, those with the most rank-seconds to save first."""

    logs: tuple[LogAdvice, ...]
    schema: str = SCHEMA

    def to_json(self) -> str:
        return documents.to_json(self)


def logs_in(folder: Path) -> list[Path]:
    """Darshan logs in the folder and below."""
    return sorted(
        path for path in folder.rglob("*.darshan*") if path.name.endswith(ENDINGS) and path.is_file()
    )


def advise_log(path: Path) -> LogAdvice:
    """The advice on one log; a log that cannot be read is told with the reason."""
    about = path.stat()
    try:
        trace = read_trace(path)
        return LogAdvice(str(path), about.st_size, about.st_mtime_ns, trace.ranks, advise(trace))
    except StriateError as error:
        return LogAdvice(str(path), about.st_size, about.st_mtime_ns, error=error.message)


def advise_all(paths: Sequence[Path], *, jobs: int) -> Iterator[LogAdvice]:
    """Advice on each log as it is done, by `jobs` processes."""
    if jobs == 1 or len(paths) < 2:
        yield from map(advise_log, paths)
        return
    with ProcessPoolExecutor(jobs) as pool:
        for done in as_completed([pool.submit(advise_log, path) for path in paths]):
            yield done.result()


def ranked(logs: Iterable[LogAdvice]) -> FolderAdvice:
    """Those with the most to save first, those that could not be read last."""
    return FolderAdvice(tuple(sorted(logs, key=lambda log: (bool(log.error), -log.gain_seconds, log.path))))


def unchanged(lines: bytes, paths: Sequence[Path], *, source: str) -> dict[str, LogAdvice]:
    """Advice of an earlier run on logs that are still as they were; a last line that was cut is left out."""
    found = {}
    whole, _, _ = lines.rpartition(b"\n")
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            one = msgspec.json.decode(line, type=LogAdvice)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise TuningError(
                f"expected a line of JSON with the advice on one log, got another line: {error}",
                at=f"line {number}",
                source=source,
            ) from None
        found[one.path] = one
    now = {str(path): path.stat() for path in paths}
    return {
        path: one
        for path, one in found.items()
        if path in now and (one.bytes, one.modified) == (now[path].st_size, now[path].st_mtime_ns)
    }
