"""Two-phase I/O put into a workload: the same bytes reach the file, and only aggregators access it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from striate.layout.extents import Extents
from striate.tuning.aggregate import aggregated, asked_runs
from striate.workload import Workload
from striate.workload.kinds import ACCESSES
from striate.workload.operations import compute, irecv, isend, read_all, wait, waitall, write, write_all
from striate.workload.rewrite import operations_of, rewritten


def program(sizes, times, *, write_it):
    call = write_all if write_it else read_all

    def run(rank, ranks):
        for turn in range(times):
            yield compute("1 ms")
            base = turn * sum(sizes) + sum(sizes[:rank])
            yield call("data", offset=base, size=sizes[rank])

    return Workload.from_program(run, len(sizes))


def covered(workload):
    """The bytes that are accessed, as merged runs, and by whom."""
    runs, ranks = [], set()
    (application,) = workload.applications
    for rank in range(workload.ranks):
        for step in operations_of(application, rank):
            if step.kind in ACCESSES and asked_runs(step).total_bytes:
                runs.append(asked_runs(step))
                ranks.add(rank)
    merged = Extents(
        np.concatenate([one.offsets for one in runs]), np.concatenate([one.sizes for one in runs])
    ).merged()
    return merged.offsets.tolist(), merged.sizes.tolist(), ranks


@given(
    st.lists(st.integers(1, 50), min_size=1, max_size=5),
    st.integers(1, 3),
    st.integers(1, 64),
    st.booleans(),
    st.data(),
)
def test_aggregators_access_what_all_ranks_asked_for(sizes, times, buffer, write_it, data):
    count = data.draw(st.integers(1, len(sizes)))
    plain = program(sizes, times, write_it=write_it)

    changed = aggregated(plain, aggregators=count, buffer_bytes=buffer, align_bytes=1)

    changed.check()
    before, after = covered(plain), covered(changed)
    assert before[:2] == after[:2]
    assert len(after[2]) <= count


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
