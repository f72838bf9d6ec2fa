"""Sums of a call equal those of the schedule that is played, drafted or in closed form, for every algorithm."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.collectives import ALGORITHMS, RECV, SEND, plan, tally
from striate.collectives.closed import CLOSED
from striate.collectives.registry import FAMILY, LARGEST_DRAFTED, ROOTED
from striate.collectives.tally import SUMS, Tally

sizes = st.sampled_from([0, 1, 7, 4096, 100_003, 3 << 20, 16 << 20])


def counted(schedule) -> dict[str, list[int]]:
    """Message by message, in plain Python."""
    sums = {name: [0] * schedule.size for name in SUMS}
    for rank in range(schedule.size):
        for step in schedule.steps(rank):
            for action, _, size_bytes, _ in step:
                way = {SEND: "sent", RECV: "received"}[action]
                sums[f"{way}_bytes"][rank] += size_bytes
                sums[f"{way}_messages"][rank] += 1
    for rank, instructions in zip(
        schedule.rank_of_step.tolist(), schedule.instructions.tolist(), strict=True
    ):
        sums["instructions"][rank] += instructions
    return sums


def listed(sums: Tally) -> dict[str, list[int]]:
    return {name: getattr(sums, name).tolist() for name in SUMS}


def options_of(name: str, size: int) -> dict:
    return {"nodes": np.arange(size) % 3} if name.startswith("smp-") else {}


@pytest.mark.parametrize(("kind", "name"), list(ALGORITHMS))
@given(size=st.integers(1, 24), size_bytes=sizes, root=st.integers(0, 23))
def test_a_tally_counts_what_the_schedule_moves(kind, name, size, size_bytes, root):
    root = root % size if kind in ROOTED else 0
    call = {"name": name, "root": root, **options_of(name, size)}

    found = tally(kind, size, size_bytes, **call)

    assert listed(found) == counted(plan(kind, size, size_bytes, **call))
    assert listed(found) == listed(plan(kind, size, size_bytes, **call).tally())


@pytest.mark.parametrize(("kind", "name"), [key for key in ALGORITHMS if key[0] in FAMILY.values()])
@given(size=st.integers(1, 12), root=st.integers(0, 11), data=st.data())
def test_a_tally_counts_sizes_that_differ_by_rank(kind, name, size, root, data):
    shape = size * size if kind == "alltoall" else size
    drawn = np.array(data.draw(st.lists(st.integers(0, 1000), min_size=shape, max_size=shape)), np.int64)
    size_bytes = drawn.reshape(size, size) if kind == "alltoall" else drawn
    call = {"name": name, "root": root % size if kind in ROOTED else 0}

    found = listed(tally(kind, size, size_bytes, **call))

    assert found == counted(plan(kind, size, size_bytes, **call))
    if (kind, name) in CLOSED:
        assert found == listed(CLOSED[kind, name](size, size_bytes))


@pytest.mark.parametrize(("kind", "name"), list(CLOSED))
@pytest.mark.parametrize("size", [1, 2, 3, 8, 13, LARGEST_DRAFTED + 1])
@pytest.mark.parametrize("size_bytes", [0, 1, 100, 5 << 20])
def test_a_closed_form_equals_the_draft(kind, name, size, size_bytes):
    call = {"root": size // 2} if kind in ROOTED else {}
    call |= options_of(name, size)

    assert listed(CLOSED[kind, name](size, size_bytes, **call)) == listed(
        ALGORITHMS[kind, name](size, size_bytes, **call).tally()
    )


@pytest.mark.parametrize(("kind", "name"), list(ALGORITHMS))
def test_sums_over_a_hundred_thousand_ranks_are_there_at_once(kind, name):
    found = tally(kind, 100_000, 1 << 20, name=name)

    assert found.sent_messages.sum() == found.received_messages.sum() > 0
    assert found.sent_bytes.sum() == found.received_bytes.sum()
