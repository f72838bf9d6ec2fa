"""The emulated mesh program: who computes what around a write."""

import pytest

from striate.apps import mesh
from striate.apps.mesh.emulated import touched_nodes
from striate.workload.kinds import Kind
from striate.workload.transforms.unfold import unfold


def computed(program, rank):
    """Seconds of a rank's computing, one value per operation."""
    (application,) = program.applications
    return [
        step.operands["picoseconds"] / 1e12 for step in unfold(application, rank) if step.kind is Kind.COMPUTE
    ]


def test_the_last_rank_moves_all_it_touches_and_others_what_no_later_one_does():
    program = mesh.workload(3, nodes=1000, steps=1, every=1, edge=0, move="1 s")
    left = 1 - touched_nodes(1000, 500) / 1000

    found = [sum(computed(program, rank)) for rank in range(3)]
    assert found == pytest.approx([left**2, left, 1.0])


def test_work_lies_between_collectives_and_commits_on_the_first_rank():
    program = mesh.workload(
        2, nodes=1000, steps=1, every=1, edge=0, write="6 s", commit="5 s", collective_calls=3
    )
    program.check()

    assert [value for value in computed(program, 0) if value] == pytest.approx([2, 2, 7])
    assert [value for value in computed(program, 1) if value] == pytest.approx([2, 2, 2])


def test_memory_is_asked_for_once_and_attached_by_all():
    program = mesh.workload(2, nodes=1000, steps=4, every=1, edge=0, reserve="3 s", attach="2 s")
    program.check()

    assert sum(computed(program, 0)) == pytest.approx(5)
    assert sum(computed(program, 1)) == pytest.approx(2)
