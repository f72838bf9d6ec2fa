"""Runs of coupled chains over ranks: each rank steps its own chains and writes the cold ones it holds.

Every chain has its own stream of random numbers and every run one for its swaps, so that samples do not depend on
how many ranks there are.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np

from striate.apps.pmc3 import chain, lines
from striate.apps.pmc3.chain import ChainState
from striate.apps.pmc3.checkpoint import (
    SCHEMA,
    ChainRecord,
    SamplerCheckpoint,
    random_state,
    record,
    restored_random,
)
from striate.apps.pmc3.coupling import Coupling
from striate.apps.pmc3.diagnostics import RunTally, joined
from striate.apps.pmc3.likelihood import Likelihood
from striate.apps.pmc3.nexus import Matrix
from striate.errors import WorkloadError
from striate.layout.mapped.temporal import ChainPlacement


@dataclass(frozen=True)
class SamplerSettings:
    """What decides the samples."""

    runs: int
    chains: int
    generations: int
    sample_frequency: int = 10
    seed: int = 1
    model: str = "gtr+g"
    temperature: float = 0.1

    def __post_init__(self) -> None:
        for name in ("runs", "chains", "generations", "sample_frequency"):
            if getattr(self, name) < 1:
                raise WorkloadError(f"expected {name} of at least 1, got {getattr(self, name)}")
        if self.model not in ("jc69", "gtr+g"):
            raise WorkloadError(f'expected model "jc69" or "gtr+g", got {self.model!r}')


class SamplerComm(Protocol):
    """The little of MPI that a sampling needs; mpi4py's communicators have it."""

    rank: int
    size: int

    def allgather(self, value: Any) -> list[Any]: ...


class Alone:
    """A communicator of one: the same program without MPI."""

    rank, size = 0, 1

    def allgather(self, value: Any) -> list[Any]:
        return [value]


class Sampler:
    """The chains that this rank holds, and the heats of all."""

    def __init__(self, matrix: Matrix, settings: SamplerSettings, comm: SamplerComm) -> None:
        self.settings, self.comm, self.fingerprint = settings, comm, matrix.fingerprint
        self.log_likelihood = Likelihood(matrix).log
        total = settings.runs * settings.chains
        owners = ChainPlacement(settings.runs, settings.chains, comm.size).process_of(np.arange(total))
        self.mine = [divmod(int(number), settings.chains) for number in np.flatnonzero(owners == comm.rank)]
        self.random = {place: np.random.default_rng([settings.seed, *place]) for place in self.mine}
        self.states = {
            place: chain.start(settings.model, matrix.taxa, self.log_likelihood, self.random[place])
            for place in self.mine
        }
        self.coupling = Coupling(
            settings.runs,
            settings.chains,
            settings.seed,
            settings.temperature,
            owners.reshape(settings.runs, settings.chains),
        )
        self.tallies = [RunTally() for _ in range(settings.runs)]  # what happened on this rank

    def advance(self) -> None:
        """One generation: a step of every chain, then a try to swap in every run."""
        for place in self.mine:
            heat = self.coupling.heat(*place)
            step = chain.step(self.states[place], heat, self.log_likelihood, self.random[place])
            self.states[place] = step.state
            if self.coupling.order[place] == 0:
                self.tallies[place[0]].move(step.move, step.accepted)
        posteriors = np.zeros((self.settings.runs, self.settings.chains))
        for part in self.comm.allgather([(place, self.states[place].log_posterior) for place in self.mine]):
            for place, value in part:
                posteriors[place] = value
        self.coupling.swap(posteriors)

    def cold_lines(self, generation: int) -> dict[int, tuple[bytes, bytes]]:
        """Parameter and tree line of every run whose cold chain is here."""
        return {
            run: (lines.parameter_line(generation, state), lines.tree_line(generation, state))
            for run, state in self._cold()
        }

    def tally_samples(self) -> None:
        """Count the trees of the cold chains that are here as samples."""
        for run, state in self._cold():
            self.tallies[run].sample(state.tree)

    def _cold(self) -> list[tuple[int, ChainState]]:
        """The runs whose cold chain is here, and its state."""
        places = ((run, self.coupling.cold_chain(run)) for run in range(self.settings.runs))
        return [(place[0], self.states[place]) for place in places if place in self.states]

    def checkpoint(self, generation: int, samples: int) -> SamplerCheckpoint:
        """Everything there is, gathered from all ranks: call on all."""
        parts = self.comm.allgather(
            [(place, record(self.states[place], self.random[place])) for place in self.mine]
        )
        chains: dict[tuple[int, int], ChainRecord] = dict(item for part in parts for item in part)
        tallies = self.comm.allgather(self.tallies)
        return SamplerCheckpoint(
            schema=SCHEMA,
            matrix=self.fingerprint,
            settings=asdict(self.settings),
            generation=generation,
            samples=samples,
            order=self.coupling.order.tolist(),
            swaps_tried=self.coupling.tried.tolist(),
            swaps_accepted=self.coupling.accepted.tolist(),
            tallies=[joined(of_ranks) for of_ranks in zip(*tallies, strict=True)],
            swap_random=[random_state(random) for random in self.coupling.random],
            chains=[chains[place] for place in sorted(chains)],
        )

    def restore(self, checkpoint: SamplerCheckpoint) -> None:
        """Go on from a checkpoint, on any number of ranks."""
        for place in self.mine:
            saved = checkpoint.chains[place[0] * self.settings.chains + place[1]]
            self.states[place], self.random[place] = saved.state(), restored_random(saved.random)
        self.coupling.order = np.array(checkpoint.order)
        self.coupling.tried = np.array(checkpoint.swaps_tried)
        self.coupling.accepted = np.array(checkpoint.swaps_accepted)
        if self.comm.rank == 0:
            self.tallies = [joined([tally]) for tally in checkpoint.tallies]
        self.coupling.random = [restored_random(state) for state in checkpoint.swap_random]
