"""The phylogenetic sampler as an `App`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from striate.apps.app import App, Case, KernelCost, KernelProcess, Kernels
from striate.apps.pmc3.lines import describe
from striate.apps.pmc3.nexus import Matrix, parse_nexus, random_matrix
from striate.apps.pmc3.run import sample_all
from striate.apps.pmc3.sampler import Sampler, SamplerSettings
from striate.apps.pmc3.stores import MpiStore, PlainStore
from striate.apps.pmc3.workload import workload
from striate.apps.pmc3.writers import MappedWriter, headers
from striate.apps.run import REGION
from striate.apps.timing import collectives_in, timed
from striate.workload.workload import Workload

if TYPE_CHECKING:
    from striate.trace.trace import Trace

_TAXA, _SITES, _SEED = 24, 400, 7  # of the matrix of random sequences that validation samples from
_MOST_GENERATIONS = 10_000


class Pmc3(App):
    """Metropolis-coupled chains of several runs; every generation the cold chains' lines are written."""

    name = "pmc3"
    workload = staticmethod(workload)
    sizes: ClassVar = {
        "small": {"runs": 2, "chains": 4, "generations": 40},
        "large": {"runs": 4, "chains": 4, "generations": 60},
    }
    work = ("runs", "chains")
    repeats: ClassVar = {"generation": "generations"}

    def prepare(self, comm: Any, folder: Path, parameters: dict[str, Any]) -> Callable[[], object]:
        settings = SamplerSettings(**parameters, sample_frequency=1)
        sampler, writer = _sampling(settings, comm, MpiStore(folder / "samples", comm, None))
        return lambda: sample_all(sampler, writer, folder / "samples.ckp", every=settings.generations)

    def kernels(self, process: KernelProcess) -> Kernels:
        """A generation, its samples written by the system's calls."""
        settings = SamplerSettings(
            process.parameters["runs"], process.parameters["chains"], _MOST_GENERATIONS, 1
        )
        sampler, writer = _sampling(settings, _Apart(process), PlainStore(process.folder / "samples"))
        writer.start_all(0)
        numbers = iter(range(_MOST_GENERATIONS))

        def one() -> None:
            sampler.advance()
            number = next(numbers)
            writer.put_all(number, sampler.cold_lines(number))

        return Kernels({"generation": (timed(one), 1)})

    def calibrated(self, case: Case, cost: KernelCost, collectives: int) -> Workload:
        return workload(
            case.ranks,
            **case.parameters,
            taxa=_TAXA,
            step=0,
            collective_calls=collectives,
            checkpoints=True,
            generation=cost("generation"),
        )

    def collectives(self, traced: Callable[[Case], Trace]) -> int:
        """Collective calls in a generation, from runs of few and of more."""
        few, more = (collectives_in(traced(self._tiny(count)), REGION) for count in (5, 15))
        return round((more - few) / 10)

    def _tiny(self, generations: int) -> Case:
        return Case(self.name, 2, "tiny", {"runs": 1, "chains": 2, "generations": generations})


def _matrix() -> Matrix:
    """Random sequences, the same everywhere."""
    return parse_nexus(random_matrix(_TAXA, _SITES, seed=_SEED))


def _sampling(settings: SamplerSettings, comm: Any, store: Any) -> tuple[Sampler, MappedWriter]:
    matrix = _matrix()
    described = describe(settings.model, matrix.names, settings.runs, settings.generations, 1)
    return Sampler(matrix, settings, comm), MappedWriter(
        store, described, headers(matrix.names, settings), comm, 1
    )


class _Apart:
    """One of several processes that exchange no messages: all it hears of is its own."""

    def __init__(self, process: KernelProcess) -> None:
        self.rank, self.size = process.rank, process.ranks

    def allgather(self, value: Any) -> list[Any]:
        return [value]
