"""The Jacobi solver as an `App`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from striate.apps.app import App, Case, KernelCost, KernelProcess, Kernels
from striate.apps.jacobi.emulated import workload
from striate.apps.jacobi.solve import GridStrip, solve
from striate.apps.timing import timed, written
from striate.workload.workload import Workload


class Jacobi(App):
    """Sweeps over strips of a grid; every few sweeps each rank writes its strip."""

    name = "jacobi"
    workload = staticmethod(workload)
    sizes: ClassVar = {
        "small": {"rows": 512, "columns": 1024, "steps": 160, "every": 40},
        "large": {"rows": 1536, "columns": 2048, "steps": 20, "every": 5},
    }
    work = ("rows", "columns", "every")
    repeats: ClassVar = {"sweep": "steps"}

    def prepare(self, comm: Any, folder: Path, parameters: dict[str, Any]) -> Callable[[], object]:
        given = dict(parameters)
        strip = GridStrip(given.pop("rows"), given.pop("columns"), comm.rank, comm.size)
        return lambda: solve(comm, folder / "field", strip, **given)

    def kernels(self, process: KernelProcess) -> Kernels:
        given = process.parameters
        strip = GridStrip(given["rows"], given["columns"], process.rank, process.ranks)
        write = written(process, strip.field, flush=False)
        return Kernels({"sweep": (timed(strip.sweep), given["every"]), "write": (write, 1)})

    def calibrated(self, case: Case, cost: KernelCost, collectives: int) -> Workload:
        return workload(
            case.ranks, **case.parameters, cell=0, sweep=cost("sweep"), collective_calls=collectives
        )
