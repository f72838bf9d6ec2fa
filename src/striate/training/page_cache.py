"""How much of an epoch comes from the page cache of the hosts."""

from __future__ import annotations

import math

from striate.training.job import TrainingJob

RULE = 5  # MLPerf Storage: the dataset is at least five times the memory of the hosts


def cached_share(job: TrainingJob, host_memory: float | None) -> float:
    """The share of reads that a cache with the least recently used rule answers.

    An epoch reads every sample once, in a random order. Let a cache hold a share f of what its host reads in an epoch.
    A sample at place u of one epoch and v of the next has a share 1 - u (1 - v) of all samples read between; it is
    still there if that is less than f. Over uniform u and v this gives f + (1 - f) ln(1 - f), about f^2 / 2: 2 % where
    the dataset is five times the memory. In the same order every epoch nothing is left of the last one, unless
    all of it fits. Of H hosts, a sample comes to the same one again once in H epochs.
    """
    if job.direct or host_memory is None:
        return 0.0
    share = cacheable_share(job, host_memory)
    if share >= 1:
        return 1 / job.hosts if job.shuffled else 1.0
    if not job.shuffled:
        return 0.0
    return (share + (1 - share) * math.log1p(-share)) / job.hosts


def cacheable_share(job: TrainingJob, host_memory: float) -> float:
    """The share of what one host reads in an epoch that fits its memory: no rule of eviction hits more than this."""
    return min(1.0, host_memory * job.hosts / job.dataset_bytes)
