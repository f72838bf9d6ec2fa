"""Plays every published scenario of PIOsimHD on the packet engine and compares the times.

Point-to-point cases must agree within 0.1 %, 95 of 100 collective and congestion cases within 1 %, 90 of 100 I/O cases
within 2 %. Each miss is told with its reason.

All cases run on the engine of the fine rung, through `run_application`, on machines described by the tables of a
cluster file, in whole nanoseconds and with the original's ties: events of equal time in the order of a plain heap.
"""

from __future__ import annotations

import json
from pathlib import Path

from reference.piosimhd_engine import cases, play
from reference.piosimhd_exceptions import reason
from striate.errors import StriateError

CLOSE = ("pingpong", "sendrecv", "granularity", "nic", "compute")
LIMITS = {"point to point": (0.001, 1.0), "collectives": (0.01, 0.95), "I/O": (0.02, 0.90)}


def class_of(case) -> str:
    if case["group"] in CLOSE or case.get("id", "").startswith("ring"):
        return "point to point"
    return "I/O" if case["group"] == "io" else "collectives"


def check(path: Path) -> int:
    document = json.loads(path.read_text())
    model = document["model_westmere"]
    found: dict[str, list[float]] = {name: [] for name in LIMITS}
    for case in cases(document):
        expected = case["virtual_time_ns"]
        try:
            got = play(case, model).end // 1000
        except (StriateError, KeyError) as error:
            print(f"{case['id']}: expected {expected}, refused: {error}")
            found[class_of(case)].append(float("inf"))
            continue
        difference = (got - expected) / expected
        found[class_of(case)].append(abs(difference))
        why = f" ({reason(case['id'])})" if abs(difference) > LIMITS[class_of(case)][0] else ""
        print(f"{case['id']}: expected {expected}, got {got}, {difference:+.4%}{why}")
    return summarise(found)


def summarise(found: dict[str, list[float]]) -> int:
    missed = 0
    for name, (limit, share) in LIMITS.items():
        differences = sorted(found[name])
        if not differences:
            continue
        within = sum(value <= limit for value in differences)
        median = differences[len(differences) // 2]
        met = within >= share * len(differences)
        missed += not met
        words = f"{within} of {len(differences)} within {limit:.1%} (at least {share:.0%})"
        print(f"{name}: {words}, median {median:.4%}, {'met' if met else 'NOT met'}")
    return 1 if missed else 0
