"""How often the finest rung lies inside the bounds of the coarser ones, and how wide those are, over a random corpus.

    python verification/ladder_coverage.py [--cases 2250] [--seed 1] [--picture docs/images/ladder-coverage.svg]

Every case is a workload on a machine (`ladder_corpus.py`). Where the validity tests allow the coarse rungs, the
packet-level time must lie inside the combined bounds in at least 97 % of the cases, and every miss is given the name
of what caused it: the effect without which there would be none. Nothing may lie outside what is proved. Exit status 1
when that does not hold.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parent))

from ladder_corpus import Case, cases, spread

from striate.cluster import Cluster
from striate.cluster.cluster import IOServer
from striate.cluster.description.quantities import Bytes
from striate.cluster.storage import SimpleDisk, transfer_rate
from striate.errors import PredictionError
from striate.interval import Interval
from striate.ladder.climb import MODELS, combine, first_rung
from striate.ladder.decision import START
from striate.ladder.predict import subject_of
from striate.ladder.proofs import Proof
from striate.rungs.answer import UnfitError
from striate.svg import ACCENT, INK, MUTED, Canvas

WITHIN = 0.2
TARGET = 0.97
ROUNDING = 1e-9  # picoseconds that different orders of addition leave
UNNAMED = "unexplained"
COARSE = ("resource", "queueing", "macro-rr", "macro-queue", "micro")


@dataclass
class Outcome:
    """One case: what was proved, what each rung said, and what the finest one found."""

    case: Case
    allowed: bool
    first: str
    seconds: float
    proved: Proof | None
    raw: dict[str, Interval] = field(default_factory=dict)
    combined: dict[str, Interval] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)

    def inside(self, interval: Interval) -> bool:
        slack = ROUNDING * self.seconds
        return interval.low - slack <= self.seconds <= interval.high + slack


def study(case: Case, *, explained: bool = True) -> Outcome | None:
    """Ask every rung about a case; None where the finest rung does not take it."""
    subject = subject_of(case.workload, case.cluster)
    checks = {check.name: check for check in subject.checks(WITHIN)}
    try:
        seconds = subject.ask("fine").interval.estimate
    except PredictionError:
        return None
    first = first_rung(START, checks)
    outcome = Outcome(case, first != "fine", first, seconds, subject.proved())
    earlier: list[Interval] = []
    for rung in COARSE:
        if rung == "queueing" and not checks.get("cyclic SPMD", checks[START]).passed:
            continue
        if rung == "resource" and not checks["groups of events"].passed:
            continue
        try:
            raw = subject.ask(rung).interval
        except UnfitError:
            continue
        outcome.raw[rung] = raw
        outcome.combined[rung], clash = combine(raw, earlier, outcome.proved)
        if rung != "queueing":
            earlier.append(outcome.combined[rung])
        if explained and rung not in MODELS and not outcome.inside(outcome.combined[rung]):
            outcome.why[rung] = clash or explain(outcome, rung)
    return outcome


def explain(outcome: Outcome, rung: str) -> str:
    """The effect without which the finest rung lies inside; UNNAMED when none of those known is."""
    if outcome.seconds < outcome.combined[rung].low:
        return "the low end is above fine"
    for name, without in EFFECTS:
        changed = study(replace(outcome.case, cluster=without(outcome.case.cluster)), explained=False)
        if changed and rung in changed.combined and changed.inside(changed.combined[rung]):
            return name
    return UNNAMED


def _with_servers(cluster: Cluster, change: Callable[[IOServer], IOServer]) -> Cluster:
    return replace(cluster, servers=tuple(change(server) for server in cluster.servers))


def _cached(cluster: Cluster) -> Cluster:
    cache = {"policy": "write-behind"}
    return _with_servers(
        cluster, lambda server: replace(server, cache=msgspec.structs.replace(server.cache, **cache))
    )


def _plain_disks(cluster: Cluster) -> Cluster:
    def plain(server: IOServer) -> IOServer:
        rate = transfer_rate(server.disks[0], write=False)
        return replace(server, disks=(SimpleDisk(rate=rate),) * len(server.disks))

    return _with_servers(cluster, plain)


def _one_disk(cluster: Cluster) -> Cluster:
    return _with_servers(cluster, lambda server: replace(server, disks=server.disks[:1]))


def _one_server(cluster: Cluster) -> Cluster:
    return replace(cluster, servers=cluster.servers[:1])


def _fast_network(cluster: Cluster) -> Cluster:
    network = cluster.network
    return replace(cluster, network=replace(network, edge_bandwidth=network.edge_bandwidth * 100))


def _large_packets(cluster: Cluster) -> Cluster:
    size = Bytes(32 * int(cluster.settings.packet))
    return replace(cluster, settings=msgspec.structs.replace(cluster.settings, packet=size))


def _whole_requests(cluster: Cluster) -> Cluster:
    settings = msgspec.structs.replace(cluster.settings, io_request=Bytes(1 << 30))
    return _cached(replace(cluster, settings=settings))


def _far_apart(cluster: Cluster) -> Cluster:
    """Memories that are never the place where two messages meet."""
    network = cluster.network
    return replace(
        cluster,
        network=replace(
            network, bandwidth=network.bandwidth * 100, local_bandwidth=network.local_bandwidth * 100
        ),
    )


EFFECTS: tuple[tuple[str, Callable[[Cluster], Cluster]], ...] = (
    ("a server without a cache stops receiving while its disk works", _cached),
    ("seeks, latencies and channels of disks, job by job", _plain_disks),
    ("jobs too small for all disks of a server", _one_disk),
    ("ranks wait for one server after the other", _one_server),
    ("messages that share links take turns", _fast_network),
    ("packets of several clients mix", _large_packets),
    ("servers take turns between the requests of their clients", _whole_requests),
    ("ranks and servers share a memory", _far_apart),
    ("messages and disks together", lambda cluster: _fast_network(_plain_disks(_cached(cluster)))),
)


def table(outcomes: list[Outcome]) -> str:
    """Share inside and widths, per rung, over the cases where the tests allow the coarse rungs."""
    allowed = [outcome for outcome in outcomes if outcome.allowed]
    lines = [
        f"{len(outcomes)} cases, {len(allowed)} where the tests allow the coarse rungs",
        f"{'rung':12s} {'cases':>6s} {'raw':>8s} {'combined':>9s} {'width, median':>14s} {'90 %':>8s}",
    ]
    for rung in COARSE:
        asked = [outcome for outcome in allowed if rung in outcome.raw]
        if not asked:
            continue
        raw = sum(outcome.inside(outcome.raw[rung]) for outcome in asked) / len(asked)
        combined = sum(outcome.inside(outcome.combined[rung]) for outcome in asked) / len(asked)
        middle, most, _ = spread([outcome.combined[rung].relative_error for outcome in asked])
        lines.append(f"{rung:12s} {len(asked):6d} {raw:8.1%} {combined:9.1%} {middle:14.1%} {most:8.1%}")
    return "\n".join(lines)


def misses(outcomes: Iterable[Outcome]) -> Counter[tuple[str, str]]:
    """How often each effect put the finest rung outside, by rung."""
    found: Counter[tuple[str, str]] = Counter()
    for outcome in outcomes:
        if outcome.allowed:
            found.update(outcome.why.items())
    return found


def picture(outcomes: list[Outcome]) -> str:
    """Per rung: every allowed case as a range of combined bounds over the packet-level time, sorted by their ends."""
    canvas = Canvas(outline="none")
    allowed = [outcome for outcome in outcomes if outcome.allowed]
    rungs = [rung for rung in COARSE if rung not in MODELS]
    width, height, left, top = 190.0, 260.0, 60.0, 50.0

    def level(ratio: float) -> float:  # a logarithmic scale from 1/4 to 16
        share = (math.log2(min(max(ratio, 0.25), 16.0)) + 2) / 6
        return top + height * (1 - share)

    for number, rung in enumerate(rungs):
        x = left + number * (width + 22)
        asked = [outcome for outcome in allowed if rung in outcome.combined]
        shown = sorted(asked, key=lambda one: (one.combined[rung].high / one.seconds, one.seconds))
        canvas.box(x, top, width, height, "#f7f9fb")
        for at in range(int(width)):
            outcome = shown[min(len(shown) - 1, int((at + 0.5) / width * len(shown)))]
            bounds = outcome.combined[rung]
            inside = outcome.inside(bounds)
            ends = (level(end / outcome.seconds) for end in (bounds.low, bounds.high))
            bottom, peak = ends
            color = "#8fb4d6" if inside else ACCENT
            canvas.line(x + at + 0.5, bottom + 0.6, x + at + 0.5, peak - 0.6, color, 1.05)
        canvas.line(x, level(1), x + width, level(1), INK, 1.2)
        share = sum(outcome.inside(outcome.combined[rung]) for outcome in asked) / max(len(asked), 1)
        middle, _, _ = spread([outcome.combined[rung].relative_error for outcome in asked])
        canvas.text(x + width / 2, top - 22, rung, size=14, bold=True)
        canvas.text(x + width / 2, top - 6, f"{share:.1%} inside, width {middle:.0%}", size=11, color=MUTED)
        canvas.text(x + width / 2, top + height + 18, f"{len(asked):,} cases", size=11, color=MUTED)
    for ratio, words in (
        (0.25, "1/4"),
        (0.5, "1/2"),
        (1, "fine"),
        (2, "2 x"),
        (4, "4 x"),
        (8, "8 x"),
        (16, "16 x"),
    ):
        canvas.text(
            left - 8, level(ratio) + 4, words, size=11, anchor="end", color=INK if ratio == 1 else MUTED
        )
    return canvas.svg(
        left + len(rungs) * (width + 22), top + height + 32, "Combined bounds over the packet-level time"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=2250)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    outcomes = [found for case in cases(options.cases, options.seed) if (found := study(case))]
    print(table(outcomes))
    by_kind: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        by_kind[outcome.case.kind].append(outcome)
    for kind, found in by_kind.items():
        allowed = sum(one.allowed for one in found)
        print(f"  {kind:14s} {len(found):5d} cases, {allowed:5d} allowed")
    if options.picture:
        options.picture.write_text(picture(outcomes), encoding="utf-8")
    return judge(outcomes)


def judge(outcomes: list[Outcome]) -> int:
    """Name every miss; 1 when there are too many, or one without a name."""
    found = misses(outcomes)
    for (rung, why), count in found.most_common():
        print(f"{count:5d} x {rung}: {why}")
    allowed = [outcome for outcome in outcomes if outcome.allowed]
    asked = [(outcome, rung) for outcome in allowed for rung in outcome.combined if rung not in MODELS]
    inside = sum(outcome.inside(outcome.combined[rung]) for outcome, rung in asked) / max(len(asked), 1)
    broken = sum(
        outcome.proved is not None and bool(outcome.proved.broken_by(outcome.seconds)) for outcome in outcomes
    )
    unnamed = sum(count for (_, why), count in found.items() if why == UNNAMED)
    print(f"inside the combined bounds: {inside:.2%} (at least {TARGET:.0%})")
    print(f"outside what is proved: {broken} (none); misses without a name: {unnamed} (none)")
    return int(inside < TARGET or broken + unnamed > 0)


if __name__ == "__main__":
    sys.exit(main())
