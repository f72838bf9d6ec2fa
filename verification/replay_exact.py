"""Simulated runs traced and replayed on their own machines: equal to the picosecond, or the seed is printed.

    python verification/replay_exact.py [CASES] [FIRST_SEED]

Draws machines and programs as verification/attack.py does; cases that no machine or rung takes are left out.
"""

from __future__ import annotations

import sys

import attack_cases
import attack_corpus

from striate.errors import StriateError
from striate.ladder import predict


def same(seed: int) -> bool | None:
    """Whether the replay takes the time of the simulation; None where the case cannot be simulated."""
    case = attack_corpus.draw(seed, most_ranks=12)
    try:
        machine = attack_cases.machine_of(case)
        workload = attack_cases.workload_of(case, len(machine.servers))
        simulated = predict(workload, machine, timeline=True, rung="fine", exact=True)
    except StriateError:
        return None
    if not len(simulated.timeline):
        return None
    again = predict(simulated.timeline, machine, rung="fine", exact=True)
    return again.seconds.estimate == simulated.seconds.estimate


def main() -> int:
    count, first = (int(text) for text in [*sys.argv[1:3], *("200", "0")[len(sys.argv) - 1 :]])
    found = {seed: same(seed) for seed in range(first, first + count)}
    wrong = [seed for seed, equal in found.items() if equal is False]
    played = sum(equal is not None for equal in found.values())
    print(f"{played} of {count} cases played, {len(wrong)} replays differ {wrong[:20]}")
    return 3 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
