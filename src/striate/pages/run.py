"""`Run`: one thing to show - a trace, forecast, cluster, advice or study - under a name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from striate.advice import Advice
from striate.cluster.cluster import Cluster
from striate.cluster.load import load_cluster
from striate.errors import OutputError, TraceError
from striate.formats.read import read_trace
from striate.ladder.forecast import Forecast
from striate.limits import SMALL_FILE, read_bounded
from striate.trace.analysis.span import from_beginning
from striate.trace.trace import Trace
from striate.tuning.study import Study

SIMULATED_NAME = ", simulated"  # how the name of a forecast's own timeline ends
Shown = Trace | Forecast | Cluster | Advice | Study


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """What views draw; exactly one of the five is there."""

    name: str
    trace: Trace | None = None
    forecast: Forecast | None = None
    cluster: Cluster | None = None
    advice: Advice | None = None
    study: Study | None = None

    @property
    def origin(self) -> str:
        """Where its times come from: `observed`, `simulated`, `forecast`; or `described`, `advised`, `tuned`."""
        if self.cluster is not None:
            return "described"
        if self.advice is not None:
            return "advised"
        if self.study is not None:
            return "tuned"
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
        return 0.0 if self.trace is None else self.trace.seconds

    def described(self) -> dict[str, Any]:
        """What every view may know of it."""
        return {"name": self.name, "origin": self.origin, "seconds": self.seconds}


def runs_of(items: Sequence[Shown | str | Path | Run]) -> list[Run]:
    """Runs of objects and files, names made distinct; raises OutputError when there is nothing to show."""
    if not items:
        raise OutputError("expected at least one trace, forecast or cluster to show, got none")
    found = [_from_beginning(part) for item in items for part in _with_timeline(_run(item))]
    names = [run.name for run in found]
    return [
        replace(run, name=f"{run.name} ({names[:at].count(run.name) + 1})")
        if names.count(run.name) > 1
        else run
        for at, run in enumerate(found)
    ]


def _with_timeline(run: Run) -> list[Run]:
    """A forecast that was asked for its timeline is two things to show."""
    if run.forecast is None or run.forecast.timeline is None:
        return [run]
    return [run, Run(f"{run.name}{SIMULATED_NAME}", trace=run.forecast.timeline)]


def _from_beginning(run: Run) -> Run:
    """Times of pages count from the beginning of the run, as forecasts do."""
    return run if run.trace is None else replace(run, trace=from_beginning(run.trace))


def _run(item: Shown | str | Path | Run) -> Run:
    if isinstance(item, Run):
        return item
    if isinstance(item, Trace):
        return Run(item.header.program or "trace", trace=item)
    if isinstance(item, Forecast):
        return Run(f"{item.workload} on {item.cluster}", forecast=item)
    if isinstance(item, Cluster):
        return Run(item.name, cluster=item)
    if isinstance(item, Advice):
        return Run(f"advice on {item.program}", advice=item)
    if isinstance(item, Study):
        return Run(f"{item.program} on {item.cluster}, tuned", study=item)
    if not isinstance(item, str | Path):
        raise OutputError(
            f"expected a trace, a forecast, a cluster or the path of a file with one, got {item!r:.60}"
        )
    return load_run(Path(item))


def load_run(path: Path) -> Run:
    """Read a file; its content says what it is (a name in .toml: a cluster). Raises a StriateError on anything else."""
    name = path.name.encode(errors="replace").decode()
    if path.suffix == ".toml":
        return Run(name, cluster=load_cluster(path))
    try:
        head = b"" if path.is_dir() else _head(path)
    except OSError as error:
        raise TraceError(f"cannot read: {error.strerror or error}", source=str(path)) from None
    if head.lstrip()[:1] == b"{":
        content = read_bounded(path, SMALL_FILE)
        if b'"striate.forecast/' in content:
            return Run(name, forecast=Forecast.from_json(content, source=str(path)))
        if b'"striate.advice/' in content:
            return Run(name, advice=Advice.from_json(content, source=str(path)))
        if b'"striate.tuning/' in content:
            return Run(name, study=Study.from_json(content, source=str(path)))
    return Run(name, trace=read_trace(path))


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(4096)
