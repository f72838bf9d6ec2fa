"""Rewriting a workload rank by rank."""

from striate.workload import Workload
from striate.workload.operations import compute, irecv, isend, wait, waitall, write
from striate.workload.transforms.rewrite import operations_of, rewritten


def test_rewriting_without_a_change_gives_the_same_operations():
    def run(rank, ranks):
        for step in range(3):
            yield compute("1 ms")
            request = isend((rank + 1) % ranks, 100, tag=step)
            yield request
            other = irecv((rank - 1) % ranks, 100, tag=step)
            yield other
            yield wait(request)
            yield write("data", extents=([0, 10 * rank], [4, 5]), offset=step * 100)
            yield waitall()

    workload = Workload.from_program(run, 3)
    again = rewritten(workload, lambda rank, steps: steps)

    again.check()
    for rank in range(3):
        first, second = (
            [
                (step.kind, step.communicator, str(step.operands[:3]))
                for step in operations_of(one.applications[0], rank)
            ]
            for one in (workload, again)
        )
        assert first == second
