"""Tries to break the low end of `resource`: random programs on all bundled machines, each played by `fine`.

Programs mix computing, blocking and non-blocking messages, collectives by every algorithm, independent and collective
access to files that is read and written again, direct and in two phases, on fewer and on more CPUs than ranks. Prints
every program whose run beats the low end, and how close the others come.

    python verification/resource_floor.py [programs, 300 by default] [seed]
"""

from __future__ import annotations

import random
import sys

from striate.cluster import load_cluster
from striate.collectives.choice import Choice
from striate.collectives.registry import FAMILY, KINDS, VIRTUAL, names_of
from striate.errors import StriateError
from striate.rungs.fine import predict_fine
from striate.rungs.resource import predict_resource
from striate.workload import Workload
from striate.workload import operations as op

MACHINES = ("laptop", "lustre-64", "pvs-cluster", "sp2", "westmere")
SIZES = (0, 1, 300, 5000, 70_000, 150_000, 1 << 20)
ROOTED = ("bcast", "reduce", "gather", "gatherv", "scatter", "scatterv")
METHODS = (None, "direct", "two-phase:nodes", "two-phase:2:64KiB", "pipelined:all:16KiB")


def program_of(plan):
    """What each rank does, from a list of (what, numbers)."""

    def program(rank, ranks):
        for what, size, far in plan:
            yield from _steps(what, size, far, rank, ranks)

    return program


def _steps(what, size, far, rank, ranks):
    after, before = (rank + far) % ranks, (rank - far) % ranks
    match what:
        case "compute":
            yield op.compute(f"{size * (rank % 3)} ns", instructions=size * rank)
        case "sendrecv":
            yield op.sendrecv(after, size, source=before)
        case "early":  # the message is there long before it is asked for
            request = op.isend(after, size)
            yield request
            yield op.compute("1 ms")
            yield op.recv(before, size)
            yield op.wait(request)
        case "write" | "read":
            yield getattr(op, what)("data", offset=(rank * far) * size, size=size)
        case "write_all" | "read_all":
            yield getattr(op, what)("data", offset=rank * size * (far % 2), size=size)
        case "sync":
            yield op.sync_file("data")
        case "barrier":
            yield op.barrier()
        case "alltoallv":
            yield op.alltoallv([size + to for to in range(ranks)])
        case _:
            own = size + 3 * rank if what in FAMILY else size
            yield getattr(op, what)(own, **({"root": far % ranks} if what in ROOTED else {}))


def drawn(rng: random.Random):
    kinds = sorted(KINDS)
    whats = ["compute", "sendrecv", "early", "write", "read", "write_all", "read_all", "sync", *kinds]
    plan = [
        (rng.choice(whats), rng.choice(SIZES), rng.randint(1, 5)) for _ in range(rng.randint(1, 5))
    ] * rng.choice((1, 1, 3))
    rules = [f"{kind}={rng.choice([*names_of(kind), VIRTUAL])}" for kind in kinds if rng.random() < 0.5]
    return rng.choice(MACHINES), rng.randint(1, 24), plan, rules, rng.choice(METHODS)


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    broken, played, shares = 0, 0, []
    for _ in range(count):
        machine, ranks, plan, rules, method = drawn(rng)
        workload = Workload.from_program(program_of(plan), ranks)
        names = {file.name for application in workload.applications for file in application.files}
        workload = workload.with_collective(dict.fromkeys(names, method))
        cluster, choice = load_cluster(machine), Choice.of(rules)
        try:
            run = predict_fine(workload, cluster, choice=choice).interval.estimate
        except StriateError:
            continue
        played += 1
        low = predict_resource(workload, cluster, choice).interval.low
        shares.append(low / run if run else 1.0)
        if low > run:
            broken += 1
            print(f"{machine}, {ranks} ranks: {low:.9f} s > {run:.9f} s: {plan} {rules} {method}")
    shares.sort()
    print(
        f"{played} of {count} programs played, {broken} below the low end; median low / run {shares[played // 2]:.3f}"
    )
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
