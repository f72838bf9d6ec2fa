"""What is proved of a program on a machine: a time that no run can beat, and sometimes one that none exceeds.

`docs/proofs.md` states the proofs; here each assumption of theirs is checked, and where one does not hold there is no
proved end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from striate._core import ProgramFlowRun
from striate.cluster.cluster import Cluster
from striate.cluster.description.networks import GraphNetwork
from striate.cluster.placement import Placement
from striate.engine.file_tables import uses_aggregators
from striate.interval import SAYS_NOTHING
from striate.rungs.floor import Floor
from striate.rungs.machine_inputs import step_seconds
from striate.rungs.machine_parts import (
    copies,
    delays_write_back,
    has_throttles,
    has_windows,
    starts_threads,
)
from striate.workload.application import Application
from striate.workload.kinds import ANY, FILE_CALLS, Kind
from striate.workload.walk import lines
from striate.workload.workload import Workload

# The operand that names the sender. Messages of one sender are matched in the order sent, whatever their tags.
_SENDER = {Kind.RECV: "peer", Kind.SENDRECV: "source"}


@dataclass(frozen=True, slots=True)
class Proof:
    """No run of the model takes less than `low` nor, where it is given, more than `high`; `reason` says why."""

    low: float
    high: float | None
    reason: str

    def broken_by(self, seconds: float) -> str:
        """How a played time contradicts the proof, as a sentence; empty when it does not."""
        if seconds < self.low * (1 - 1e-9):
            return f"a run of {seconds:.9g} s beats the proved lower bound of {self.low:.9g} s"
        if self.high is not None and seconds > self.high * (1 + 1e-9):
            return f"a run of {seconds:.9g} s exceeds the proved upper bound of {self.high:.9g} s"
        return ""


def weakest(proofs: Sequence[Proof | None]) -> Proof | None:
    """What is true of all of several machines; None where nothing is proved of one of them."""
    known = [one for one in proofs if one is not None]
    if len(known) < len(proofs):
        return None
    highs = [one.high for one in known if one.high is not None]
    high = max(highs) if len(highs) == len(known) else None
    return replace(min(known, key=lambda proof: proof.low), high=high)


def dependencies_are_fixed(workload: Workload, cluster: Cluster) -> bool:
    """Whether every run has the same dependencies and routes of the same speed: without that, no chain is longest."""
    if cluster.settings.routing == "round-robin" and _routes_may_differ(cluster):
        return False
    return not any(_receives_any(application) for application in workload.applications)


def _routes_may_differ(cluster: Cluster) -> bool:
    """Built topologies join equal stages by equal links; of a graph of one's own nobody knows."""
    return cluster.description is None or isinstance(cluster.description.network, GraphNetwork)


def _receives_any(application: Application) -> bool:
    found = (line.lowest(_SENDER[line.kind]) for line in lines(application, kinds=_SENDER))
    return any(bool((np.asarray(lowest) == ANY).any()) for lowest in found)


def files_are_modelled(workload: Workload, cluster: Cluster) -> bool:
    """Whether the proof about files covers all that stands between a rank and its bytes on this machine."""
    aggregated = any(uses_aggregators(application, cluster) for application in workload.applications)
    burst = any(server.burst for server in cluster.servers)
    fresh = any(server.cache.fresh_rate is not None for server in cluster.servers)  # an average over the run
    settings = cluster.settings
    asks = has_windows(cluster) or any(
        map(int, (settings.lock_move, settings.size_update, settings.inode_lock))
    )
    waits = (
        copies(cluster) or delays_write_back(cluster) or has_throttles(cluster) or bool(cluster.forwarders)
    )
    threads = starts_threads(workload, cluster)
    return not (aggregated or burst or fresh or asks or waits or threads)


def proof_of_program(
    run: ProgramFlowRun, workload: Workload, cluster: Cluster, placement: Placement, *, free_files: bool
) -> Proof:
    """The proof from a run in which nothing waits for a busy resource (`path`, or `chain` with `free_files`)."""
    longest = run.ticks / 1e12
    station = float(run.station_work.max(initial=0)) / 1e12
    steps = run.graphs + 3 * run.messages  # every job of a CPU is one of them
    floor = Floor(cluster, placement)
    cpu = float(floor.node_seconds(run.compute_work / 1e12, steps).max())
    low = max(longest, station, cpu)
    reasons = {
        longest: "its longest chain of dependencies",
        station: "its busiest link",
        cpu: "its busiest node",
    }
    reason = reasons[low] + (", with file accesses that take no time" if free_files else "")
    return Proof(low, _high(run, workload, floor, low), reason)


def _high(run: ProgramFlowRun, workload: Workload, floor: Floor, low: float) -> float | None:
    """All work in turn: at every moment before the end something is in flight. Only for programs without files."""
    touches_files = any(True for one in workload.applications for _ in lines(one, kinds=FILE_CALLS))
    if touches_files or _ranks_wait_for_cpus(floor.cluster) or len(workload.applications) > 1:
        return None
    steps = floor.slowness * step_seconds(floor.cluster) * float(run.graphs + 3 * run.messages)
    work = float(run.compute_work.sum()) + float(run.network_work) + float(run.delays)
    high = max(work / 1e12 + steps, low)
    return high if high <= SAYS_NOTHING * low else None


def _ranks_wait_for_cpus(cluster: Cluster) -> bool:
    """Whether messages may wait for a rank to get a CPU, which is no work of any resource."""
    settings = cluster.settings
    lags = (settings.lag_double, settings.lag_fourfold, settings.turn, settings.time_slice)
    return any(float(one) > 0 for one in lags)
