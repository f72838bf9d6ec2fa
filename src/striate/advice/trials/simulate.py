"""Gains by simulation: the change a trial makes to the traced program, predicted on the cluster that was named."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from striate.advice.facts import Sample
from striate.advice.trials import (
    compressible,
    data_sieving,
    imbalance,
    many_files,
    metadata_storm,
    no_collectives,
    no_overlap,
    random_access,
    redundant_reads,
    small_requests,
    stragglers,
    stripe,
    unaligned,
)
from striate.advice.trials.finding import Finding
from striate.advice.trials.situation import Situation, io_alone
from striate.advice.trials.spread import spread_of
from striate.cluster.cluster import Cluster
from striate.errors import StriateError
from striate.interval import Interval
from striate.trace.trace import Trace
from striate.workload.workload import Workload

Trial = Callable[[Situation], Finding | None]
TRIALS: dict[str, Trial] = {
    "small requests": small_requests.look,
    "unaligned": unaligned.look,
    "random access": random_access.look,
    "many files": many_files.look,
    "metadata storm": metadata_storm.look,
    "imbalance": imbalance.look,
    "slow host": stragglers.look,
    "stripe": stripe.look,
    "missing collectives": no_collectives.look,
    "redundant reads": redundant_reads.look,
    "no overlap": no_overlap.look,
    "compressible": compressible.look,
    "read-modify-write": data_sieving.look,
}


class Simulation:
    """Trials of one trace on one cluster."""

    def __init__(self, trace: Trace, cluster: Cluster, samples: Mapping[str, Sample]) -> None:
        whole = Workload.from_trace(trace)
        self._situation = Situation(trace, whole, io_alone(whole), spread_of(cluster), cluster, samples)
        self.notes: list[str] = []

    def trial(self, rule: str) -> tuple[Finding, Interval] | None:
        """What the rule's change saves for sure on the cluster; None where it may save nothing."""
        if rule not in TRIALS:
            return None
        try:
            finding = TRIALS[rule](self._situation)
            if finding is None or not self._situation.is_worth(finding.evidence.seconds):
                return None
            gain = self._situation.gain(finding)
        except StriateError as error:
            self.notes.append(f"{rule}: not simulated, because {error.message}")
            return None
        return (finding, gain) if gain.low > 0 and self._situation.is_worth(gain.estimate) else None
