"""`TrainingJob`: epochs of data loading on accelerators, and the checkpoints between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

RecordFormat = Literal[
    "npz", "npy", "tfrecord", "hdf5", "csv", "jpeg", "png", "mmap_indexed_binary", "indexed_binary"
]
Loader = Literal["pytorch", "tensorflow", "dali"]


@dataclass(frozen=True, slots=True)
class CheckpointPlan:
    """What is saved: one file by rank 0, or a shard per rank; each written, flushed where asked, and renamed."""

    model_bytes: int
    sharded: bool  # a file per rank, each of model_bytes / ranks; else one file by rank 0
    fsync: bool
    first_epoch: int
    epochs_between: int
    steps_between: int = 0  # 0: at the ends of epochs only
    reads: int = 0  # restarts: how often all ranks read the model back

    def count(self, epochs: int, steps: int) -> int:
        """How many checkpoints a job of that many epochs and steps per epoch writes."""
        if self.steps_between:
            return epochs * (steps // self.steps_between)
        return (
            max(0, (epochs - self.first_epoch) // self.epochs_between + 1)
            if epochs >= self.first_epoch
            else 0
        )


@dataclass(frozen=True, slots=True)
class TrainingJob:
    """A data-parallel training job as DLIO describes one; every accelerator is one MPI rank."""

    name: str
    accelerators: int
    hosts: int
    epochs: int
    batch_size: int
    compute_seconds: float  # of one step on one accelerator
    files: int
    samples_per_file: int
    sample_bytes: float
    record_format: RecordFormat
    loader: Loader
    read_threads: int
    prefetch_size: int
    shuffled: bool  # a sample is read in another place of every epoch
    wanted_utilisation: float
    compute_varies: bool = False  # computing takes compute_seconds on average only
    direct: bool = False  # O_DIRECT: past the page cache
    checkpoints: CheckpointPlan | None = None

    @property
    def steps(self) -> int:
        """Steps of an epoch: whole batches of every accelerator; the rest is left out, as DLIO does."""
        return self.files * self.samples_per_file // (self.batch_size * self.accelerators)

    @property
    def dataset_bytes(self) -> float:
        return self.files * self.samples_per_file * self.sample_bytes

    @property
    def step_bytes(self) -> float:
        """What all accelerators read for one step."""
        return self.accelerators * self.batch_size * self.sample_bytes

    @property
    def pace(self) -> float:
        """Samples per second if no accelerator ever waits: no run is faster (docs/proofs.md)."""
        return self.accelerators * self.batch_size / self.compute_seconds

    @property
    def demand(self) -> float:
        """Bytes per second at that pace."""
        return self.pace * self.sample_bytes

    @property
    def reads_ahead(self) -> int:
        """Batches of one accelerator that are read at the same time, ahead of the one that is computed on.

        A worker of PyTorch or DALI reads a whole batch, so `read_threads` of them are in flight; without workers the
        program reads by itself when it wants a batch. TensorFlow's threads read samples of the same batch.
        """
        return 1 if self.loader == "tensorflow" else self.read_threads

    @property
    def prefetch_depth(self) -> int:
        """Batches that may be held for an accelerator: DLIO's rule for `prefetch_size` (torch_data_loader.py)."""
        if self.loader == "tensorflow":
            return self.prefetch_size + 1
        if self.loader == "dali":
            return (self.prefetch_size or 2) if self.read_threads else 0
        per_worker = -(-self.prefetch_size // self.read_threads) if self.read_threads else 0
        return self.read_threads * (per_worker or 2)
