"""Checkpoints: everything a sampling needs to go on as if it had never stopped, as JSON."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from striate.apps.pmc3.chain import ChainState
from striate.apps.pmc3.diagnostics import RunTally
from striate.apps.pmc3.model import SubstitutionModel
from striate.apps.pmc3.tree import Tree
from striate.errors import TraceError
from striate.whole_file import whole_file

SCHEMA = "striate.pmc3.checkpoint/3"


class CheckpointError(TraceError):
    """A checkpoint that cannot be taken up."""


class ChainRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One chain: its state, and its stream of random numbers."""

    parents: tuple[int, ...]
    lengths: tuple[float, ...]
    rates: tuple[float, ...]
    frequencies: tuple[float, ...]
    alpha: float | None
    log_likelihood: float
    log_prior: float
    random: dict[str, Any]

    def state(self) -> ChainState:
        model = SubstitutionModel(self.rates, self.frequencies, self.alpha)
        return ChainState(Tree(self.parents, self.lengths), model, self.log_likelihood, self.log_prior)


class SamplerCheckpoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All chains, run by run, after `generation`; `matrix` and `settings` must be those of the run that goes on."""

    schema: str
    matrix: str
    settings: dict[str, Any]
    generation: int
    samples: int
    order: list[list[int]]
    swaps_tried: list[list[list[int]]]
    swaps_accepted: list[list[list[int]]]
    tallies: list[RunTally]
    swap_random: list[dict[str, Any]]
    chains: list[ChainRecord]


def record(state: ChainState, random: np.random.Generator) -> ChainRecord:
    model = state.model
    return ChainRecord(
        parents=state.tree.parents,
        lengths=state.tree.lengths,
        rates=model.rates,
        frequencies=model.frequencies,
        alpha=model.alpha,
        log_likelihood=state.log_likelihood,
        log_prior=state.log_prior,
        random=random_state(random),
    )


def random_state(random: np.random.Generator) -> dict[str, Any]:
    """The state of a generator; its 128-bit numbers as text, which JSON carries whole."""
    state = dict(random.bit_generator.state)
    return state | {"state": {name: str(value) for name, value in state["state"].items()}}


def restored_random(state: dict[str, Any]) -> np.random.Generator:
    """The generator that goes on where the saved one stopped."""
    random = np.random.default_rng(0)
    numbers = {name: int(value) for name, value in state["state"].items()}
    random.bit_generator.state = state | {"state": numbers}
    return random


def save(path: Path, checkpoint: SamplerCheckpoint) -> None:
    """Write the whole file or leave the old one: a kill at any moment leaves a good checkpoint."""
    with whole_file(path) as place, place.open("wb") as stream:
        stream.write(msgspec.json.encode(checkpoint))
        stream.flush()
        os.fsync(stream.fileno())


def load(path: Path, settings: dict[str, Any], matrix: str) -> SamplerCheckpoint:
    """The checkpoint of a sampling of this matrix, by its fingerprint, with these settings; refuses another's."""
    try:
        found = msgspec.json.decode(path.read_bytes(), type=SamplerCheckpoint)
    except msgspec.MsgspecError as error:
        raise CheckpointError(
            f"expected a checkpoint file of schema {SCHEMA}, found other content: {error}", source=str(path)
        ) from None
    if found.schema != SCHEMA:
        raise CheckpointError(
            f"expected a checkpoint file of schema {SCHEMA}, found schema {found.schema}", source=str(path)
        )
    if found.matrix != matrix:
        raise CheckpointError(
            "the checkpoint was written for another data matrix than that of this run", source=str(path)
        )
    for name, value in settings.items():
        if found.settings.get(name) != value:
            raise CheckpointError(
                f"expected a checkpoint with the setting {name} = {value} of this run, "
                f"found {name} = {found.settings.get(name)}",
                source=str(path),
            )
    return found
