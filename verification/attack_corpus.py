"""Random programs on random machines, drawn from everything that the input formats can say, as plain data.

A case is a dictionary of numbers and words, so that it can be printed, kept as a test and shrunk.
"""

from __future__ import annotations

import math
import random
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

import attack_calls
import attack_machines
import attack_steps
from attack_streams import smaller_stream

from striate.cluster import Cluster
from striate.cluster.load import bundled, cluster_from_tables
from striate.workload import Workload
from striate.workload import operations as op

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


# ---- from data to objects


def machine_of(case: Case) -> Cluster:
    """The cluster that a case describes; raises ClusterError where its parts do not go together."""
    wanted = case["machine"]
    if "tables" in wanted:
        return cluster_from_tables(wanted["tables"])
    tables = tomllib.loads(_text_of(wanted["base"]))
    tables["settings"] = tables.get("settings", {}) | wanted.get("settings", {})
    for server in tables.get("server", []):
        if "cache" in wanted:
            server["cache"] = {**server.get("cache", {}), **wanted["cache"]}
        if "disk" in wanted:
            server["disk"], server["disks"] = wanted["disk"], wanted["disks"]
            server["raid"] = wanted.get("raid", 0)
        if "burst" in wanted:
            server["burst"] = wanted["burst"]
    if "metadata" in wanted:
        tables["metadata"] = [{"name": "mds", "count": 1, "on": "nodes", **wanted["metadata"]}]
    if "forwarders" in wanted:
        tables["forwarder"] = [{"name": "ion", "count": wanted["forwarders"], "on": "nodes"}]
    return cluster_from_tables(tables)


@cache
def _text_of(machine: str) -> str:
    return (resources.files("striate.cluster") / "data" / f"{machine}.toml").read_text()


def workload_of(case: Case, servers: int) -> Workload:
    alone = _application(case, servers)
    return (
        Workload.together(alone, _application(case | case["beside"], servers)) if "beside" in case else alone
    )


def _application(case: Case, servers: int) -> Workload:
    ranks = case["ranks"]

    def program(rank: int, _: int) -> Iterator[Any]:
        for number, step in enumerate(case["program"]):
            yield from _operations(step, number, rank, ranks)

    in_groups = any(step["kind"] == "group" for step in case["program"])
    groups = attack_steps.groups_of(ranks) if in_groups else {}
    workload = Workload.from_program(program, ranks, name="case", communicators=groups)
    files = {file.name for file in workload.applications[0].files}
    if case.get("layout") and files:
        text = case["layout"].replace("{servers}", _strips(servers))
        if not text.startswith("simple") or int(text.split(":")[1]) <= servers:
            workload = workload.with_layouts(dict.fromkeys(files, text))
    if case.get("collective_io") and files:
        workload = workload.with_collective(dict.fromkeys(files, case["collective_io"]))
    return workload


def _strips(servers: int) -> str:
    return ";".join(f"{server}:{4096 * (server + 1)}" for server in range(min(servers, 3)))


def _operations(step: Case, number: int, rank: int, ranks: int) -> Iterator[Any]:
    kind, size, times = step["kind"], step["size"], step["times"]
    if kind in attack_steps.KINDS:
        yield from attack_steps.operations(step, rank, ranks)
        return
    if kind in attack_calls.KINDS:
        yield from attack_calls.operations(step, number, rank, ranks)
        return
    pending = []
    for turn in range(times):
        if kind == "compute":
            yield op.compute(step["seconds"] * (1 + step["skew"] * rank / ranks))
        elif kind in ("write", "read", "write_all", "read_all"):
            if step["who"] == "first" and rank:
                continue
            for one in _accesses(step, turn, rank, ranks):
                yield one
                if step["async"]:
                    pending.append(one)
        elif kind == "sync":
            yield op.sync_file("shared")
        elif kind == "open":
            yield op.open_file("shared", create=turn == 0)
            yield op.stat_file("shared")
            yield op.close_file("shared")
        elif kind == "collective":
            yield _collective(step)
        elif kind == "ring" and ranks > 1:
            yield op.sendrecv((rank + 1) % ranks, size, source=(rank - 1) % ranks, tag=number)
        elif kind == "pair" and ranks > 1 and rank < 2:
            yield op.send(1, size, tag=number) if rank == 0 else op.recv(0, size, tag=number)
    if pending:
        yield op.waitall(pending)


def _accesses(step: Case, turn: int, rank: int, ranks: int) -> Iterator[Any]:
    size, count, gap = step["size"], step["count"], step["gap"]
    name = "shared" if step["file"] == "shared" else f"own.{rank}"
    place = rank if step["file"] == "shared" else 0
    span = count * (size + gap)
    per_turn = span * (ranks if step["file"] == "shared" else 1)
    start = place * span + (0 if step["again"] else turn * per_turn)
    call = getattr(op, step["kind"])
    yield call(name, offset=start, size=size, count=count, stride=size + gap, blocking=not step["async"])


def _collective(step: Case) -> Any:
    call = getattr(op, step["call"])
    if step["call"] == "barrier":
        return call()
    if step["call"] in ("bcast", "reduce", "gather", "scatter"):
        return call(step["size"], root=step["root"])
    return call(step["size"])


# ---- shrinking


def smaller(case: Case) -> Iterator[Case]:
    """Simpler cases, the boldest first."""
    if "stream" in case:
        yield from smaller_stream(case)
        return
    program = case["program"]
    for at in range(len(program)):
        if len(program) > 1:
            yield case | {"program": program[:at] + program[at + 1 :]}
    if case["ranks"] > 1:
        fewer = sorted({1, 2, case["ranks"] // 2, case["ranks"] - 1} - {case["ranks"]})
        for ranks in fewer:
            yield case | {"ranks": max(ranks, 1), "program": [_rooted(step, ranks) for step in program]}
    for key in ("layout", "collective_io"):
        if case.get(key):
            yield case | {key: None}
    if "beside" in case:
        yield {key: value for key, value in case.items() if key != "beside"}
    if case["collectives"]:
        yield case | {"collectives": []}
    machine = case["machine"]
    if "tables" in machine:
        for tables in attack_machines.simpler_tables(machine["tables"]):
            yield case | {"machine": {"tables": tables}}
    for key in machine if "tables" not in machine else ():
        if key in ("base", "disks"):
            continue
        gone = ("disk", "disks", "raid") if key == "disk" else (key,)
        yield case | {"machine": {name: value for name, value in machine.items() if name not in gone}}
        if isinstance(machine[key], dict) and key in ("settings", "cache"):
            for inner in machine[key]:
                left = {name: value for name, value in machine[key].items() if name != inner}
                if left:
                    yield case | {"machine": machine | {key: left}}
    for at, step in enumerate(program):
        for change in _simpler(step):
            yield case | {"program": [*program[:at], step | change, *program[at + 1 :]]}


def _rooted(step: Case, ranks: int) -> Case:
    return step | {"root": step["root"] % max(ranks, 1)} if "root" in step else step


def _simpler(step: Case) -> Iterator[Case]:
    if step["times"] > 1:
        yield {"times": 1}
        yield {"times": step["times"] // 2}
    for key, plain in {
        "count": 1,
        "gap": 0,
        "async": False,
        "again": False,
        "who": "all",
        "skew": 0.0,
    }.items():
        if step.get(key, plain) != plain:
            yield {key: plain}
    if step["size"] > 1:
        yield {"size": 1 << int(math.log2(step["size"] - 1)) if step["size"] > 2 else 1}


def lighter(case: Case) -> Case | None:
    """The case with half of its largest step, or of its ranks; None when nothing can be halved."""
    program = case["program"]
    at = max(range(len(program)), key=lambda number: _work(program[number]))
    step = program[at]
    for key in ("times", "count", "runs", "size"):
        if step.get(key, 1) > 1 and _work(step) > 1_000_000:
            return case | {"program": [*program[:at], step | {key: step[key] // 2}, *program[at + 1 :]]}
    if case["ranks"] == 1:
        return None
    ranks = case["ranks"] // 2
    return case | {"ranks": ranks, "program": [_rooted(one, ranks) for one in program]}


def _work(step: Case) -> int:
    """Bytes of all passes on one rank, and something for each call."""
    calls = int(step["times"] * step.get("count", 1) * step.get("runs", 1))
    return calls * (10_000 + (0 if step["kind"] in ("compute", "sync", "open") else int(step["size"])))


def shrunk(case: Case, fails: Any) -> Case:
    """The simplest case found on which `fails` is still true."""
    tried = 0
    again = True
    while again and tried < 400:
        again = False
        for candidate in smaller(case):
            tried += 1
            if tried >= 400:
                break
            if fails(candidate):
                case, again = candidate, True
                break
    return case
