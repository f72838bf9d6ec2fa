"""`App`: all that an application gives to the commands - its workload, real run, kernels, knobs and cases."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from striate.errors import WorkloadError
from striate.workload.flows import Flows
from striate.workload.workload import Workload

if TYPE_CHECKING:
    from striate.cluster.cluster import Cluster
    from striate.trace.trace import Trace

Kernel = Callable[[], float]  # does its work once and returns the CPU seconds it took
KernelCost = Callable[
    ..., float
]  # CPU seconds of the kernel named, on each rank of the case or on so many processes
_ANY = (bool, int, float, str, list)


@dataclass(frozen=True, slots=True)
class Case:
    """One run of an application that `striate validate` makes; `parameters` go to the application."""

    app: str  # a registered name, or the path of a Python file
    ranks: int
    size: str  # a word for people
    parameters: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{Path(self.app).stem} {self.size}, {self.ranks} ranks"

    @property
    def layout(self) -> str:
        """How files are spread: the servers of the runtime, where they are given."""
        servers = self.parameters.get("servers")
        return "" if servers is None else f"{servers} servers"


@dataclass(frozen=True, slots=True)
class Kernels:
    """What a program does again and again - each kernel so many times in a lap - and what it does only once."""

    lap: Mapping[str, tuple[Kernel, int]]
    once: Mapping[str, Kernel] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class KernelProcess:
    """One process that times kernels: which of how many it is, the case's parameters, and where files may lie."""

    rank: int
    ranks: int
    parameters: Mapping[str, Any]
    folder: Path


class App:
    """An application; `name` and `workload` are enough for `predict` and `tune`, the rest is for real runs.

    `workload` is a function of keywords with defaults, `ranks` among them where the number is free. The others
    refuse with one line until a subclass gives them.
    """

    name: ClassVar[str]
    workload: ClassVar[Callable[..., Workload | Flows]]
    on_runtime: ClassVar[bool] = False  # whether `striate apply --rerun` can run it with other settings

    sizes: ClassVar[
        Mapping[str, dict[str, Any]]
    ] = {}  # that `striate validate` runs, by name, the smallest first
    work: ClassVar[tuple[str, ...]] = ()  # the parameters that a kernel's work depends on
    repeats: ClassVar[Mapping[str, str]] = {}  # kernel -> parameter: how often a run does it; "": once
    alone: ClassVar[str | None] = None  # the kernel that one rank does for all

    def parameters(self, given: Mapping[str, Any], *, of: Callable[..., Any] | None = None) -> dict[str, Any]:
        """`given` in the types of the workload's defaults; refuses unknown names and other types by their path."""
        known = inspect.signature(of or self.workload).parameters
        for key in given:
            if key not in known:
                raise WorkloadError(
                    f"the application {self.name} has no parameter {key!r:.60}; "
                    f"its parameters are {', '.join(known)}",
                    at=f"$.{key}",
                )
        return {key: like(known[key].default, value, f"$.{key}") for key, value in given.items()}

    def tunable(
        self, parameters: dict[str, Any], *, vary: dict[str, Any], costs: Any, cluster: Cluster
    ) -> tuple[Callable[..., Workload], dict[str, Any]] | None:
        """A function of the knobs and the costs it was made with, where `tune` varies another one than `workload`."""
        return None

    def rerun_words(self, folder: Path, parameters: Mapping[str, Any], settings: Path) -> list[str]:
        """The words after `python` of one real run with the runtime's `settings`, which prints its seconds as JSON."""
        raise WorkloadError(
            f"the application {self.name} cannot be run again with other settings: "
            "its class defines no method `rerun_words`"
        )

    def prepare(self, comm: Any, folder: Path, parameters: dict[str, Any]) -> Callable[[], object]:
        """All of a real run that comes before what is timed; calling the result is the run."""
        raise WorkloadError(
            f"the application {self.name} cannot be run on this machine: "
            "its class defines no method `prepare`"
        )

    def kernels(self, process: KernelProcess) -> Kernels:
        """The application's own work, to be timed without messages."""
        raise WorkloadError(
            f"the application {self.name} cannot be timed: its class defines no method `kernels`"
        )

    def calibrated(self, case: Case, cost: KernelCost, collectives: int) -> Workload:
        """The workload of a case with measured costs and as many collective calls per write or step as were counted."""
        raise WorkloadError(
            f"the application {self.name} cannot be calibrated: its class defines no method `calibrated`"
        )

    def collectives(self, traced: Callable[[Case], Trace]) -> int:
        """Collective calls per write: 1 for MPI-IO, in which ranks exchange the ends of their accesses."""
        return 1

    def cases(self, source: str, *, quick: bool) -> list[Case]:
        """Every size on 1 to 8 ranks; quick: the smallest on 1 and 2."""
        sizes = dict(list(self.sizes.items())[:1]) if quick else self.sizes
        ranks = (1, 2) if quick else (1, 2, 4, 8)
        return [Case(source, count, size, given) for size, given in sizes.items() for count in ranks]


def like(default: Any, value: Any, at: str) -> Any:
    """`value` in the shape of `default`: a whole number, a number, a list of numbers, or a quantity with a unit."""
    if isinstance(default, tuple):
        sound = isinstance(value, list) and len(value) == len(default)
        if not sound:
            raise WorkloadError(f"expected {len(default)} numbers, got {value!r:.60}", at=at)
        return tuple(
            like(kind, item, f"{at}[{i}]") for i, (kind, item) in enumerate(zip(default, value, strict=True))
        )
    wanted: tuple[type, ...] = (bool,)
    if isinstance(default, str):
        wanted = (str, int, float)
    elif isinstance(default, float):
        wanted = (int, float)
    elif default is inspect.Parameter.empty:
        return value if isinstance(value, _ANY) else like(0, value, at)
    elif not isinstance(default, bool):
        wanted = (int,)
    if isinstance(value, bool) != (wanted == (bool,)) or not isinstance(value, wanted):
        raise WorkloadError(
            f"expected a parameter value of the same type as {default!r}, got {value!r:.60}", at=at
        )
    return value
