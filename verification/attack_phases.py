"""Random programs of several phases, which write, sync, meet and read back, on all bundled machines and their kin.

Phases end where all ranks wait for all, which is where the ladder cuts a program to answer phase by phase; not between
two that touch files. So programs come in three shapes: files in all phases, files in the middle of phases that
communicate, and phases in which nobody waits for all, which sums per resource describe.
"""

from __future__ import annotations

import random
from typing import Any

from attack_corpus import DISKS, POLICIES, SIZES, with_later_parts

from striate.cluster.load import bundled

Case = dict[str, Any]

WITHIN = ("20%", "100%", "300%")  # asked of the ladder
MEETINGS = ("barrier", "allreduce", "allgather", "alltoall")
PARTS = ("as it is", "as it is", "cache", "disk", "raid", "burst", "forwarders", "metadata", "later")


def draw_phases(seed: int, *, most_ranks: int = 64) -> Case:
    """The case of one seed; the shapes take turns."""
    dice = random.Random(f"{seed} phases")
    ranks = min(dice.choice((1, 2, 4, 7, 8, 16, 33, 64)), most_ranks)
    shape = SHAPES[seed % len(SHAPES)]
    program = shape(dice)
    machine = _machine(dice, seed)
    if shape is _files_without_meetings and dice.random() < 0.6:  # where disks seek, sums are not asked
        machine |= {"disk": DISKS[dice.choice((1, 5))], "disks": 1}
        machine.pop("raid", None)
    return {
        "machine": machine,
        "ranks": ranks,
        "program": program,
        "layout": dice.choice((None, None, "simple:1:64KiB", "basic")),
        "collective_io": dice.choice((None, None, "two-phase")),
        "collectives": [],
        "within": dice.choice(WITHIN),
        "budget": dice.choice(BUDGETS[shape]),
    }


def _files_throughout(dice: random.Random) -> list[Case]:
    program: list[Case] = []
    for _ in range(dice.choice((2, 2, 3, 4, 6))):
        program += [_access(dice, program) for _ in range(dice.choice((1, 1, 2)))]
        if dice.random() < 0.3:
            program.append({"kind": "sync", "size": 1, "times": 1})
        if dice.random() < 0.3:
            program.append(_compute(dice))
        program.append(_meeting(dice))
    return program


def _files_in_the_middle(dice: random.Random) -> list[Case]:
    """Phases of messages and computing, some that write and read back, and phases of messages again."""
    before, after = ([_communicating(dice) for _ in range(dice.choice((0, 1, 2, 3)))] for _ in range(2))
    program: list[Case] = []
    for _ in range(dice.choice((1, 1, 2))):
        program += [_access(dice, program) for _ in range(dice.choice((1, 2)))]
        if dice.random() < 0.3:
            program.append({"kind": "sync", "size": 1, "times": 1})
        program.append(_meeting(dice))
    return (
        [step for phase in before for step in phase] + program + [step for phase in after for step in phase]
    )


def _communicating(dice: random.Random) -> list[Case]:
    calls = ("bcast", "reduce", "allreduce", "alltoall", "gather", "scatter")
    kind = dice.choice(("ring", "pair", "collective", "compute"))
    times = dice.choice((1, 2, 5, 20))
    if kind == "compute":
        work = _compute(dice)
    elif kind == "collective":
        work = {"kind": kind, "call": dice.choice(calls), "size": dice.choice(SIZES[:-2]), "root": 0}
    else:
        work = {"kind": kind, "size": dice.choice(SIZES[:-2])}
    return [work | {"times": times}, _meeting(dice)]


def _files_without_meetings(dice: random.Random) -> list[Case]:
    """Writes, computing and reads back in which no rank waits for all others; in some, computing is most of it."""
    program: list[Case] = []
    most = dice.choice((1, 1, 10, 100))
    for _ in range(dice.choice((2, 2, 3, 5))):
        step = _access(dice, program)
        program.append(step | {"kind": step["kind"].removesuffix("_all")})
        if dice.random() < 0.6:
            work = _compute(dice)
            program.append(work | {"seconds": most * work["seconds"]})
    if dice.random() < 0.2:
        program.append({"kind": dice.choice(("ring", "pair")), "size": dice.choice(SIZES[:-2]), "times": 1})
    return program


def _meeting(dice: random.Random) -> Case:
    size = dice.choice((8, 4096, 400_000))
    return {"kind": "collective", "call": dice.choice(MEETINGS), "size": size, "times": 1, "root": 0}


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


SHAPES = (
    _files_throughout,
    *(_files_in_the_middle, _files_without_meetings) * 2,
)
BUDGETS = {  # of the ladder, as shares of what playing all packets takes: where it fits, `fine` answers
    _files_throughout: (100.0, 0.9, 0.5, 0.01),
    _files_in_the_middle: (0.9, 0.7, 0.5, 0.01),
    _files_without_meetings: (100.0, 0.5, 0.01, 0.01),
}
