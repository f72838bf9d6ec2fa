"""Reads a TOML file that says what to tune: `app = "mesh"` or `program = "run.parquet"`, parameters, and [vary]."""

from __future__ import annotations

import importlib
import inspect
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from striate.apps.emulated import like
from striate.cluster.cluster import Cluster
from striate.errors import StriateError, TuningError
from striate.workload.workload import Workload

# name -> module and function that makes the workload from its parameters and knobs
APPS = {
    "checkpoint": ("striate.apps.checkpoint", "workload"),
    "jacobi": ("striate.apps.jacobi", "workload"),
    "mesh": ("striate.apps.mesh.dumps", "workload"),  # on striate.runtime
    "mesh-mpi-io": ("striate.apps.mesh.emulated", "workload"),
    "pmc3": ("striate.apps.pmc3.workload", "workload"),
}
MACHINE = ("costs", "cpus")  # parameters that the machine gives, not the user
ON_RUNTIME = frozenset(("mesh",))  # programs that `striate apply` can run again
_MOST_BYTES = 1 << 20
_TABLES = ("app", "program", "vary", "costs")


@dataclass(frozen=True, slots=True)
class Tunable:
    """A program, as a function of its knobs, and the values to try."""

    name: str  # of the app, or of the program's file
    parameters: dict[str, Any]
    vary: dict[str, list[Any]]
    build: Callable[..., Workload]
    costs: dict[str, Any] = field(default_factory=dict)


def load(path: Path, cluster: Cluster, *, read_program: Callable[[Path], Workload]) -> Tunable:
    """What the file says; costs that it does not give are measured here, on this machine.

    `read_program` reads the file that `program` names, which is looked for beside the spec. Raises TuningError with
    the path of the mistake.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise TuningError(f"expected at most {_MOST_BYTES} bytes")
        return _from_tables(tomllib.loads(content.decode()), cluster, path.parent, read_program)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TuningError(f"not TOML: {error}", source=str(path)) from None
    except StriateError as error:
        raise TuningError(error.message, at=error.at, source=error.source or str(path)) from None


def _from_tables(
    tables: dict[str, Any], cluster: Cluster, folder: Path, read_program: Callable[[Path], Workload]
) -> Tunable:
    vary = tables.get("vary")
    if not isinstance(vary, dict):
        raise TuningError("expected a table of knobs and their values", at="$.vary")
    parameters = {key: value for key, value in tables.items() if key not in _TABLES}
    if "program" in tables:
        if "app" in tables or parameters or not isinstance(tables["program"], str):
            raise TuningError(
                "expected the name of a file, and no app or parameters beside it", at="$.program"
            )
        workload = read_program(folder / tables["program"])
        from striate.tuning.question import FixedWorkload

        return Tunable(tables["program"], {}, vary, FixedWorkload(workload))
    return _app(tables, parameters, vary, cluster)


def _app(
    tables: dict[str, Any], parameters: dict[str, Any], vary: dict[str, Any], cluster: Cluster
) -> Tunable:
    app = tables.get("app")
    if not isinstance(app, str) or app not in APPS:
        raise TuningError(f"expected one of {', '.join(APPS)}, got {app!r:.60}", at="$.app")
    module, name = APPS[app]
    make = getattr(importlib.import_module(module), name)
    known = {
        key: one.default for key, one in inspect.signature(make).parameters.items() if key not in MACHINE
    }
    for key, value in parameters.items():
        if key not in known:
            raise TuningError(
                f"{app} has no parameter {key!r:.60}; there are {', '.join(known)}", at=f"$.{key}"
            )
        like(known[key], value, f"$.{key}")
    if app not in ON_RUNTIME:
        return Tunable(app, parameters, vary, partial(make, **parameters))
    costs = _costs(tables.get("costs"), {**known, **parameters}, vary)
    import msgspec

    build = partial(make, **parameters, costs=costs.beyond(cluster), cpus=_node_cpus(cluster))
    return Tunable(app, parameters, vary, build, msgspec.to_builtins(costs))


def _node_cpus(cluster: Cluster) -> int:
    """CPUs of the node on which the first ranks run."""
    kind = cluster.node_types[int(cluster.node_type[0])]
    return kind.sockets * kind.cpus_per_socket


def _costs(given: Any, parameters: dict[str, Any], vary: dict[str, Any]) -> Any:
    from striate.apps.mesh.costs import Costs, measure_costs
    from striate.apps.mesh.generate import Mesh

    if given is not None:
        if not isinstance(given, dict):
            raise TuningError("expected a table of costs", at="$.costs")
        return Costs.from_table(given)
    codecs = vary.get("codec", [])
    if not isinstance(codecs, list) or not all(isinstance(codec, str) for codec in codecs):
        raise TuningError("expected a list of codecs", at="$.vary.codec")
    mesh = Mesh(parameters["nodes"], parameters["pattern"])
    return measure_costs(mesh, parameters["ranks"], codecs=dict.fromkeys([parameters["codec"], *codecs]))
