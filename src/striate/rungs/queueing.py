"""The queueing models of paper 000 as a rung: for programs that cycle through computing, talking and I/O."""

from __future__ import annotations

from striate.cluster.cluster import Cluster
from striate.errors import QueueingError
from striate.interval import Interval
from striate.rungs.answer import UnfitError, Verdict
from striate.rungs.check import Check
from striate.workload.kinds import ACCESSES
from striate.workload.walk import lines
from striate.workload.workload import Workload

_LEAST_CYCLES = 2


def cyclic_check(workload: Workload) -> Check:
    """Do all ranks run one program whose loop does I/O?"""
    name = "cyclic SPMD"
    if len(workload.applications) != 1 or workload.ranks < 2:
        return Check(name, False, "expected one program on several ranks")
    (application,) = workload.applications
    programs = application.programs
    used = [program for program in range(programs.count) if len(programs.ranks_of(program))]
    if len(used) != 1:
        return Check(name, False, f"{len(used)} different programs run side by side")
    cycles = max((line.times for line in lines(application) if line.kind in ACCESSES), default=0)
    if cycles < _LEAST_CYCLES:
        return Check(name, False, "no loop does I/O")
    return Check(name, True, f"one program, up to {cycles:,} cycles with I/O")


def predict_queueing(workload: Workload, cluster: Cluster) -> Verdict:
    """The time of the model counted from the workload; its bounds are those of the model, whatever its queues do."""
    from striate.queueing.from_workload import from_workload
    from striate.queueing.program import Program

    try:
        derived = from_workload(lambda _: workload, cluster, processors=(workload.ranks,))
        models = derived.model.phases if isinstance(derived.model, Program) else (derived.model,)
        point = workload.ranks, max(len(cluster.servers), 1)
        seconds = float(derived.model.time(*point))
        bounds = [model.bounds(*point) for model in models]
    except QueueingError as error:
        raise UnfitError(f"no queueing model: {error.message}") from None
    low, high = (sum(float(getattr(bound, end)) for bound in bounds) for end in ("low", "high"))
    note = "the bounds are those of the model: random times, every cycle alike"
    return Verdict(Interval(min(low, seconds), seconds, max(high, seconds)), (), (note,))
