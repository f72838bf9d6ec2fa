"""`Run`: one thing to show - a trace, a timeline or a forecast - under a name; and how a file becomes one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from striate.errors import OutputError, TraceError
from striate.predict.forecast import Forecast
from striate.trace.read import read_trace
from striate.trace.timeline import Timeline
from striate.trace.trace import Trace

Shown = Trace | Timeline | Forecast


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """What views draw; exactly one of the three is there."""

    name: str
    trace: Trace | None = None
    timeline: Timeline | None = None
    forecast: Forecast | None = None

    @property
    def origin(self) -> str:
        """Where its times come from: `observed`, `simulated` or `forecast`."""
        if self.forecast is not None:
            return "forecast"
        if self.trace is not None and not self.trace.is_simulated:
            return "observed"
        return "simulated"

    @property
    def seconds(self) -> float:
        """How long it took, or is said to take."""
        if self.forecast is not None:
            return self.forecast.seconds.estimate
        return (self.trace or self.timeline).seconds  # type: ignore[union-attr]

    def described(self) -> dict[str, Any]:
        """What every view may know of it."""
        return {"name": self.name, "origin": self.origin, "seconds": self.seconds}


def runs_of(items: Sequence[Shown | str | Path | Run]) -> list[Run]:
    """Runs of objects and files, names made distinct; raises OutputError when there is nothing to show."""
    if not items:
        raise OutputError("expected at least one trace, timeline or forecast to show, got none")
    found = [_run(item) for item in items]
    names = [run.name for run in found]
    return [
        Run(f"{run.name} ({names[:at].count(run.name) + 1})", run.trace, run.timeline, run.forecast)
        if names.count(run.name) > 1
        else run
        for at, run in enumerate(found)
    ]


def _run(item: Shown | str | Path | Run) -> Run:
    if isinstance(item, Run):
        return item
    if isinstance(item, Trace):
        return Run(item.header.program or "trace", trace=item)
    if isinstance(item, Timeline):
        return Run("simulated", timeline=item)
    if isinstance(item, Forecast):
        return Run(f"{item.workload} on {item.cluster}", forecast=item)
    return load_run(Path(item))


def load_run(path: Path) -> Run:
    """Read a file; its content says what it is. Raises TraceError or PredictionError on anything else."""
    name = path.name.encode(errors="replace").decode()
    try:
        head = b"" if path.is_dir() else _head(path)
    except OSError as error:
        raise TraceError(f"cannot read: {error.strerror or error}", source=str(path)) from None
    if head.lstrip()[:1] == b"{" and b"striate.forecast" in path.read_bytes():
        return Run(name, forecast=Forecast.load(path))
    if head[:4] == b"PAR1" and _is_timeline(path):
        return Run(name, timeline=Timeline.load(path))
    return Run(name, trace=read_trace(path))


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(4096)


def _is_timeline(path: Path) -> bool:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        metadata = pq.read_schema(path).metadata or {}
    except (pa.ArrowException, OSError):
        return False
    return bool(metadata.get(b"striate", b"").startswith(b"striate.timeline/"))
