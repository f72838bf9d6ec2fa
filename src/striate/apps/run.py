"""A real run of an application, on every rank: `mpiexec -n 4 python -m striate.apps APP FOLDER [PARAMETERS]`.

What is timed stands between two barriers in the region "run"; reading, generating and starting do not count, and the
host's memory is made ready before.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from striate.apps.registry import find
from striate.errors import StriateError, WorkloadError
from striate.probe.ready_memory import keep_memory, ready_memory
from striate.record.region import region

REGION = "run"
READY_BYTES = 768 * 1024**2  # of memory, more than any of the programs uses


def main(arguments: list[str]) -> int:
    """Run the application once; without PARAMETERS, a JSON object, in the smallest of its sizes."""
    try:
        source, folder, *given = arguments
    except ValueError:
        raise SystemExit("usage: python -m striate.apps APP FOLDER [PARAMETERS]") from None
    from mpi4py import MPI

    try:
        app = find(source)
        parameters = _parameters(given[0]) if given else dict(next(iter(app.sizes.values()), {}))
        keep_memory()
        _run(MPI.COMM_WORLD, app.prepare(MPI.COMM_WORLD, Path(folder), parameters), Path(folder))
    except StriateError as error:
        raise SystemExit(f"striate: {error}") from None
    return 0


def _parameters(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise WorkloadError(f"expected parameters as a JSON object, got {text!r:.60}")
    return found


def _run(comm: Any, run: Any, folder: Path) -> None:
    comm.Barrier()
    ready_memory(folder / f"ready-{comm.rank}", READY_BYTES // comm.size)
    comm.Barrier()
    with region(REGION):
        run()
        comm.Barrier()
