"""The parts that reads of a job pass, and the bytes per second that each lets through."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from striate.training.job import TrainingJob
from striate.training.page_cache import cacheable_share
from striate.training.system import StorageSystem

Floats = NDArray[np.float64]


def capacities(job: TrainingJob, drawn: Mapping[str, Floats], cached: float) -> dict[str, Floats]:
    """Bytes per second that the job gets through each part; the share `cached` passes the CPUs of the hosts alone."""
    missed = 1 - min(cached, 0.99)
    thread = 1 / (1 / drawn["stream"] + drawn["open_seconds"] / _bytes_per_open(job))
    found = {
        "drives": drawn["drive_count"] * drawn["drive_rate"] * drawn["delivered"] / missed,
        "CPUs of the hosts": job.hosts * drawn["cores"] * drawn["core_rate"],
        "reading threads": job.accelerators * max(1, job.read_threads) * thread,
    }
    if "host_link" in drawn:
        found["links of the hosts"] = job.hosts * drawn["host_link"] * drawn["link_share"] / missed
        found["links of the servers"] = drawn["servers"] * drawn["server_link"] * drawn["link_share"] / missed
    return found


def stated_ceilings(job: TrainingJob, system: StorageSystem) -> dict[str, float]:
    """Bytes per second that nothing exceeds if the sheet is right; what it does not say sets no ceiling."""
    cached = 0.0 if job.direct else cacheable_share(job, system.host_memory) if system.host_memory else 0.99
    missed = 1 - min(cached, 0.99)
    found = {}
    if system.drives is not None and system.drive_rate is not None:
        found["drives"] = system.drives * system.drive_rate / missed
    if not system.local and system.host_link is not None:
        found["links of the hosts"] = job.hosts * system.host_link / missed
    if not system.local and system.servers is not None and system.server_link is not None:
        found["links of the servers"] = system.servers * system.server_link / missed
    return found


def _bytes_per_open(job: TrainingJob) -> float:
    return job.samples_per_file * job.sample_bytes
