"""Programs of a validation through a launcher: how they are named, ordered and forecast."""

from pathlib import Path

import pytest

from machines import SWITCH, node
from striate.cluster.builders import star
from striate.errors import WorkloadError
from striate.evaluate.launched.forecast import collective_of, kernel_costs, workload_of
from striate.evaluate.launched.programs import APPLICATIONS, KERNEL_TEXTS, LaunchedProgram, parse, programs
from striate.evaluate.launched.ranks import RankCosts
from striate.evaluate.launched.study import LaunchedPlan, order_of


def test_a_text_names_a_kernel_with_options_and_hints():
    program = parse("io-level-3,size=64KiB,blocks=8,hint:cb_nodes=2")

    assert program == LaunchedProgram("io-level-3", {"size": "64KiB", "blocks": "8"}, {"cb_nodes": "2"})
    assert program.case(4).name == "io-level-3 64KiB, blocks 8, cb_nodes 2, 4 ranks"


def test_an_unknown_option_of_a_kernel_is_refused():
    with pytest.raises(WorkloadError, match="expected an option among"):
        parse("bcast,colour=red")


def test_all_programs_have_a_workload_on_any_number_of_ranks():
    for text in KERNEL_TEXTS:
        for ranks in (2, 3):
            assert workload_of(parse(text), ranks, {}, 1).ranks == ranks
    assert {program.name for program in programs()} >= set(APPLICATIONS)


def test_hints_of_romio_become_a_method_of_collective_access():
    assert collective_of({}) == ""
    assert collective_of({"cb_nodes": "2"}) == "automatic:2"
    assert (
        collective_of({"romio_cb_write": "enable", "cb_buffer_size": "1048576"}) == "two-phase:nodes:1048576B"
    )
    assert collective_of({"romio_cb_write": "disable", "cb_nodes": "2"}) == "direct"


def test_kernel_costs_leave_out_the_first_time():
    found = RankCosts(0, 1, {"step": [[9.0, 1.0, 3.0]]})

    assert kernel_costs(found) == {"step": 2.0}


def test_every_program_runs_as_often_as_asked_in_an_order_that_can_be_repeated():
    plan = LaunchedPlan(
        star(node=node(2), switch=SWITCH),
        ("mpiexec",),
        programs(["bcast", "barrier", "jacobi"]),
        5,
        Path(),
        seed=3,
    )

    order = order_of(plan)

    assert sorted(order) == [0] * 5 + [1] * 5 + [2] * 5
    assert order == order_of(plan) != sorted(order)
