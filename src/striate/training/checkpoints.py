"""Checkpoints: files that are written, flushed and renamed while the step after them waits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.training.job import CheckpointPlan, TrainingJob

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class CheckpointTime:
    """Seconds that one save takes the training, and one restart."""

    save: Floats
    restore: Floats


def checkpoint_of(
    job: TrainingJob, plan: CheckpointPlan, drawn: Mapping[str, Floats], delivered: Floats
) -> CheckpointTime:
    """A shard per rank is written by all at once; one file by the thread of rank 0. All wait for the slowest.

    A restart reads what was written: every rank its own shard, or all ranks the same file, of which each host fetches
    one copy and its other ranks read the page cache.
    """
    writers = job.accelerators if plan.sharded else 1
    stream = writers * drawn["stream"] * drawn["write_share"]
    save = plan.model_bytes / np.minimum(delivered * drawn["write_share"], stream) + drawn["open_seconds"]
    save = save + (drawn["flush_seconds"] if plan.fsync else 0)
    readers = job.accelerators if plan.sharded else job.hosts
    copies = 1 if plan.sharded else job.hosts
    restore = (
        copies * plan.model_bytes / np.minimum(delivered, readers * drawn["stream"]) + drawn["open_seconds"]
    )
    return CheckpointTime(save, restore)
