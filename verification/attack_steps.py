"""Steps and machine settings that joined the attack last: one-sided calls, neighbours, lists of runs, shared CPUs.

They are drawn apart from the rest of a case, so that older seeds keep what they had.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from striate.workload import operations as op

Case = dict[str, Any]

SIZES = (1, 64, 4096, 65_537, 400_000, 3_000_001)
EPOCHS = ("fence", "lock", "shared", "post")
SHARED_CPUS: dict[str, tuple[object, ...]] = {  # what more processes than CPUs cost
    "waiting_double": (0.3, 1.0),
    "waiting_fourfold": (0.5, 1.0),
    "lag_double": (0.2,),
    "turn": ("5 us", "1 ms"),
    "time_slice": ("3 ms",),
    "background": (0.5, 2.0),
}
KINDS = ("one-sided", "neighbours", "list", "group")


def with_latest_parts(case: Case, dice: random.Random) -> Case:
    """Some cases with steps of KINDS, some on machines whose CPUs ranks share with others."""
    if dice.random() < 0.6:
        return case
    program = list(case["program"])
    for _ in range(dice.choice((1, 1, 2))):
        program.insert(dice.randrange(len(program) + 1), draw_step(dice))
    machine = case["machine"]
    if dice.random() < 0.3:
        chosen = {name: dice.choice(values) for name, values in SHARED_CPUS.items() if dice.random() < 0.4}
        machine = machine | {"settings": machine.get("settings", {}) | chosen}
    return case | {"program": program, "machine": machine}


def draw_step(dice: random.Random) -> Case:
    """A step of one of KINDS."""
    kind = dice.choice(KINDS)
    step: Case = {"kind": kind, "size": dice.choice(SIZES), "times": dice.choice((1, 1, 2, 5, 20))}
    if kind == "one-sided":
        step["call"] = dice.choice(("put", "get", "accumulate"))
        step["epoch"] = dice.choice(EPOCHS)
        step["to"] = dice.choice(("next", "next", "first"))
    elif kind == "neighbours":
        step["reach"] = dice.choice((1, 1, 3))
    elif kind == "list":
        step["call"] = dice.choice(("write", "read", "write_all", "read_all"))
        step["runs"] = dice.choice((2, 5, 30))
        step["async"] = step["call"] in ("write", "read") and dice.random() < 0.2
    else:
        step["call"] = dice.choice(("barrier", "bcast", "allreduce", "allgather", "alltoall"))
    return step


def groups_of(ranks: int) -> dict[str, list[int]]:
    """The communicator of the steps of kind "group": even and odd ranks."""
    return {"half": [rank % 2 for rank in range(ranks)]}


def operations(step: Case, rank: int, ranks: int) -> Iterator[Any]:
    """What one rank does in a step of KINDS."""
    make = {"one-sided": _one_sided, "neighbours": _neighbours, "list": _list, "group": _group}
    begun = []
    for turn in range(step["times"]):
        for one in make[step["kind"]](step, turn, rank, ranks):
            yield one
            if step.get("async"):
                begun.append(one)
    if begun:
        yield op.waitall(begun)


def _one_sided(step: Case, _: int, rank: int, ranks: int) -> Iterator[Any]:
    peer = (rank + 1) % ranks if step["to"] == "next" or step["epoch"] == "post" else 0
    before = (rank - 1) % ranks
    takes_part = peer != rank
    access = getattr(op, step["call"])
    if step["epoch"] == "fence":
        if takes_part:
            yield access(peer, step["size"])
        yield op.win_fence()
    elif not takes_part:
        return
    elif step["epoch"] == "post":
        yield op.win_post([before])
        yield op.win_start([peer])
        yield access(peer, step["size"])
        yield op.win_complete([peer])
        yield op.win_wait([before])
    else:
        yield op.win_lock(peer, exclusive=step["epoch"] == "lock")
        yield access(peer, step["size"])
        yield op.win_unlock(peer)


def _neighbours(step: Case, _: int, rank: int, ranks: int) -> Iterator[Any]:
    near = {(rank + hop) % ranks for hop in range(-step["reach"], step["reach"] + 1)} - {rank}
    if near:
        yield op.neighbor_alltoall(step["size"], sorted(near))


def _list(step: Case, turn: int, rank: int, ranks: int) -> Iterator[Any]:
    """Runs of different lengths with gaps of different lengths."""
    sizes = [1 + (step["size"] * (1 + (number * 7 + rank) % 5)) // 5 for number in range(step["runs"])]
    span = 2 * step["size"] + 8
    offsets = [number * span + number % 3 for number in range(step["runs"])]
    start = (turn * ranks + rank) * span * step["runs"]
    blocking = not step["async"]
    yield getattr(op, step["call"])("listed", offset=start, extents=(offsets, sizes), blocking=blocking)


def _group(step: Case, _: int, rank: int, ranks: int) -> Iterator[Any]:
    call = getattr(op, step["call"])
    yield call(comm="half") if step["call"] == "barrier" else call(step["size"], comm="half")
