"""Reads TOML files about applications: `app = "titan"` with parameters, and for `tune` also [vary] and [costs]."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from striate.apps.app import App
from striate.apps.registry import find
from striate.cluster.cluster import Cluster
from striate.errors import StriateError, TuningError, WorkloadError
from striate.toml import read_toml
from striate.tuning.question import FixedWorkload
from striate.workload.flows import Flows
from striate.workload.workload import Workload

T = TypeVar("T")
_TABLES = ("app", "program", "vary", "costs")


@dataclass(frozen=True, slots=True)
class Tunable:
    """A program, as a function of its knobs, and the values to try."""

    name: str  # of the app, or of the program's file
    parameters: dict[str, Any]
    vary: dict[str, list[Any]]
    build: Callable[..., Workload]
    costs: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class AppBuild:
    """An application's workload as a function of its knobs; it travels between processes as a name and parameters."""

    source: str
    parameters: dict[str, Any]

    def __call__(self, **knobs: Any) -> Any:
        return find(self.source).workload(**self.parameters | knobs)

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(partial(find(self.source).workload, **self.parameters))


def load_workload(path: Path, *, allow_code: bool = False) -> Workload | Flows:
    """The workload that a file describes; refuses unknown applications, keys and values, naming their path.

    A Python file that it names is run; one that does not lie beside the spec only with `allow_code`.
    """
    return _read(path, lambda tables: from_tables(tables, path.parent, allow_code=allow_code), WorkloadError)


def from_tables(
    tables: dict[str, Any], folder: Path | None = None, *, allow_code: bool = False
) -> Workload | Flows:
    """The same from tables already read; an application of a file is looked for beneath `folder`."""
    _, app = _app(tables, folder, allow_code)
    given = {key: value for key, value in tables.items() if key != "app"}
    return app.workload(**app.parameters(given))


def load_tunable(
    path: Path,
    cluster: Cluster,
    *,
    read_program: Callable[[Path, int | None], Workload],
    allow_code: bool = False,
) -> Tunable:
    """What a file says to tune; costs that it does not give are measured here, on this machine.

    `read_program` reads the file that `program` names, which is looked for beside the spec, and elsewhere only with
    `allow_code`. Raises TuningError with the path of the mistake.
    """
    return _read(
        path, lambda tables: _tunable(tables, cluster, path.parent, read_program, allow_code), TuningError
    )


def _read(path: Path, make: Callable[[dict[str, Any]], T], kind: type[StriateError]) -> T:
    try:
        return make(read_toml(path, kind))
    except StriateError as error:
        raise kind(error.message, at=error.at, source=error.source or str(path)) from None


def _beside(folder: Path, name: str, allow_code: bool, *, at: str) -> Path:
    """The file that a spec names: beside the spec or below its folder, unless the caller trusts the spec."""
    path = (folder / name).resolve()
    if not allow_code and not path.is_relative_to(folder.resolve()):
        raise WorkloadError(
            f"the file {name!r:.80} is outside the folder of the tuning file and may run code; "
            "give --allow-code to accept the file",
            at=at,
        )
    return path


def _app(tables: dict[str, Any], folder: Path | None, allow_code: bool) -> tuple[str, App]:
    """The application's source, absolute for a file, and the application."""
    source = tables.get("app")
    if not isinstance(source, str):
        raise WorkloadError(f"expected the name of an application, got {source!r:.60}", at="$.app")
    if source.endswith(".py"):
        source = str(_beside(folder or Path(), source, allow_code, at="$.app"))
    try:
        return source, find(source)
    except WorkloadError as error:
        raise WorkloadError(error.message, at=error.at or "$.app", source=error.source) from None


def _tunable(
    tables: dict[str, Any],
    cluster: Cluster,
    folder: Path,
    read_program: Callable[[Path, int | None], Workload],
    allow_code: bool,
) -> Tunable:
    vary = tables.get("vary")
    if not isinstance(vary, dict):
        raise TuningError(
            f"expected a table of settings to vary (knobs) with their values, got {vary!r:.60}", at="$.vary"
        )
    given = {key: value for key, value in tables.items() if key not in _TABLES}
    if "program" in tables:
        ranks = given.pop("ranks", None)
        if "app" in tables or given or not isinstance(tables["program"], str):
            raise TuningError(
                "expected `program` to be the name of a file, "
                "with `ranks` as the only other parameter and without the key `app`",
                at="$.program",
            )
        if ranks is not None and (type(ranks) is not int or ranks < 1):
            raise TuningError(f"expected a number of ranks of at least 1, got {ranks!r:.60}", at="$.ranks")
        file = _beside(folder, tables["program"], allow_code, at="$.program")
        parameters = {} if ranks is None else {"ranks": ranks}
        return Tunable(tables["program"], parameters, vary, FixedWorkload(read_program(file, ranks)))
    source, app = _app(tables, folder, allow_code)
    made = app.tunable(given, vary=vary, costs=tables.get("costs"), cluster=cluster)
    if made is None:
        parameters = app.parameters(given)
        return Tunable(source, given, vary, AppBuild(source, parameters))
    return Tunable(source, given, vary, *made)
