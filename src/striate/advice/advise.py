"""`advise`: every rule looks at the trace; what is proposed is predicted, and kept only when it surely helps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from striate.advice import (
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
from striate.advice.finding import Finding
from striate.advice.item import Item, severity_of
from striate.advice.machine import machines_of
from striate.advice.situation import LEAST_SHARE, Sample, Situation, io_alone, io_seconds
from striate.advice.spread import spread_of
from striate.cluster.cluster import Cluster
from striate.errors import StriateError, TuningError
from striate.trace.tables import front
from striate.trace.trace import Trace
from striate.units import about_seconds
from striate.workload.workload import Workload

SCHEMA = "striate.advice/1"

Rule = Callable[[Situation], Finding | None]
RULES: dict[str, Rule] = {
    "small requests": small_requests.look,
    "unaligned": unaligned.look,
    "random access": random_access.look,
    "many files": many_files.look,
    "metadata storm": metadata_storm.look,
    "imbalance": imbalance.look,
    "stragglers": stragglers.look,
    "stripe": stripe.look,
    "missing collectives": no_collectives.look,
    "redundant reads": redundant_reads.look,
    "no overlap": no_overlap.look,
    "compressible": compressible.look,
    "data sieving": data_sieving.look,
}


@dataclass(frozen=True, slots=True)
class Advice:
    """Items with the largest gain first, and the run they are about."""

    program: str
    machine: str
    run_seconds: float
    io_seconds: float  # of the slowest rank
    items: tuple[Item, ...]
    notes: tuple[str, ...] = ()
    schema: str = SCHEMA

    def to_dict(self) -> dict[str, Any]:
        import msgspec

        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain

    def to_json(self) -> str:
        import msgspec

        return msgspec.json.format(msgspec.json.encode(self), indent=2).decode() + "\n"

    @classmethod
    def from_json(cls, text: str | bytes, *, source: str | None = None) -> Advice:
        """Read what `to_json` wrote; raises TuningError on anything else."""
        import msgspec

        try:
            advice = msgspec.json.decode(text, type=cls)
        except (msgspec.DecodeError, UnicodeDecodeError, ValueError, RecursionError) as error:
            message, _, at = str(error).partition(" - at `")
            raise TuningError(f"not advice: {message}", at=at.rstrip("`") or None, source=source) from None
        if advice.schema != SCHEMA:
            raise TuningError(f"expected schema {SCHEMA!r}, got {advice.schema!r:.60}", source=source)
        return advice


def advise(
    trace: Trace,
    cluster: Cluster | None = None,
    *,
    samples: Mapping[str, Sample] | None = None,
    progress: Callable[[str], None] = lambda rule: None,
) -> Advice:
    """What to change in the traced program, largest gain first; an item whose gain may be zero is left out.

    Gains are predicted on `cluster`, with its storage a quarter quicker and slower too, or else on machines that
    answer as storage did in the trace. `samples` tell how files compress. Raises TraceError or WorkloadError when
    there is nothing to predict from.
    """
    slowest = float(io_seconds(trace).max(initial=0.0))
    if slowest <= LEAST_SHARE * trace.seconds:
        note = (
            f"I/O takes {about_seconds(slowest)} of {about_seconds(trace.seconds)}: there is nothing to gain"
        )
        return Advice(trace.header.program, "", trace.seconds, slowest, (), (note,))
    whole = Workload.from_trace(trace)
    alone = io_alone(whole)
    machines = machines_of(trace.where(front(trace)), alone) if cluster is None else spread_of(cluster)
    situation = Situation(trace, whole, alone, machines, cluster, samples or {})
    items, notes = [], []
    for name, look in RULES.items():
        progress(name)
        try:
            item = _item(name, look, situation)
        except StriateError as error:
            notes.append(f"{name}: not looked at, because {error.message}")
            continue
        if item is not None:
            items.append(item)
    items.sort(key=lambda item: (-item.gain.estimate, item.rule))
    return Advice(
        trace.header.program,
        machines[1].name,
        trace.seconds,
        slowest,
        tuple(items),
        tuple(notes),
    )


def _item(name: str, look: Rule, situation: Situation) -> Item | None:
    finding = look(situation)
    if finding is None or not situation.is_worth(finding.evidence.seconds):
        return None
    gain = situation.gain(finding)
    if gain.low <= 0 or not situation.is_worth(gain.estimate):
        return None
    return Item(
        rule=name,
        title=finding.title,
        severity=severity_of(gain, situation.run_seconds),
        evidence=finding.evidence,
        gain=gain,
        share=gain.estimate / situation.run_seconds if situation.run_seconds else 0.0,
        change=finding.change,
        verify=finding.verify,
    )
