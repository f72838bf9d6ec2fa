"""Attacks what the ladder calls proved: random programs and machines, each played packet by packet.

    python verification/attack.py --cases 20000 --seed 1
    python verification/attack.py --cases 2000 --seed 1 --answers
    python verification/attack.py --cases 20000 --seed 1 --seconds 800 --state build/attack.json --longest 0.3

Prints how often a proved end was broken, and the smallest case found for every kind of break. With --answers it asks
the ladder about programs of several phases, with several precisions and with budgets that playing the whole fits into
or not, and prints how often an answer given with exit status 0 holds the packet-level time. With --state a run
goes on where the one before it with the same seed ended, and prints the counts of all of them. A case that would take
longer than --longest to play is halved until it does not. With --corpus drawn machines are drawn from nothing, and
programs from further calls, some of two applications; with --corpus streams cases are streams of work-flow graphs,
with --corpus measured machines have measured ranges and are played somewhere inside them, and with --corpus plugins
every case has a plug-in.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from attack_cases import machine_of, workload_of
from attack_corpus import Case, draw, draw_anything
from attack_measured import inside_of, ranged_of, with_ranges
from attack_phases import draw_phases
from attack_plugins import loaded, with_plugin
from attack_shrinking import lighter, operations, shorter, shrunk
from attack_streams import draw_stream, flows_of

from striate.cluster import Cluster
from striate.collectives.choice import Choice
from striate.errors import StriateError
from striate.ladder import request
from striate.ladder.data_sieving import carried_out
from striate.ladder.predict import predict, proved_bounds
from striate.ladder.proofs import Proof
from striate.ladder.subject import Subject
from striate.plugins.loading import NO_PLUGINS

MOST_EVENTS_SECONDS = 20.0  # to play a case: longer ones are halved
OPERATIONS_PER_SECOND = 20_000  # that Python makes
BROKEN = ("below", "above", "crashed")  # outcomes that are defects begin so
CORPORA: dict[str, Callable[[int, int], Case]] = {
    "bundled": lambda seed, ranks: draw(seed, most_ranks=ranks),
    "drawn": lambda seed, ranks: draw_anything(seed, most_ranks=ranks),
    "streams": lambda seed, ranks: draw_stream(seed),
    "measured": lambda seed, ranks: with_ranges(
        (draw if seed % 2 else draw_anything)(seed, most_ranks=ranks), random.Random(f"{seed} measured")
    ),
    "plugins": lambda seed, ranks: with_plugin(
        draw(seed, most_ranks=ranks), random.Random(f"{seed} plugins")
    ),
}


@dataclass(frozen=True)
class Attack:
    """What became of one case."""

    outcome: str  # "holds", "below", "above", "no proof", or why it was not played
    case: Case  # as it was played
    fine: float = 0.0
    proved: Proof | None = None


def subject_of(case: Case, cluster: Cluster) -> Subject:
    """The case as the ladder sees it; raises where it cannot run."""
    if "stream" in case:
        return request.subject_of(flows_of(case["stream"]), cluster)
    workload = workload_of(case, len(cluster.servers))
    plugins = loaded(case["plugin"]) if "plugin" in case else NO_PLUGINS
    choice = Choice.of((*case["collectives"], *plugins.rules), plugins.collectives)
    return request.subject_of(carried_out(workload, cluster), cluster, choice=choice, plugins=plugins)


def proof_of(case: Case, subject: Subject) -> Proof | None:
    """What is proved of the case; wherever in its ranges the machine lies, where it has some."""
    if "measured" not in case:
        return subject.proved()
    cluster = ranged_of(case)
    return proved_bounds(workload_of(case, len(cluster.servers)), cluster, case["collectives"])


def light(case: Case, longest: float) -> tuple[Case, Subject]:
    """The case, halved until making its operations and playing them take no longer than `longest` seconds each."""
    while operations(case) > longest * OPERATIONS_PER_SECOND and (half := shorter(case)) is not None:
        case = half
    cluster = inside_of(case) if "measured" in case else machine_of(case)
    subject = subject_of(case, cluster)
    while subject.expected_seconds("fine") > longest and (half := lighter(case)) is not None:
        case, subject = half, subject_of(half, cluster)
    return case, subject


def refusal(error: StriateError) -> str:
    """Why a case was not played, without its numbers, so that the same reason is counted once."""
    return f"refused: {type(error).__name__}: {re.sub(r'[0-9][0-9.,]*', 'N', error.message)[:60]}"


def attack(case: Case, longest: float = MOST_EVENTS_SECONDS) -> Attack:
    """Play one case and hold it against what is proved of it."""
    try:
        case, subject = light(case, longest)
        played = subject.ask("fine").interval.estimate
        proved = proof_of(case, subject)
    except StriateError as error:
        return Attack(refusal(error), case)
    except Exception as error:  # a traceback is a break, too
        return Attack(f"crashed: {type(error).__name__}: {error!s:.60}", case)
    if proved is None:
        return Attack("no proof", case, played)
    broken = proved.broken_by(played)
    if not broken:
        return Attack("holds", case, played, proved)
    return Attack("below" if "beats" in broken else "above", case, played, proved)


def answered(case: Case, longest: float = MOST_EVENTS_SECONDS) -> Attack:
    """Ask the ladder about one case and hold what it answers with exit status 0 against the packet-level time."""
    rules = case["collectives"]
    try:
        case, subject = light(case, longest)
        cluster = machine_of(case)
        workload = workload_of(case, len(cluster.servers))
        budget = case["budget"] * subject.expected_seconds("fine")
        forecast = predict(workload, cluster, within=case["within"], budget=budget, collectives=rules)
        if not forecast.reached or forecast.rung == "fine":
            return Attack("not answered" if not forecast.reached else "by fine", case)
        played = predict(workload, cluster, rung="fine", collectives=rules, exact=True).seconds.estimate
    except StriateError as error:
        return Attack(refusal(error), case)
    bounds = forecast.bounds
    inside = bounds.low * (1 - 1e-9) <= played <= bounds.high * (1 + 1e-9)
    return Attack(f"{forecast.rung}: {'holds' if inside else 'misses'}", case, played)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cases", type=int, default=300)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--ranks", type=int, default=64, help="most ranks of a case")
    options.add_argument("--show", type=int, default=5, help="breaks to shrink and print")
    options.add_argument("--seconds", type=float, default=float("inf"))
    options.add_argument("--answers", action="store_true", help="attack the ladder's answers, not its proofs")
    options.add_argument(
        "--corpus", choices=sorted(CORPORA), default="bundled", help="what cases are drawn from"
    )
    options.add_argument("--state", type=Path, help="a file that keeps how far each seed has come")
    options.add_argument("--longest", type=float, default=MOST_EVENTS_SECONDS, help="seconds to play a case")
    given = options.parse_args()
    kind = "answers" if given.answers else "proofs" if given.corpus == "bundled" else given.corpus
    state = States(given.state, f"{kind} {given.seed} {given.ranks} {given.longest:g}")
    found, broken = state.found, state.broken
    began = time.monotonic()
    for number in range(sum(found.values()), given.cases):
        if time.monotonic() - began > given.seconds:
            break
        if number % 100 == 0:
            state.save()
        seed = given.seed * 1_000_000 + number
        case = (
            draw_phases(seed, most_ranks=given.ranks)
            if given.answers
            else CORPORA[given.corpus](seed, given.ranks)
        )
        trial = answered if given.answers else attack
        result = trial(case, given.longest)
        found[result.outcome] += 1
        state.halved += result.case != case
        if result.outcome.startswith(BROKEN) or result.outcome.endswith("misses"):
            broken.append(seed)
            if len(broken) <= given.show:
                _show(seed, result, trial)
    state.save()
    for outcome, count in found.most_common():
        print(f"{count:7,}  {outcome}")
    if given.answers:
        return _judge(found)
    print(f"{state.halved:7,}  of them halved to be played in {given.longest:g} s")
    print(f"{len(broken)} proved ends broken in {sum(found.values()):,} cases, seed {given.seed}")
    return 1 if broken else 0


class States:
    """How far each seed has come; kept in a file, where one is given."""

    def __init__(self, path: Path | None, key: str) -> None:
        self.path, self.key = path, key
        self._all = json.loads(path.read_text()) if path and path.exists() else {}
        mine = self._all.get(key, {"found": {}, "broken": [], "halved": 0})
        self.halved = int(mine["halved"])
        self.found, self.broken = Counter(mine["found"]), list[int](mine["broken"])

    def save(self) -> None:
        if self.path:
            self._all[self.key] = {"found": dict(self.found), "broken": self.broken, "halved": self.halved}
            self.path.write_text(json.dumps(self._all))


def _judge(found: Counter[str]) -> int:
    """Every rung that answers must hold the packet-level time in 97 of 100 answers."""
    rungs = sorted({outcome.split(":")[0] for outcome in found if outcome.endswith(("holds", "misses"))})
    poor = 0
    for rung in rungs:
        held, missed = found[f"{rung}: holds"], found[f"{rung}: misses"]
        poor += held < 0.97 * (held + missed)
        print(f"{rung}: {held:,} of {held + missed:,} answers hold the packet-level time")
    return 1 if poor else 0


def _show(seed: int, broken: Attack, trial: Callable[[Case], Attack]) -> None:
    small = shrunk(broken.case, lambda one: trial(one).outcome == broken.outcome)
    result = trial(small)
    print(f"seed {seed}: {result.outcome}: fine {result.fine:.6g} s, proved {result.proved}", flush=True)
    print(json.dumps(small), flush=True)


if __name__ == "__main__":
    sys.exit(main())
