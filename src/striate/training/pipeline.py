"""One epoch of data loading: a pipeline of reading ahead, a barrier per step, and the rate that storage delivers.

With N accelerators that take c seconds for a batch, n steps, and storage that needs X seconds for the bytes of one step
of all accelerators:

* the pipeline fills: W workers per accelerator each read a whole batch at the same time, and share what is delivered,
  so that the first batch comes after F = W X;
* every step waits for the slowest accelerator: jitter takes a share of it, the loop and the barrier a fixed time.
  Batches come no faster than storage delivers them: the epoch takes at least F + n c and at least n X. Near the bend
  both delay: E = ((n X)^k + (F + n c)^k)^(1/k);
* without reading ahead, nothing overlaps: E = n (c + X);
* DLIO leaves the first step out of the utilisation but not out of the throughput (statscounter.py,
  compute_metrics_train): AU = n c / (E - F), throughput = N batch (n - 2) / E.

The last point is why many workers raise the utilisation of a short epoch and lower its throughput.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.training.job import TrainingJob

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Epoch:
    """Seconds, accelerator utilisation and samples per second of an epoch; arrays over draws."""

    seconds: Floats
    utilisation: Floats
    throughput: Floats


def epoch_of(
    job: TrainingJob,
    *,
    delivered: Floats,
    smoothness: Floats,
    step_loss: Floats,
    step_seconds: Floats,
    start: Floats,
) -> Epoch:
    """The epoch when storage delivers that many bytes per second to all accelerators together."""
    steps = job.steps
    step_storage = job.step_bytes / delivered
    fill = np.minimum(job.reads_ahead, steps) * step_storage
    busy = steps * (job.compute_seconds * (1 + step_loss) + step_seconds)
    reading = steps * step_storage
    seconds = bend(fill + busy, reading, smoothness) if job.prefetch_depth else busy + reading
    utilisation = np.minimum(steps * job.compute_seconds / (seconds - fill), 1.0)
    whole = seconds + start
    counted = max(steps - 2, 1) * job.batch_size * job.accelerators
    return Epoch(whole, utilisation, np.minimum(counted / whole, job.pace))


def bend(one: Floats, other: Floats, smoothness: Floats) -> Floats:
    """The larger of two times, and more where they are alike."""
    top = np.maximum(one, other)
    return np.asarray(top * ((one / top) ** smoothness + (other / top) ** smoothness) ** (1 / smoothness))
