"""Finds applications by name: bundled ones, those that installed packages register, and those of a Python file."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from striate.apps.app import App
from striate.apps.user_file import guarded, names_of
from striate.errors import WorkloadError

GROUP = "striate.apps"  # of entry points
BUNDLED = {
    "jacobi": "striate.apps.jacobi.app:Jacobi",
    "checkpoint": "striate.apps.checkpoint.app:Checkpoint",
    "mesh": "striate.apps.mesh.app:MeshSweep",
    "mesh-mpi-io": "striate.apps.mesh.app:MeshOnMpiIo",
    "pmc3": "striate.apps.pmc3.app:Pmc3",
    "titan": "striate.apps.titan:Titan",
    "vmscope": "striate.apps.vmscope:VirtualMicroscope",
    "graphs": "striate.apps.graphs:Graphs",
}


def names() -> list[str]:
    """All that can be found by name, bundled ones first; a registered name cannot hide a bundled one."""
    return list(dict.fromkeys([*BUNDLED, *sorted(point.name for point in entry_points(group=GROUP))]))


def find(source: str, *, folder: Path | None = None) -> App:
    """The application of a name or of a Python file, looked for beneath `folder`; raises WorkloadError for all else."""
    if source in BUNDLED:
        module, _, name = BUNDLED[source].partition(":")
        bundled: App = getattr(import_module(module), name)()
        return bundled
    if source.endswith(".py"):
        return app_in(path := (folder or Path()) / source, names_of(path))
    for point in entry_points(group=GROUP, name=source):
        return _registered(point)
    raise WorkloadError(
        f"expected an application among {', '.join(names())} or a Python file, got {source!r:.60}"
    )


def app_in(path: Path, defined: dict[str, Any]) -> App:
    """What a file calls `app`: an `App` or a subclass of it."""
    return guarded(path, lambda: _checked(defined.get("app"), "`app`"))


def _registered(point: EntryPoint) -> App:
    try:
        return _checked(point.load(), f"the entry point {point.value:.100}")
    except WorkloadError:
        raise
    except Exception as error:  # another package's own mistake
        raise WorkloadError(
            f"the entry point {point.value:.100} cannot be loaded: {type(error).__name__}: {error}",
            source=point.name,
        ) from None


def _checked(found: Any, what: str) -> App:
    made = found() if isinstance(found, type) and issubclass(found, App) else found
    if not isinstance(made, App) or not callable(getattr(made, "workload", None)):
        raise WorkloadError(
            f"expected {what} to be a striate.apps.App with a method `workload`, got {type(made).__name__}"
        )
    return made
