"""The steps of a group: which there are, and where their chunks lie, read once by rank 0 for all."""

from __future__ import annotations

from pathlib import Path

from striate.errors import DatasetError, StorageError
from striate.runtime.move.communicator.collective import Collective
from striate.runtime.move.groups.state import GroupState
from striate.runtime.store.group_metadata import GroupMetadata, Step, StepIndex, decode_index, index_name


def kept_steps(metadata: GroupMetadata) -> range:
    """The numbers of the steps that are kept."""
    return range(metadata.first_step, metadata.first_step + len(metadata.steps))


def find_step(metadata: GroupMetadata, step: int) -> Step:
    """The step of a number, from the end when it is negative; refuses one that is not kept."""
    steps = kept_steps(metadata)
    number = steps.stop + step if step < 0 else step
    if number not in steps:
        kept = f"{steps.start} to {steps.stop - 1}" if steps else "none so far"
        raise DatasetError(f"expected in the group a step that is kept ({kept}), got {step}")
    return metadata.steps[number - steps.start]


class StepIndexes:
    """Indexes of steps that were read or written, by generation."""

    def __init__(self) -> None:
        self.known: dict[int, StepIndex] = {}

    def of(self, state: GroupState, step: Step) -> StepIndex:
        """Collective: the index of a step."""
        if step.generation not in self.known:
            ranks, content = state.ranks, b""
            path = state.setting.store.path / index_name(state.metadata.identity, step.generation)
            with Collective(ranks):
                if ranks.rank == 0:
                    content = _read(path, step)
            content = ranks.broadcast_known(content, step.bytes, 0)
            with Collective(ranks):
                self.known[step.generation] = decode_index(content, step, state.metadata, str(path))
        return self.known[step.generation]


def _read(path: Path, step: Step) -> bytes:
    """As many bytes as the step's index has: with others the checksum differs."""
    try:
        with path.open("rb") as file:
            content = file.read(step.bytes + 1)
    except FileNotFoundError as error:
        words = "the step is no longer kept, or its index is missing"
        raise StorageError(words, error.errno, at=str(path)) from None
    return content if len(content) == step.bytes else bytes(step.bytes)
