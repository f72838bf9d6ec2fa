"""Features that are seldom used together, attacked together: random programs on machines that have both.

    python verification/combinations.py [--cases 300] [--seed 1] [NAME ...]

For each combination: how many random cases were played, and those that break what is promised. Fast-forward gives what
the plain engine gives; a plug-in that does what a built-in part does takes the same time; `flow` states a range that
holds the packet-level time in 97 of 100. Exit status 1 when one is broken.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import flow
from attack import light
from attack_corpus import Case, draw
from attack_shrinking import shrunk
from fast_forward_files import difference

from striate.engine.packets import run_packets
from striate.errors import StriateError
from striate.ladder.program_subject import ProgramSubject
from striate.plugins import load
from striate.rungs.program_input import input_of

TEMPLATES = Path(__file__).resolve().parents[1] / "src" / "striate" / "plugins" / "templates"
LONGEST = 0.2  # seconds to play a case
LEAST_HELD = 0.97
Settings = dict[str, tuple[object, ...]]
LOCKS: Settings = {"lock_move": ("100 us", "5 ms")}
WINDOWS: Settings = {"write_window": ("64 KiB", "1 MiB"), "read_window": ("64 KiB", "512 KiB")}
CROWD: Settings = {
    "waiting_double": (0.3, 1.0),
    "turn": ("5 us", "1 ms"),
    "time_slice": ("3 ms",),
    "background": (0.5, 2.0),
}


def with_settings(case: Case, wanted: Settings, dice: random.Random) -> Case:
    """The case on a machine that has some value of each of these settings."""
    chosen = {name: dice.choice(values) for name, values in wanted.items()}
    machine = case["machine"] | {"settings": case["machine"].get("settings", {}) | chosen}
    return case | {"machine": machine}


def with_one_sided(case: Case, dice: random.Random) -> Case:
    """The case with accesses to other ranks' memory before and behind it."""
    steps = [
        {
            "kind": "one-sided",
            "size": dice.choice((1, 4096, 400_000)),
            "times": dice.choice((1, 3, 20)),
            "call": dice.choice(("put", "get", "accumulate")),
            "epoch": dice.choice(("fence", "lock", "shared", "post")),
            "to": dice.choice(("next", "first")),
        }
        for _ in range(2)
    ]
    return case | {"program": [steps[0], *case["program"], steps[1]], "ranks": max(case["ranks"], 16)}


def with_cache(case: Case, **wanted: object) -> Case:
    """The case with servers of this cache, written data kept by no rule that the policy does not know."""
    cache = {
        key: value for key, value in case["machine"].get("cache", {}).items() if key not in ("dirty", "sync")
    }
    return case | {"machine": case["machine"] | {"cache": cache | wanted}}


# ---- what is promised


def exact(case: Case) -> str:
    """How the run with fast-forward and short cuts differs from the plain one."""
    _, subject = light(case, LONGEST)
    given = subject.engine_input
    return difference(run_packets(given, warp=False), run_packets(given))


def twin(case: Case) -> str:
    """How first come, first served as a plug-in differs from the built-in policy that is the same."""
    case, builtin = light(with_cache(case, policy="write-behind"), LONGEST)
    _, other = light(with_cache(case, policy="server-directed"), LONGEST)
    own = ProgramSubject(
        other.workload,
        replace(other.cluster, plugins=load([str(TEMPLATES / "scheduler.py")])),
        choice=other.choice,
    )
    first, second = (
        run_packets(input_of(one.workload, one.cluster, one.choice), warp=False) for one in (builtin, own)
    )
    return "" if first.rank_end.tolist() == second.rank_end.tolist() else f"{first.end} and {second.end} ps"


def stated(case: Case) -> str:
    """How far the packet-level time lies outside the range that `flow` states."""
    _, subject = light(case, LONGEST)
    found = flow.study(flow.Case("combined", "", subject.workload, subject.cluster))
    return "" if found is None or found.held else f"{found.error:+.0%} of {found.fine:.4g} s"


@dataclass(frozen=True)
class Combination:
    make: Callable[[Case, random.Random], Case]
    broken: Callable[[Case], str]
    least_held: float = 1.0


def _both(*makes: Callable[[Case, random.Random], Case]) -> Callable[[Case, random.Random], Case]:
    def made(case: Case, dice: random.Random) -> Case:
        for make in makes:
            case = make(case, dice)
        return case

    return made


def _set(wanted: Settings) -> Callable[[Case, random.Random], Case]:
    return lambda case, dice: with_settings(case, wanted, dice)


COMBINATIONS: dict[str, Combination] = {
    "plug-ins with extent locks": Combination(_set(LOCKS), twin),
    "plug-ins with client windows": Combination(_set(WINDOWS), twin),
    "plug-ins with shared CPUs": Combination(_set(CROWD), twin),
    "one-sided calls with shared CPUs": Combination(_both(with_one_sided, _set(CROWD)), exact),
    "extent locks with client windows": Combination(_set(LOCKS | WINDOWS), exact),
    "extent locks with shared CPUs": Combination(_set(LOCKS | CROWD), exact),
    "no cache with client windows": Combination(
        _both(_set(WINDOWS), lambda case, _: with_cache(case, policy="none")), exact
    ),
    "flow with client windows": Combination(_set(WINDOWS), stated, LEAST_HELD),
    "flow with one-sided calls": Combination(with_one_sided, stated, LEAST_HELD),
    "flow with shared CPUs": Combination(_set(CROWD), stated, LEAST_HELD),
}


def attacked(name: str, cases: int, seed: int) -> bool:
    """Play, print, and say whether the promise is kept."""
    one = COMBINATIONS[name]
    played, broken, refused = 0, [], 0
    for number in range(cases):
        case_seed = seed * 1_000_000 + number
        case = one.make(draw(case_seed, most_ranks=16), random.Random(f"{name} {case_seed}"))
        try:
            words = one.broken(case)
        except StriateError:
            refused += 1
            continue
        played += 1
        if words:
            broken.append((case_seed, case, words))
    kept = len(broken) <= (1 - one.least_held) * played
    print(
        f"{name:34} {played:5,} played, {refused:4,} refused, {len(broken):4,} broken{'' if kept else '  BROKEN'}"
    )
    for case_seed, case, words in broken[: 0 if kept else 2]:
        small = shrunk(case, lambda tried: _breaks(one, tried))
        print(f"  seed {case_seed}: {words}\n  {small}", flush=True)
    return kept


def _breaks(one: Combination, case: Any) -> bool:
    try:
        return bool(one.broken(case))
    except StriateError:
        return False


def main() -> int:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("names", nargs="*", help="words of names of combinations")
    options.add_argument("--cases", type=int, default=300)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    names = [name for name in COMBINATIONS if not given.names or any(word in name for word in given.names)]
    kept = [attacked(name, given.cases, given.seed) for name in names]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
