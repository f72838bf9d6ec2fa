"""Gains by simulation: the change that a rule proposes, made to the traced program and predicted on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from striate.advice.diagnosis import Diagnosis
from striate.advice.facts import Sample
from striate.advice.trials import accesses, collective, metadata, ranks
from striate.advice.trials.machines import spread_of
from striate.advice.trials.situation import Situation, Variant, io_alone
from striate.advice.trials.stripe import best_stripe
from striate.cluster.cluster import Cluster
from striate.errors import StriateError
from striate.interval import Interval
from striate.trace.trace import Trace
from striate.workload.workload import Workload

T = TypeVar("T")

# rule -> the program with its change; None where the trace does not show enough to make it
TRIALS: dict[str, Callable[[Situation], Variant | None]] = {
    "small requests": accesses.buffered,
    "unaligned": accesses.aligned,
    "random access": accesses.sorted_by_offset,
    "many files": metadata.one_shared_file,
    "metadata storm": metadata.opened_once,
    "imbalance": ranks.equal_shares,
    "slow host": ranks.no_slow_rank,
    "missing collectives": collective.in_one_call,
    "redundant reads": accesses.read_once,
    "no overlap": accesses.overlapped,
    "compressible": accesses.compressed,
    "read-modify-write": collective.without_sieving,
}


class Simulation:
    """Trials of one trace on one cluster."""

    def __init__(self, trace: Trace, cluster: Cluster, samples: Mapping[str, Sample]) -> None:
        whole = Workload.from_trace(trace)
        self._situation = Situation(trace, whole, io_alone(whole), spread_of(cluster), cluster, samples)
        self.notes: list[str] = []

    def gain(self, rule: str) -> tuple[Interval, Mapping[str, str]] | None:
        """What the rule's change saves for sure on the cluster, with the hints that it was tried with.

        None where it may save nothing.
        """
        return self._tried(rule, lambda: self._gain(rule))

    def _gain(self, rule: str) -> tuple[Interval, Mapping[str, str]] | None:
        variant = TRIALS[rule](self._situation)
        gain = self._worth(variant)
        return None if variant is None or gain is None else (gain, variant.hints)

    def stripe(self) -> tuple[Diagnosis, Interval] | None:
        """A better stripe, which only a cluster can show, and what it saves."""
        return self._tried("stripe", self._stripe)

    def _stripe(self) -> tuple[Diagnosis, Interval] | None:
        found = best_stripe(self._situation)
        gain = None if found is None else self._worth(found[1])
        return None if found is None or gain is None else (found[0], gain)

    def _worth(self, variant: Variant | None) -> Interval | None:
        gain = None if variant is None else self._situation.gain(variant)
        worth = gain is not None and gain.low > 0 and self._situation.is_worth(gain.estimate)
        return gain if worth else None

    def _tried(self, rule: str, act: Callable[[], T | None]) -> T | None:
        try:
            return act()
        except StriateError as error:
            self.notes.append(f"{rule}: not simulated, because {error.message}")
            return None
