"""The real runs, on every rank: `mpiexec -n 4 python -m striate.evaluate.validate.programs APP FOLDER PARAMETERS`.

What is timed stands between two barriers in the region "run"; reading, generating and starting do not count, and the
host's memory is made ready before. The first rank's CPU seconds of it go to the file CPU, when one is named.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from striate.probe.ready_memory import keep_memory, ready_memory
from striate.record.region import region

REGION = "run"
READY_BYTES = 768 * 1024**2  # of memory, more than any of the programs uses
TAXA, SITES, SEED = 24, 400, 7  # of the matrix that pmc3 samples from


def prepared(app: str, comm: Any, folder: Path, parameters: dict[str, Any]) -> Callable[[], object]:
    """All that comes before the run; calling the result is the run."""
    return _PREPARE[app](comm, folder, dict(parameters))


def _jacobi(comm: Any, folder: Path, given: dict[str, Any]) -> Callable[[], object]:
    from striate.apps import jacobi

    strip = jacobi.Strip(given.pop("rows"), given.pop("columns"), comm.rank, comm.size)
    return lambda: jacobi.solve(comm, folder / "field", strip, **given)


def _checkpoint(comm: Any, folder: Path, given: dict[str, Any]) -> Callable[[], object]:
    from striate.apps import checkpoint

    state = checkpoint.made_state(comm.rank, given.pop("state_bytes"))
    return lambda: checkpoint.solve(comm, folder / "state.ckpt", state, **given)


def _mesh(comm: Any, folder: Path, given: dict[str, Any]) -> Callable[[], object]:
    from striate.apps import mesh
    from striate.apps.mesh.sweep import drive

    sweep = mesh.Sweep(mesh.Mesh(given.pop("nodes")), comm.rank, comm.size)
    return lambda: drive(comm, folder / "nodes", sweep, **given)


def _pmc3(comm: Any, folder: Path, given: dict[str, Any]) -> Callable[[], object]:
    from striate.apps.pmc3.lines import describe
    from striate.apps.pmc3.run import sample_all
    from striate.apps.pmc3.sampler import Sampler, Settings
    from striate.apps.pmc3.stores import MpiStore
    from striate.apps.pmc3.writers import MappedWriter, headers

    settings = Settings(**given, sample_frequency=1)
    matrix = made_matrix()
    sampler = Sampler(matrix, settings, comm)
    described = describe(settings.model, matrix.names, settings.runs, settings.generations, 1)
    writer = MappedWriter(
        MpiStore(folder / "samples", comm, None), described, headers(matrix.names, settings), comm, 1
    )
    return lambda: sample_all(sampler, writer, folder / "samples.ckp", every=settings.generations)


def made_matrix() -> Any:
    """Random sequences, the same everywhere."""
    from striate.apps.pmc3.nexus import parse_nexus, random_matrix

    return parse_nexus(random_matrix(TAXA, SITES, seed=SEED))


_PREPARE: dict[str, Callable[[Any, Path, dict[str, Any]], Callable[[], object]]] = {
    "jacobi": _jacobi,
    "checkpoint": _checkpoint,
    "mesh": _mesh,
    "pmc3": _pmc3,
}


def main(arguments: list[str]) -> int:
    app, folder, parameters, *told = arguments
    from mpi4py import MPI

    keep_memory()
    comm = MPI.COMM_WORLD
    run = prepared(app, comm, Path(folder), json.loads(parameters))
    comm.Barrier()
    ready_memory(Path(folder) / f"ready-{comm.rank}", READY_BYTES // comm.size)
    comm.Barrier()
    before = time.process_time()
    with region(REGION):
        run()
        comm.Barrier()
    if told and comm.rank == 0:
        Path(told[0]).write_text(json.dumps(time.process_time() - before))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
