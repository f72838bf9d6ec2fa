"""Random programs of several phases, which write, sync, meet and read back, on all bundled machines and their kin.

Phases end where all ranks wait for all, which is where the ladder cuts a program to answer phase by phase.
"""

from __future__ import annotations

import random
from typing import Any

from attack_corpus import DISKS, POLICIES, SIZES, with_later_parts

from striate.cluster.load import bundled

Case = dict[str, Any]

MEETINGS = ("barrier", "allreduce", "allgather", "alltoall")
PARTS = ("as it is", "as it is", "cache", "disk", "raid", "burst", "forwarders", "metadata", "later")


def draw_phases(seed: int, *, most_ranks: int = 64) -> Case:
    """The case of one seed."""
    dice = random.Random(f"{seed} phases")
    ranks = min(dice.choice((1, 2, 4, 7, 8, 16, 33, 64)), most_ranks)
    program: list[Case] = []
    for _ in range(dice.choice((2, 2, 3, 4, 6))):
        program += [_access(dice, program) for _ in range(dice.choice((1, 1, 2)))]
        if dice.random() < 0.3:
            program.append({"kind": "sync", "size": 1, "times": 1})
        if dice.random() < 0.3:
            program.append(_compute(dice))
        meeting = dice.choice(MEETINGS)
        size = dice.choice((8, 4096, 400_000))
        program.append({"kind": "collective", "call": meeting, "size": size, "times": 1, "root": 0})
    return {
        "machine": _machine(dice, seed),
        "ranks": ranks,
        "program": program,
        "layout": dice.choice((None, None, "simple:1:64KiB", "basic")),
        "collective_io": dice.choice((None, None, "two-phase")),
        "collectives": [],
    }


def _access(dice: random.Random, before: list[Case]) -> Case:
    """An access; one in three is to the place of an earlier one."""
    kind = dice.choice(("write", "write", "read", "write_all", "read_all"))
    written = [step for step in before if step["kind"] in ("write", "write_all")]
    if written and dice.random() < 0.35:
        earlier = dice.choice(written)
        return earlier | {"kind": dice.choice(("read", "read_all")), "async": False, "who": "all"}
    return {
        "kind": kind,
        "size": dice.choice(SIZES),
        "times": dice.choice((1, 1, 2, 5, 20)),
        "file": dice.choice(("own", "shared")),
        "count": dice.choice((1, 1, 3, 40)),
        "gap": dice.choice((0, 0, 1, 100_000)),
        "async": kind in ("write", "read") and dice.random() < 0.1,
        "again": dice.random() < 0.2,
        "who": "first" if kind in ("write", "read") and dice.random() < 0.1 else "all",
    }


def _compute(dice: random.Random) -> Case:
    seconds = dice.choice((1e-5, 1e-3, 0.3))
    return {"kind": "compute", "size": 1, "times": 1, "seconds": seconds, "skew": dice.choice((0.0, 1.0))}


def _machine(dice: random.Random, seed: int) -> Case:
    found: Case = {"base": dice.choice(sorted(bundled()))}
    part = dice.choice(PARTS)
    if part == "cache":
        found["cache"] = {"policy": dice.choice(POLICIES)}
        found["cache"] |= {"memory": dice.choice(("1 MiB", "64 MiB"))} if dice.random() < 0.5 else {}
    elif part in ("disk", "raid"):
        found["disk"], found["disks"] = dice.choice(DISKS), dice.choice((3, 5))
        found |= {"raid": 5} if part == "raid" else {}
    elif part == "burst":
        found["burst"] = {"capacity": dice.choice(("300 KB", "1 MB", "100 MB")), "disk": DISKS[4]}
    elif part == "forwarders":
        found["forwarders"] = 1 if found["base"] == "laptop" else dice.choice((1, 2))
    elif part == "metadata":
        found["metadata"] = {"create": "200 us", "open": "50 us", "close": "10 us", "stat": "20 us"}
    elif part == "later":
        return with_later_parts(found, random.Random(f"{seed} parts"))
    return found
