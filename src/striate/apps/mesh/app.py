"""The edge sweep over a mesh as an `App`: on our runtime, and on MPI-IO."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from striate.apps.app import App, Case, Kernel, KernelCost, KernelProcess, Kernels
from striate.apps.mesh import dumps
from striate.apps.mesh.costs import Costs, measure_costs
from striate.apps.mesh.emulated import touched_nodes, workload
from striate.apps.mesh.generate import NODE, Mesh
from striate.apps.mesh.sweep import Sweep, drive
from striate.apps.timing import collectives_in, first_then, timed
from striate.cluster.cluster import Cluster
from striate.errors import TuningError
from striate.workload.workload import Workload

if TYPE_CHECKING:
    from striate.trace.trace import Trace

_MACHINE = ("costs", "cpus")  # parameters of `dumps.workload` that the machine gives, not the user
_RERUN = ("nodes", "pattern", "steps", "every")


class MeshOnMpiIo(App):
    """The sweep as its ranks would write with MPI-IO; a model only."""

    name = "mesh-mpi-io"
    workload = staticmethod(workload)


class MeshSweep(App):
    """The irregular sweep of paper 002 on `striate.runtime`, whose settings are its knobs."""

    name = "mesh"
    workload = staticmethod(workload)
    on_runtime = True
    sizes: ClassVar = {
        "small": {"nodes": 400_000, "steps": 20, "every": 5},
        "large": {"nodes": 1_200_000, "steps": 10, "every": 5},
    }
    work = ("nodes", "every")
    repeats: ClassVar = {"step": "steps", "schedule": ""}
    alone = "commit"

    def tunable(
        self, parameters: dict[str, Any], *, vary: dict[str, Any], costs: Any, cluster: Cluster
    ) -> tuple[Callable[..., Workload], dict[str, Any]]:
        import msgspec

        for name in _MACHINE:
            if name in parameters:
                raise TuningError(
                    f"the parameter {name} cannot be given: the machine determines its value", at=f"$.{name}"
                )
        given = self.parameters(parameters, of=dumps.workload)
        defaults = {key: one.default for key, one in inspect.signature(dumps.workload).parameters.items()}
        found = _costs(costs, defaults | given, vary)
        build = partial(dumps.workload, **given, costs=found.beyond(cluster), cpus=_node_cpus(cluster))
        return build, msgspec.to_builtins(found)

    def rerun_words(self, folder: Path, parameters: Mapping[str, Any], settings: Path) -> list[str]:
        words = ["-m", "striate.apps.mesh", str(folder)]
        for key in _RERUN:
            if key in parameters:
                words += [f"--{key}", str(parameters[key])]
        return [*words, "--settings", str(settings)]

    def prepare(self, comm: Any, folder: Path, parameters: dict[str, Any]) -> Callable[[], object]:
        given = dict(parameters)
        sweep = Sweep(Mesh(given.pop("nodes")), comm.rank, comm.size)
        return lambda: drive(comm, folder / "nodes", sweep, **given)

    def kernels(self, process: KernelProcess) -> Kernels:
        return _MeshKernels(process).kernels()

    def calibrated(self, case: Case, cost: KernelCost, collectives: int) -> Workload:
        given, ranks = case.parameters, case.ranks
        touched = touched_nodes(given["nodes"], given["nodes"] * 3 // 2 // ranks)
        return workload(
            ranks,
            **given,
            edge=0,
            step=cost("step"),
            move=cost("exchange"),
            write=cost("seal"),
            commit=cost("commit", 1),
            index=cost("schedule") / touched,
            reserve=cost("reserve", 1) if ranks > 1 else 0,
            attach=cost("map") if ranks > 1 else 0,
            collective_calls=collectives,
        )

    def collectives(self, traced: Callable[[Case], Trace]) -> int:
        """Collective calls in a write of the runtime."""
        tiny = Case(self.name, 2, "tiny", {"nodes": 2000, "steps": 4, "every": 1})
        return round(collectives_in(traced(tiny), "write"))

    def cases(self, source: str, *, quick: bool) -> list[Case]:
        """Also with fewer servers than ranks."""
        fewer = () if quick else ((4, 1), (8, 2))
        return super().cases(source, quick=quick) + [
            Case(source, ranks, f"small, {servers} servers", self.sizes["small"] | {"servers": servers})
            for ranks, servers in fewer
        ]


def _node_cpus(cluster: Cluster) -> int:
    """CPUs of the node on which the first ranks run."""
    kind = cluster.node_types[int(cluster.node_type[0])]
    return kind.sockets * kind.cpus_per_socket


def _costs(given: Any, parameters: dict[str, Any], vary: dict[str, Any]) -> Costs:
    if given is not None:
        if not isinstance(given, dict):
            raise TuningError(
                f"expected a table of measured costs (seconds per edge, record or byte), got {given!r:.60}",
                at="$.costs",
            )
        return Costs.from_table(given)
    codecs = vary.get("codec", [])
    if not isinstance(codecs, list) or not all(isinstance(codec, str) for codec in codecs):
        raise TuningError(f"expected a list of names of codecs, got {codecs!r:.60}", at="$.vary.codec")
    mesh = Mesh(parameters["nodes"], parameters["pattern"])
    return measure_costs(mesh, parameters["ranks"], codecs=dict.fromkeys([parameters["codec"], *codecs]))


class _MeshKernels:
    """The sweep's steps and the stages of its writes, each alone."""

    def __init__(self, process: KernelProcess) -> None:
        import striate.runtime as runtime

        nodes = process.parameters["nodes"]
        own = -(-nodes // process.ranks)
        self._process, self._bytes = process, nodes * NODE.itemsize
        self._sweep = Sweep(Mesh(nodes), process.rank, process.ranks)
        self._all = runtime.create(None, process.folder / "all", (nodes,), NODE, buffer=4 * self._bytes)
        self._first_schedule = timed(self._indexed)()
        self._schedule = self._indexed()
        self._mine = runtime.create(None, process.folder / "own", (own,), NODE, buffer=4 * self._bytes)
        self._placed, self._records = self._mine.schedule(np.arange(own)), np.zeros(own, NODE)
        self._last: dict[str, float] = {}

    def kernels(self) -> Kernels:
        return Kernels(
            {
                "step": (timed(self._sweep.step), self._process.parameters["every"]),
                "exchange": (self._exchanged, 1),
                "seal": (self._sealed, 1),
                "commit": (lambda: self._last["commit"], 1),
            },
            {"schedule": first_then(self._first_schedule, self._indexed), **_window(self._bytes)},
        )

    def _indexed(self) -> Any:
        return self._all.schedule(self._sweep.indices)

    def _exchanged(self) -> float:
        self._last = _stage_seconds(self._all, self._schedule, self._sweep.values)
        return self._last["load"] / self._process.ranks + self._last["exchange"]

    def _sealed(self) -> float:
        stages = _stage_seconds(self._mine, self._placed, self._records)
        return stages["compress"] + stages["wait"]


def _stage_seconds(dataset: Any, where: Any, values: Any) -> dict[str, float]:
    """CPU seconds of every stage of a write: the write's, shared out by what each took."""
    before = time.process_time()
    seconds = dict(dataset.write_all(where, values).seconds)
    spent = time.process_time() - before
    del seconds["read"]  # a part of "load"
    return {name: spent * took / sum(seconds.values()) for name, took in seconds.items()}


def _window(size: int) -> Mapping[str, Kernel]:
    """Memory that ranks share: one asks the system for it, all map it."""
    from striate.runtime.move.communicator import node

    def reserved() -> float:
        before = time.process_time()
        path = node._reserve(size)
        spent = time.process_time() - before
        Path(path.decode()).unlink()
        return spent

    def mapped() -> float:
        path = node._reserve(size).decode()
        before = time.process_time()
        memory = node._map(path, size)
        spent = time.process_time() - before
        Path(path).unlink()
        del memory
        return spent

    return {"reserve": reserved, "map": mapped}
