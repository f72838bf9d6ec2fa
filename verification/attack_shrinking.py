"""Simpler and lighter cases: to find the smallest one that still breaks, and one that can be played in time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import attack_machines
from attack_measured import fewer_ranges
from attack_streams import lighter_stream, smaller_stream

Case = dict[str, Any]


def smaller(case: Case) -> Iterator[Case]:
    """Simpler cases, the boldest first."""
    if "stream" in case:
        yield from smaller_stream(case)
        return
    if "measured" in case:
        yield from fewer_ranges(case)
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
    """The case with half of its largest step, of its ranks or of its volume; None when nothing can be halved."""
    if "stream" in case:
        return lighter_stream(case)
    program = case["program"]
    at = max(range(len(program)), key=lambda number: _work(program[number]))
    step = program[at]
    for key in ("times", "count", "runs", "size"):
        if step.get(key, 1) > 1 and _work(step) > 1_000_000:
            return _with_half(case, at, key)
    return _fewer_ranks(case)


def shorter(case: Case) -> Case | None:
    """The case with half as many operations: of the step that is repeated most, else on half of the ranks."""
    if "stream" in case:
        return None
    program = case["program"]
    at = max(range(len(program)), key=lambda number: int(program[number]["times"]))
    return _with_half(case, at, "times") if program[at]["times"] > 1 else _fewer_ranks(case)


def operations(case: Case) -> int:
    """About how many operations all ranks have together."""
    return int(case["ranks"] * sum(step["times"] for step in case["program"])) if "program" in case else 0


def _with_half(case: Case, at: int, key: str) -> Case:
    program = case["program"]
    half = program[at] | {key: program[at][key] // 2}
    return case | {"program": [*program[:at], half, *program[at + 1 :]]}


def _fewer_ranks(case: Case) -> Case | None:
    if case["ranks"] == 1:
        return None
    ranks = case["ranks"] // 2
    return case | {"ranks": ranks, "program": [_rooted(one, ranks) for one in case["program"]]}


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
