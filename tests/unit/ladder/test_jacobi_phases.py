"""The timeline of a Jacobi solver with checkpoints shows its phases, on few ranks and on many."""

import numpy as np
import pytest

from striate.apps import jacobi
from striate.ladder import predict

ROWS = COLUMNS = 512
STEPS, EVERY = 6, 3


@pytest.mark.parametrize("ranks", [2, 7, 64])
def test_every_rank_computes_exchanges_and_writes_in_turn(ranks):
    load = jacobi.workload(ranks, rows=ROWS, columns=COLUMNS, steps=STEPS, every=EVERY)
    trace = predict(load, "westmere", timeline=True).timeline
    marks = trace.where(trace.of_kind("region"))
    sweep = ["compute", "exchange"]
    expected = (sweep * EVERY + ["checkpoint"]) * (STEPS // EVERY)

    for rank in range(ranks):
        mine = marks.select(ranks=[rank])
        start, end = mine.column("start"), mine.column("end")
        assert [trace.header.regions[number] for number in mine.column("region")] == expected
        assert start[0] == 0
        assert (start[1:] == end[:-1]).all()  # one phase follows the other
    calls = trace.of_ranks().where(~trace.of_ranks().of_kind("region"))
    assert _inside(calls, marks, "compute", {"compute"})
    assert _inside(calls, marks, "checkpoint", {"write"})
    assert _inside(calls, marks, "exchange", {"sendrecv", "allreduce"})
    written = calls.where(calls.of_kind("write"))
    assert int(written.column("bytes").sum()) == STEPS // EVERY * ROWS * COLUMNS * 8


def _inside(calls, marks, phase, kinds):
    """Calls of these kinds, and only they, lie inside the phase of their rank."""
    phases = marks.where(marks.column("region") == marks.header.regions.index(phase))
    rank, start, end = (calls.column(name) for name in ("rank", "start", "end"))
    within = np.zeros(len(calls), bool)
    for who, low, high in zip(*(phases.column(name) for name in ("rank", "start", "end")), strict=True):
        within |= (rank == who) & (start >= low) & (end <= high) & (end > start)
    return bool((within == (calls.of_kind(*kinds) & (end > start))).all())
