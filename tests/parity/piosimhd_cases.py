"""Runs the published communication cases of PIOsimHD on the twin; as a script, all of them with a table.

python -m parity.piosimhd_cases data/reference/piosimhd_scenarios.json   (in tests/)
"""

from __future__ import annotations

import json
import random
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from parity.packet_twin import Twin
from parity.shuffled_twin import ShuffledTwin
from parity.westmere_twin import Machine, Model, Program, recv, send, sendrecv, steps_of
from reference.piosimhd_collectives import NEAREST, scenario_of, schedule_of
from striate.collectives import CollectiveSchedule, plan

GROUPS = ("sendrecv", "congestion", "bcast", "scatter", "gather", "allgather", "reduce", "barrier")
HEADER = 20


def cases(document: dict) -> Iterator[dict]:
    """Scenarios of one collective or one pattern of messages, `fig3_type` included."""
    yield from (one for one in document["scenarios"] if one["group"] in GROUPS and one["nic"] == "NIC")
    yield from map(scenario_of, document.get("fig3_type", []))


def model_of(case: dict) -> Model:
    return Model(
        nodes=case["nodes"],
        processes=case["processes"],
        sockets=case["sockets_per_node"],
        edge=case["internode_edge"],
        granularity=case["transfer_granularity"],
        eager_bytes=case["max_eager"],
    )


def simulate(case: dict, schedule: CollectiveSchedule | None = None, twin: Callable[..., Twin] = Twin) -> int:
    """Nanoseconds of a case on the twin: its own pattern, or the `schedule` given."""
    model = model_of(case)
    machine = Machine(model, twin)
    if schedule is None and case["implementations"]:
        schedule = schedule_of(case)
    ranks = range(model.processes)
    if schedule is None:
        programs = {rank: pattern(case, model, rank) for rank in ranks}
    else:
        programs = {rank: steps_of(schedule, rank) for rank in ranks}
    return machine.run(programs)


def pattern(case: dict, model: Model, rank: int) -> Program:
    """Point-to-point patterns, told apart by their names."""
    size, ranks = case["parameters"]["size"], model.processes
    kind = case.get("experiment") or case["id"].split("_")[0]
    match kind:
        case "incast" if rank == 0:
            yield 0, []  # starts the receives one after the other, then waits for all
            yield 0, [recv(model, peer, size) for peer in range(1, ranks)]
        case "incast":
            yield from send(model, 0, size)
        case "SendToRoot" if rank == 0:
            for peer in range(1, ranks):
                yield from recv(model, peer, size)
        case "SendToRoot":
            yield from send(model, 0, size)
        case "pairs":
            yield from (recv if rank % 2 else send)(model, rank ^ 1, size)
        case "ring" | "SendRecvRing":
            yield from sendrecv(model, (rank + 1) % ranks, (rank - 1) % ranks, size)
        case "sendrecv" | "SendRecvPaired":
            if rank ^ 1 < ranks:
                yield from sendrecv(model, rank ^ 1, rank ^ 1, size)
        case _:
            raise KeyError(kind)


def spread(case: dict, tries: int) -> list[float]:
    """Differences of a collective case when its processes start in `tries` random orders: what ties can do to it."""
    draw, model, schedule = random.Random(1), model_of(case), schedule_of(case)
    orders = (draw.sample(range(model.processes), model.processes) for _ in range(tries))
    return sorted(
        difference(case, Machine(model).run({rank: steps_of(schedule, rank) for rank in order}))
        for order in orders
    )


def shuffled(case: dict, tries: int) -> list[float]:
    """Differences of a case when events of equal time are served in `tries` random orders."""
    twins = (partial(ShuffledTwin, seed=seed) for seed in range(tries))
    return sorted(difference(case, simulate(case, twin=twin)) for twin in twins)


def ours(case: dict) -> CollectiveSchedule | None:
    """Striate's own algorithm for the same call, with the original's header."""
    if not case["implementations"]:
        return None
    kind, name = NEAREST[next(iter(case["implementations"].values()))]
    size_bytes = case["parameters"].get("size", 0)
    return plan(kind, case["processes"], size_bytes, name=name).with_header(HEADER)


def label(case: dict) -> str:
    return next(iter(case["implementations"].values()), case.get("experiment") or case["group"])


def difference(case: dict, got: int) -> float:
    """In per cent of the published time."""
    return 100 * (got - case["virtual_time_ns"]) / case["virtual_time_ns"]


def table(rows: dict[str, list[tuple[float, float]]]) -> Iterator[str]:
    """Per implementation: cases, exact ones, within 1 %, the largest difference; and that of our own algorithm."""
    yield "| implementation | cases | exact | within 1 % | largest | Striate's own | median of its differences |"
    yield "|---|---|---|---|---|---|---|"
    for name, values in sorted(rows.items()):
        like = sorted(value[0] for value in values)
        own = sorted(value[1] for value in values)
        worst = max(like, key=abs)
        near = sum(abs(value) <= 1 for value in like)
        algorithm = "-".join(NEAREST[name][1:]) if name in NEAREST else "-"
        median = f"{own[len(own) // 2]:+.2f} %" if name in NEAREST else "-"
        exact = sum(value == 0 for value in like)
        yield f"| {name} | {len(like)} | {exact} | {near} | {worst:+.3f} % | {algorithm} | {median} |"


def main(path: str, most_events: int = 10**9) -> None:
    rows: dict[str, list[tuple[float, float]]] = defaultdict(list)
    far_off = []
    for case in cases(json.loads(Path(path).read_text())):
        if case["events"] > most_events:
            continue
        got = simulate(case)
        mine = ours(case)
        own = difference(case, simulate(case, mine)) if mine is not None else 0.0
        rows[label(case)].append((difference(case, got), own))
        expected = case["virtual_time_ns"]
        if abs(difference(case, got)) > 1 and case["implementations"]:
            far_off.append(case)
        print(
            f"{case['id']:55} {expected:13d} {got:13d} {difference(case, got):+9.3f} % {own:+9.2f} %",
            flush=True,
        )
    print(*table(rows), sep="\n")
    for case in far_off:
        values = spread(case, 200)
        nearest = min(values, key=abs)
        print(
            f"{case['id']}: 200 starting orders {values[0]:+.2f} .. {values[-1]:+.2f} %, nearest {nearest:+.3f} %"
        )
    every = [abs(like) for values in rows.values() for like, _ in values]
    exact, far = sum(value == 0 for value in every), sum(value > 1 for value in every)
    print(f"{len(every)} cases, {exact} exact, {far} beyond 1 %")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
