"""Random programs on random machines, drawn from everything that the input formats can say, as plain data.

A case is a dictionary of numbers and words, so that it can be printed, kept as a test and shrunk
(`attack_shrinking.py`); `attack_cases.py` makes a cluster and a workload of it.
"""

from __future__ import annotations

import random
from typing import Any

import attack_calls
import attack_machines
import attack_steps

from striate.cluster.load import bundled

Case = dict[str, Any]

SIZES = (1, 7, 64, 1000, 4096, 65_536, 65_537, 100_001, 262_144, 400_000, 1_048_576, 3_000_001, 8_388_608)
COLLECTIVES = (
    *("barrier", "bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall", "scan"),
    "reduce_scatter",
)
POLICIES = ("none", "write-behind", "aggregation", "aggregation-reorder", "server-directed")
LAYOUTS = (None, None, "basic", "simple:1:64KiB", "simple:2:65537", "varstrip:{servers}")
COLLECTIVE_IO = (None, None, "two-phase", "two-phase:nodes:1MiB", "pipelined:2:256KiB", "two-phase:3")
DISKS: tuple[dict[str, Any], ...] = (
    {"kind": "simple", "rate": "100 MB/s", "access": "200 us"},
    {"kind": "simple", "rate": "4 GB/s"},
    {"kind": "simple", "rate": "40 MB/s", "access": "100 ms"},
    {
        "kind": "hard",
        "rate": "100 MB/s",
        "average_seek": "8 ms",
        "track_seek": "1 ms",
        "revolutions_per_minute": 7200,
        "near": "1 MB",
    },
    {
        "kind": "flash",
        "read_rate": "3 GB/s",
        "write_rate": "1500 MB/s",
        "read_latency": "80 us",
        "write_latency": "25 us",
        "channels": 16,
    },
    {
        "kind": "flash",
        "read_rate": "1 GB/s",
        "write_rate": "1 GB/s",
        "read_latency": "0 s",
        "write_latency": "0 s",
    },
)


THROTTLED = {"kind": "simple", "rate": "40 MB/s", "access": "0 s", "slice": "100 ms", "peak": "180 MB/s"}
CACHED = ("write-behind", "aggregation", "aggregation-reorder")  # they keep written data


def draw(seed: int, *, most_ranks: int = 64, latest: bool = True) -> Case:
    """The case of one seed; without `latest`, as it was before steps and settings of attack_steps.py joined."""
    dice = random.Random(seed)
    machine = with_later_parts(_machine(dice), random.Random(-1 - seed))
    ranks = min(dice.choice((1, 1, 2, 3, 4, 7, 8, 16, 33, 64, 256)), most_ranks)
    phases = dice.choice((1, 1, 2, 2, 3, 5))
    program = [_step(dice, ranks) for _ in range(phases) for _ in range(dice.choice((1, 1, 2, 3)))]
    case = {
        "machine": machine,
        "ranks": ranks,
        "program": program,
        "layout": dice.choice(LAYOUTS),
        "collective_io": dice.choice(COLLECTIVE_IO),
        "collectives": _rules(dice),
    }
    return attack_steps.with_latest_parts(case, random.Random(f"{seed} latest")) if latest else case


def draw_anything(seed: int, *, most_ranks: int = 64) -> Case:
    """A case on a machine that is none of the bundled ones, with steps of every kind; sometimes of two applications."""
    dice = random.Random(f"{seed} anything")
    ranks = min(dice.choice((1, 2, 3, 4, 7, 8, 16, 33, 64)), most_ranks)
    case: Case = {
        "machine": {"tables": attack_machines.draw_tables(dice)},
        "ranks": ranks,
        "program": [_any_step(dice, ranks) for _ in range(dice.choice((1, 1, 2, 3, 5)))],
        "layout": dice.choice(LAYOUTS),
        "collective_io": dice.choice((None, *COLLECTIVE_IO)),
        "collectives": _rules(dice),
    }
    if dice.random() < 0.1:
        beside = min(dice.choice((1, 2, 5)), ranks)
        case["beside"] = {"ranks": beside, "program": [_any_step(dice, beside) for _ in range(2)]}
    return case


def _any_step(dice: random.Random, ranks: int) -> Case:
    chance = dice.random()
    if chance < 0.55:
        return _step(dice, ranks)
    return attack_steps.draw_step(dice) if chance < 0.75 else attack_calls.draw_step(dice)


def _rules(dice: random.Random) -> list[str]:
    from striate.collectives.registry import names_of

    if dice.random() < 0.7:
        return []
    kind = dice.choice(COLLECTIVES)
    return [f"{kind}={dice.choice([*names_of(kind), 'virtual'])}"]


def _machine(dice: random.Random) -> Case:
    """A bundled machine as it is, or with some of its parts replaced."""
    found: Case = {"base": dice.choice(sorted(bundled()))}
    if dice.random() < 0.35:
        return found
    if dice.random() < 0.6:
        found["cache"] = {"policy": dice.choice(POLICIES)}
        if dice.random() < 0.4:
            found["cache"]["memory"] = dice.choice(("100 KiB", "1 MiB", "64 MiB"))
        if dice.random() < 0.4:
            found["cache"] |= {"keeps_reads": True, "read_ahead": dice.choice(("0 B", "128 KiB", "1 MiB"))}
        if dice.random() < 0.3:
            found["cache"]["concurrent_operations"] = dice.choice((1, 2, 8))
    if dice.random() < 0.5:
        found["disk"] = dice.choice(DISKS)
        found["disks"] = dice.choice((1, 1, 2, 3, 5))
        if found["disks"] >= 3 and dice.random() < 0.5:
            found["raid"] = 5
    if dice.random() < 0.2:
        found["burst"] = {
            "capacity": dice.choice(("300 KB", "1 MB", "100 MB")),
            "disk": DISKS[dice.choice((1, 4, 5))],
        }
    if dice.random() < 0.15:
        found["metadata"] = {"create": "200 us", "open": "50 us", "close": "10 us", "stat": "20 us"}
    if dice.random() < 0.15:
        found["forwarders"] = dice.choice((1, 2))
    settings = {
        "packet": ("1 KiB", "32 KiB", "100 KiB", "1 MiB"),
        "eager": ("0 B", "4 KiB", "1 MiB"),
        "io_request": ("4 KiB", "1 MiB", "7 MB"),
        "stripe_unit": ("4096 B", "65537 B", "1 MiB"),
        "routing": ("shortest", "round-robin"),
        "io_cpu": ("0 s", "20 us"),
        "flush_on_close": (False, True),
        "free_near": (False, True),
        "protocol": ("interface", "processor"),
        "collective": ("direct", "two-phase", "pipelined"),
        "io_overlap": (True, False),
    }
    chosen = {name: dice.choice(values) for name, values in settings.items() if dice.random() < 0.15}
    if chosen:
        found["settings"] = chosen
    return found


def with_later_parts(machine: Case, dice: random.Random) -> Case:
    """Some machines with what real clusters have asked for; drawn apart, so that older seeds keep the rest."""
    if dice.random() < 0.7:
        return machine
    settings = {
        "write_window": ("64 KiB", "1 MiB"),
        "read_window": ("64 KiB", "512 KiB"),
        "sync_alone": (True,),
        "lock_move": ("100 us", "5 ms"),
        "size_update": ("100 us", "2 ms"),
        "inode_lock": (True,),
        "open_by": ("all",),
        "distribution": ("hash",),
        "file_domains": ("cyclic",),
    }
    chosen = {name: dice.choice(values) for name, values in settings.items() if dice.random() < 0.25}
    machine["settings"] = machine.get("settings", {}) | chosen
    if dice.random() < 0.4:
        machine["cache"] = {"policy": "aggregation-reorder"} | machine.get("cache", {})
        if machine["cache"]["policy"] in CACHED:
            machine["cache"] |= {
                "dirty": dice.choice(("1 MiB", "1 GiB")),
                "sync": dice.choice(("0 s", "2 ms")),
            }
    if dice.random() < 0.4:
        machine["disk"], machine["disks"] = dict(THROTTLED), 1
        machine.pop("raid", None)
    return machine


def _step(dice: random.Random, ranks: int) -> Case:
    kind = dice.choice(
        ("compute", "write", "read", "write_all", "read_all", "sync", "open", "collective", "ring", "pair")
    )
    step: Case = {"kind": kind, "size": dice.choice(SIZES), "times": dice.choice((1, 1, 1, 2, 5, 20))}
    if kind == "compute":
        step["seconds"] = dice.choice((1e-6, 1e-4, 1e-2, 0.3))
        step["skew"] = dice.choice((0.0, 0.0, 1.0))
    elif kind in ("write", "read", "write_all", "read_all"):
        step["file"] = dice.choice(("own", "shared"))
        step["count"] = dice.choice((1, 1, 1, 3, 40))
        step["gap"] = dice.choice((0, 0, 1, 100_000))
        step["async"] = kind in ("write", "read") and dice.random() < 0.15
        step["again"] = dice.random() < 0.3  # every pass at the same place
        step["who"] = dice.choice(("all", "all", "first")) if kind in ("write", "read") else "all"
    elif kind == "collective":
        step["call"] = dice.choice(COLLECTIVES)
        step["size"] = dice.choice((0, *SIZES))
        step["root"] = dice.randrange(ranks)
    return step
