"""Random streams of work-flow graphs: queries over a mesh of processors, and listed graphs that read and write."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import attack_machines

from striate.apps import titan
from striate.cluster.load import bundled
from striate.workload.flows import Flows, Graph, ListedFlows

Case = dict[str, Any]


def draw_stream(seed: int) -> Case:
    """A stream on a bundled machine, or on one of attack_machines.py."""
    dice = random.Random(f"{seed} stream")
    drawn = dice.random() < 0.6
    machine = (
        {"tables": attack_machines.draw_tables(dice)} if drawn else {"base": dice.choice(sorted(bundled()))}
    )
    return {"machine": machine, "stream": _listed(dice) if dice.random() < 0.4 else _queries(dice)}


def _queries(dice: random.Random) -> Case:
    left, top = dice.uniform(0, 0.6), dice.uniform(0, 0.6)
    whole = dice.random() < 0.5
    return {
        "volume": dice.choice((100_000, 1_000_001, 8_000_000)),
        "block": dice.choice((1_000, 32_000, 128_000)),
        "mesh": dice.choice(((1, 1), (2, 1), (2, 2), (4, 3))),
        "disks_per_processor": dice.choice((1, 1, 2, 4)),
        "queries": dice.choice((1, 2, 3)),
        "window": (0.0, 0.0, 1.0, 1.0) if whole else (left, top, left + 0.4, top + 0.3),
        "reach": dice.choice((0.0, 0.3)),
        "compute_per_block": dice.choice(("0 s", "100 us", "10 ms")),
        "seed": dice.randrange(100),
    }


def _listed(dice: random.Random) -> Case:
    processors, disks = dice.choice((1, 2, 3, 6)), dice.choice((1, 2))
    groups = []
    for _ in range(dice.choice((1, 2, 3))):
        writes = dice.random() < 0.3
        groups.append([_graph(dice, processors, disks, writes) for _ in range(dice.choice((1, 4, 30)))])
    sequential = dice.random() < 0.7
    return {
        "processors": processors,
        "disks_per_processor": disks,
        "block_bytes": dice.choice((1, 999, 65_537, 400_000)),
        "sequential": sequential,
        "groups": groups,
    }


def _graph(dice: random.Random, processors: int, disks: int, writes: bool) -> Case:
    disk = dice.randrange(processors * disks)
    others = [one for one in range(processors) if one != disk // disks]
    receivers = sorted(dice.sample(others, dice.randrange(len(others) + 1)))
    return {
        "disk": disk,
        "receivers": receivers,
        "local": not receivers or dice.random() < 0.5,
        "compute_picoseconds": dice.choice((0, 1_000_000, 5_000_000_000)),
        "blocks": dice.choice((1.0, 1.0, 0.3, 2.5)),
        "write": writes,
    }


def flows_of(stream: Case) -> Flows:
    """The stream that a case describes."""
    if "groups" not in stream:
        return titan.flows(**stream)
    listed = tuple(
        tuple(Graph(**(graph | {"receivers": tuple(graph["receivers"])})) for graph in group)
        for group in stream["groups"]
    )
    given = {key: value for key, value in stream.items() if key != "groups"}
    return ListedFlows(name="listed", listed=listed, **given)


def smaller_stream(case: Case) -> Iterator[Case]:
    """Simpler cases, the boldest first."""
    stream = case["stream"]
    if "groups" in stream:
        for at, group in enumerate(stream["groups"]):
            rest = [one for number, one in enumerate(stream["groups"]) if number != at]
            if rest:
                yield case | {"stream": stream | {"groups": rest}}
            if len(group) > 1:
                for half in (group[: len(group) // 2], group[len(group) // 2 :]):
                    groups = [*stream["groups"][:at], half, *stream["groups"][at + 1 :]]
                    yield case | {"stream": stream | {"groups": groups}}
    else:
        for less in ({"queries": 1}, {"reach": 0.0}, {"window": (0.0, 0.0, 1.0, 1.0)}, {"mesh": (1, 1)}):
            if any(stream[key] != value for key, value in less.items()):
                yield case | {"stream": stream | less}
        if (less := lighter_stream(case)) is not None:
            yield less
    if "tables" in case["machine"]:
        for tables in attack_machines.simpler_tables(case["machine"]["tables"]):
            yield case | {"machine": {"tables": tables}}


def lighter_stream(case: Case) -> Case | None:
    """Half the volume; None when there is nothing left to halve."""
    stream = case["stream"]
    if stream.get("volume", 0) < 2 * stream.get("block", 1):
        return None
    return case | {"stream": stream | {"volume": stream["volume"] // 2}}
