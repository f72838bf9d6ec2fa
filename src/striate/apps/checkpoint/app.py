"""The checkpointing solver as an `App`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from striate.apps.app import App, Case, KernelCost, KernelProcess, Kernels
from striate.apps.checkpoint.emulated import workload
from striate.apps.checkpoint.solve import advance, made_state, solve
from striate.apps.timing import timed, written
from striate.workload.workload import Workload


class Checkpoint(App):
    """Steps of computing; every few steps each rank writes its state."""

    name = "checkpoint"
    workload = staticmethod(workload)
    sizes: ClassVar = {
        "small": {"steps": 120, "every": 10, "state_bytes": 2 * 1024**2, "passes": 4},
        "large": {"steps": 40, "every": 5, "state_bytes": 8 * 1024**2, "passes": 4},
    }
    work = ("state_bytes", "passes", "every")
    repeats: ClassVar = {"step": "steps"}

    def prepare(self, comm: Any, folder: Path, parameters: dict[str, Any]) -> Callable[[], object]:
        given = dict(parameters)
        state = made_state(comm.rank, given.pop("state_bytes"))
        return lambda: solve(comm, folder / "state.ckpt", state, **given)

    def kernels(self, process: KernelProcess) -> Kernels:
        given = process.parameters
        state = made_state(process.rank, given["state_bytes"])
        step = timed(lambda: advance(state, given["passes"]))
        return Kernels({"step": (step, given["every"]), "write": (written(process, state, flush=True), 1)})

    def calibrated(self, case: Case, cost: KernelCost, collectives: int) -> Workload:
        given = case.parameters
        return workload(
            case.ranks,
            steps=given["steps"],
            every=given["every"],
            state=given["state_bytes"],
            step=cost("step"),
            collective_calls=collectives,
        )
