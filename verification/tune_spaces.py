"""Does `tune` ever drop the best candidate? Random spaces of 20 candidates, every candidate played packet by packet.

    python verification/tune_spaces.py --spaces 200 --seed 1 [--seconds 800] [--state build/tune_spaces.json]

A space is a random program on a random machine with random values of two or three knobs. Prints how many candidates
were dropped without being played, and every space in which one of them is faster than all that were kept; exit status 1
then. With --state a run goes on where the one before it ended.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from pathlib import Path
from statistics import median

from attack import light
from attack_cases import machine_of, workload_of
from attack_corpus import draw

from striate.cluster.cluster import Cluster
from striate.errors import StriateError
from striate.ladder.placements import DRAWS, draws
from striate.ladder.predict import predict
from striate.tuning.knobs import collective_rules, turn
from striate.tuning.tune import tune
from striate.workload.workload import Workload

LONGEST = 0.03  # seconds to play the program as it is: longer ones are halved
VALUES = {
    "unit": ["4KiB", "64KiB", "100000", "256KiB", "1MiB"],
    "placement": ["block", "round-robin"],
    "servers": [1, 2, 3, 4],
    "aggregators": [1, 2, 4, 5],
    "collectives": ["", "allreduce=ring", "bcast=pipelined", "alltoall=bruck", "allgather=ring"],
}
SHAPES = (  # of 20 candidates each; the first needs as many servers
    {"unit": 5, "servers": 4},
    {"unit": 5, "placement": 2, "aggregators": 2},
    {"unit": 4, "collectives": 5},
    {"placement": 2, "aggregators": 2, "collectives": 5},
)


def space_of(chance: random.Random, servers: int) -> dict[str, list[object]]:
    """Values of knobs that make 20 candidates."""
    shape = chance.choice(SHAPES if servers >= 4 else SHAPES[1:])
    return {name: chance.sample(VALUES[name], count) for name, count in shape.items()}


def fastest(workload: Workload, cluster: Cluster, candidates: list[dict[str, object]]) -> tuple[float, int]:
    """The shortest packet-level time, of placements by hash their median, and how many could be played."""
    times = []
    for settings in candidates:
        try:
            turned, machine = turn(settings, workload, cluster)
            rules = collective_rules(settings)
            times.append(
                median(
                    predict(turned, one, rung="fine", exact=True, collectives=rules).bounds.estimate
                    for one in (machine, *draws(turned, machine, DRAWS))
                )
            )
        except StriateError:
            continue
    return min(times, default=float("inf")), len(times)


def tried(seed: int) -> tuple[int, int, str] | None:
    """Candidates, dropped ones, and what is wrong; None where the case cannot be tuned."""
    chance = random.Random(seed)
    try:
        case, _ = light(draw(seed, most_ranks=16), LONGEST)
        cluster = machine_of(case)
        workload = workload_of(case, len(cluster.servers))
        vary = space_of(chance, len(cluster.servers))
        study = tune(workload, cluster, vary=vary, executor="serial", resolution=0.0)
    except StriateError:
        return None
    states = {"dropped": [], "other": []}
    for outcome in study.outcomes:
        if outcome.state != "refused":
            states["dropped" if outcome.state == "dropped" else "other"].append(
                dict(outcome.candidate.settings)
            )
    if not states["other"]:
        return None
    kept, _ = fastest(workload, cluster, states["other"])
    lost, dropped = fastest(workload, cluster, states["dropped"])
    words = (
        f"seed {seed}: dropped {lost:.9g} s, kept {kept:.9g} s, {vary}" if lost < kept * (1 - 1e-9) else ""
    )
    return len(study.outcomes), dropped, words


def main() -> int:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--spaces", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--seconds", type=float, default=float("inf"))
    options.add_argument("--state", type=Path)
    given = options.parse_args()
    state = {"next": given.seed * 1_000_000, "spaces": 0, "candidates": 0, "dropped": 0, "wrong": []}
    if given.state and given.state.exists():
        state = json.loads(given.state.read_text())
    began = time.monotonic()
    while state["spaces"] < given.spaces and time.monotonic() - began < given.seconds:
        found = tried(state["next"])
        state["next"] += 1
        if found is not None:
            candidates, dropped, words = found
            state["spaces"] += 1
            state["candidates"] += candidates
            state["dropped"] += dropped
            if words:
                state["wrong"].append(words)
                print(words, flush=True)
        if given.state:
            given.state.write_text(json.dumps(state))
    print(
        f"{state['spaces']} spaces, {state['candidates']} candidates, {state['dropped']} dropped unplayed; "
        f"the best was dropped in {len(state['wrong'])}"
    )
    return 1 if state["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
