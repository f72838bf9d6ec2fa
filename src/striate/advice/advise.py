"""`advise`: every rule looks at the facts of a trace; what it finds is told, with a price where there is one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from striate import documents
from striate.advice.diagnosis import SPREAD, Diagnosis, Rule, Unjudged, gain_of
from striate.advice.facts import LEAST_SHARE, Facts, Sample
from striate.advice.item import Item, severity_of
from striate.advice.rules import balance, calls, libraries, requests, shared, work
from striate.cluster.cluster import Cluster
from striate.errors import TuningError
from striate.interval import Interval
from striate.trace.header import TracedFile
from striate.trace.trace import Trace

SCHEMA = "striate.advice/2"
NOTHING = Unjudged("any call of I/O")

RULES: dict[str, Rule] = {
    "small requests": requests.small_requests,
    "random access": requests.random_access,
    "strided access": requests.strided_access,
    "unaligned": requests.unaligned,
    "redundant reads": calls.redundant_reads,
    "read-modify-write": calls.read_modify_write,
    "sync per write": calls.sync_per_write,
    "seek per access": calls.seek_per_access,
    "metadata storm": calls.metadata_storm,
    "many files": calls.many_files,
    "one rank": balance.one_rank,
    "imbalance": balance.imbalance,
    "slow host": balance.slow_host,
    "slow target": balance.slow_target,
    "stripe": shared.stripe,
    "missing collectives": shared.missing_collectives,
    "collective exchange": shared.collective_exchange,
    "needless collectives": shared.needless_collectives,
    "independent opens": shared.independent_opens,
    "HDF5 chunks": libraries.hdf5_chunks,
    "HDF5 transfers": libraries.hdf5_independent,
    "HDF5 metadata": libraries.hdf5_metadata,
    "standard I/O": libraries.stdio_bulk,
    "cached reads": libraries.cached_reads,
    "no overlap": work.no_overlap,
    "compressible": work.compressible,
}


@dataclass(frozen=True, slots=True)
class Advice:
    """Findings with the largest gain first, what could not be judged and why, and the run they are about."""

    program: str
    machine: str
    run_seconds: float
    io_seconds: float  # of the slowest rank
    items: tuple[Item, ...]
    looked_at: tuple[str, ...] = ()  # rules that could judge
    unjudged: dict[str, str] = field(default_factory=dict)  # rule -> what the log lacks
    notes: tuple[str, ...] = ()
    schema: str = SCHEMA

    def to_dict(self) -> dict[str, Any]:
        import msgspec

        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain

    def to_json(self) -> str:
        return documents.to_json(self)

    @classmethod
    def from_json(cls, text: str | bytes, *, source: str | None = None) -> Advice:
        """Read what `to_json` wrote; raises TuningError on anything else."""
        return documents.from_json(text, cls, schema=SCHEMA, name="advice", kind=TuningError, source=source)


def _with_a_file(trace: Trace) -> Trace:
    """The trace; a file stands for those it does not name, for rules count by file."""
    if trace.header.files:
        return trace
    header = msgspec.structs.replace(trace.header, files=(TracedFile("unknown"),))
    return replace(trace, header=header)


def advise(
    trace: Trace,
    cluster: Cluster | None = None,
    *,
    samples: Mapping[str, Sample] | None = None,
    progress: Callable[[str], None] = lambda rule: None,
) -> Advice:
    """What is wrong with the I/O of the traced program and what to change, largest gain first.

    Gains come from a cost model fitted to the trace itself, and are capped by what the operations took; with `cluster`,
    changes of traces with single accesses are simulated on it. `samples` tell how files compress.
    """
    facts = Facts(_with_a_file(trace), samples or {})
    any_calls = bool(trace.records) or len(trace) > 0
    items: list[Item] = []
    unjudged: dict[str, str] = {}
    for name, look in RULES.items():
        progress(name)
        verdict = look(facts) if any_calls else NOTHING
        if isinstance(verdict, Unjudged):
            unjudged[name] = verdict.lacks
        elif verdict is not None:
            items.append(_item(name, verdict, facts))
    notes: tuple[str, ...] = ()
    if cluster is not None:
        items, notes = _simulated(items, facts, cluster)
    items.sort(key=lambda item: (-item.share, item.rule))
    looked = tuple(name for name in RULES if name not in unjudged)
    return Advice(
        trace.header.program,
        cluster.name if cluster is not None else "",
        facts.run_seconds,
        facts.io_wall.estimate,
        tuple(items),
        looked,
        unjudged,
        notes,
    )


def _item(name: str, found: Diagnosis, facts: Facts) -> Item:
    gain = gain_of(found)
    if gain is not None and gain.high < LEAST_SHARE * facts.run_seconds:
        gain = None
    weight = found.wall.estimate if gain is None else gain.estimate
    return Item(
        rule=name,
        title=found.title,
        severity=severity_of(weight, facts.run_seconds) if found.saved is not None else "minor",
        evidence=found.evidence,
        why=found.why,
        affected=found.wall,
        gain=gain,
        share=weight / facts.run_seconds if facts.run_seconds else 0.0,
        certainty=found.certainty,
        change=found.change,
        verify=found.verify,
    )


def _simulated(items: list[Item], facts: Facts, cluster: Cluster) -> tuple[list[Item], tuple[str, ...]]:
    """The items with gains predicted on the cluster, and a better stripe, which only a cluster can show."""
    if any(flag.code.startswith("reconstructed") for flag in facts.trace.header.flags):
        return items, ("gains are fitted to the log: it has no single accesses that could be simulated",)
    from striate.advice.trials.simulate import TRIALS, Simulation

    simulation = Simulation(facts.trace, cluster, facts.samples)
    priced = []
    for item in items:
        if tried := simulation.gain(item.rule) if item.rule in TRIALS else None:
            gain, hints = tried
            change = replace(item.change, hints={**item.change.hints, **hints})
            item = _priced(replace(item, change=change), _capped(gain, item.affected.high), facts)
        priced.append(item)
    if better := simulation.stripe():
        found, gain = better
        priced = [item for item in priced if item.rule != "stripe"]
        priced.append(_priced(_item("stripe", found, facts), _capped(gain, found.wall.high), facts))
    return priced, tuple(simulation.notes)


def _capped(gain: Interval, most: float) -> Interval:
    """Never more than the operations took; the lower bound leaves room for the spread of runs."""
    high = min(gain.high, most)
    low = min(gain.low, high) * (1 - SPREAD)
    return Interval(low, min(max(gain.estimate, low), high), high)


def _priced(item: Item, gain: Interval, facts: Facts) -> Item:
    share = gain.estimate / facts.run_seconds if facts.run_seconds else 0.0
    severity = severity_of(gain.estimate, facts.run_seconds)
    return replace(item, gain=gain, share=share, severity=severity, certainty="simulated")
