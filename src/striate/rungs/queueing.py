"""The queueing models of paper 000 as a rung: for programs that cycle through computing, communication and I/O."""

from __future__ import annotations

from striate.cluster.cluster import Cluster
from striate.errors import QueueingError
from striate.rungs.answer import UnfitError, Verdict
from striate.rungs.check import Check
from striate.workload.kinds import ACCESSES
from striate.workload.rhythm import phases_of
from striate.workload.walk import lines
from striate.workload.workload import Workload

_LEAST_CYCLES = 2


def cyclic_check(workload: Workload) -> Check:
    """Do all ranks go through the same cycles with I/O? Ranks at a boundary may exchange fewer messages."""
    name = "cyclic SPMD"
    if len(workload.applications) != 1 or workload.ranks < 2:
        return Check(name, False, "expected one program on several ranks")
    (application,) = workload.applications
    programs = application.programs
    used = [program for program in range(programs.count) if len(programs.ranks_of(program))]
    rhythms = {tuple(found.rhythm.io_bursts for found in phases_of(programs, program)) for program in used}
    if len(rhythms) != 1:
        return Check(name, False, f"{len(rhythms)} different I/O cycles at the same time")
    cycles = max((line.times for line in lines(application, kinds=ACCESSES)), default=0)
    if cycles < _LEAST_CYCLES:
        return Check(name, False, "no loop does I/O")
    alike = "one program" if len(used) == 1 else f"{len(used)} programs with I/O in the same cycles"
    return Check(name, True, f"{alike}, up to {cycles:,} cycles with I/O")


def predict_queueing(workload: Workload, cluster: Cluster) -> Verdict:
    """The time of the model counted from the workload, and the range of all that the model does not know."""
    from striate.queueing.derive.from_workload import from_workload

    try:
        derived = from_workload(lambda _: workload, cluster, processors=(workload.ranks,))
        band = derived.band(workload.ranks, max(len(cluster.servers), 1))
    except QueueingError as error:
        raise UnfitError(f"no queueing model: {error.message}") from None
    near, far = derived.contention
    note = (
        "queueing: from constant times without waiting to the upper bound for random times; "
        f"{near:.0%} to {far:.0%} of a transfer contends with others"
    )
    return Verdict(band, (), (note,))
