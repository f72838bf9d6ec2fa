"""Collectives by plug-ins know where ranks run; schedules that lose, stop or go nowhere are named in one line."""

import itertools

import numpy as np
import pytest

from plugin_files import EXAMPLES, WESTMERE, written
from striate.apps import kernels
from striate.collectives.registry import ALGORITHMS, CLOSED, FAMILY, plan
from striate.collectives.schedule import ScheduleError
from striate.errors import PluginError, PredictionError
from striate.ladder import predict
from striate.plugins import CollectiveRequest
from striate.plugins.schedule_check import check_schedule

KIB = 1024


def request(call, size, size_bytes, root=0):
    return CollectiveRequest(call, size, size_bytes, root, np.arange(size), WESTMERE)


@pytest.mark.parametrize(("call", "name"), sorted(ALGORITHMS))
def test_every_built_in_algorithm_passes_the_check(call, name):
    for size, size_bytes in itertools.product((1, 2, 3, 6, 8, 13), (0, 1, 1000, 200 * KIB)):
        for root in {0, size - 1} if call in ("bcast", "reduce", "gather", "scatter") else {0}:
            check_schedule(
                plan(call, size, size_bytes, name=name, root=root), request(call, size, size_bytes, root)
            )


@pytest.mark.parametrize("varying", sorted(FAMILY))
def test_parts_that_differ_by_rank_pass_too(varying):
    sizes = np.array([0, 5, 1000, 0, 70_000])
    table = np.add.outer(sizes, sizes) if varying == "alltoallv" else sizes
    made = plan(varying, 5, table, name=None)

    check_schedule(made, request(FAMILY[varying], 5, table))


def test_a_collective_is_told_nodes_bytes_and_the_machine(tmp_path, capsys):
    source = written(
        tmp_path,
        """
        class Direct:
            kind, name, call = "collective", "told", "bcast"
            def schedule(self, request):
                print("told", request.size, request.bytes, request.root, request.nodes.tolist(), request.machine.name)
                others = np.delete(np.arange(request.size), request.root)
                draft = ScheduleDraft(request.size)
                draft.step(recv(others, request.root, request.bytes))
                draft.step(send(np.full(len(others), request.root), others, request.bytes))
                return draft
        plugins = [Direct]
        """,
    )
    workload = kernels.workload("bcast", ranks=4, size="1 MiB", root=1)

    for rung in ("resource", "fine"):
        predict(workload, "westmere", rung=rung, plugins=[source])
    assert set(capsys.readouterr().out.splitlines()) == {"told 4 1048576 1 [0, 1, 2, 3] westmere"}


def test_a_program_may_name_it_and_rules_may_leave_it_out():
    source = str(EXAMPLES / "node_tree.py")
    named = kernels.workload("bcast", ranks=16, size="4 MiB", algorithm="node-tree")
    plain = kernels.workload("bcast", ranks=16, size="4 MiB")

    def seconds(workload, **given):
        return predict(workload, "westmere", rung="fine", exact=True, **given).seconds.estimate

    chosen = seconds(plain, plugins=[source])
    assert seconds(named, plugins=[source]) == chosen
    assert seconds(plain) > 1.3 * chosen
    assert seconds(plain, plugins=[source], collectives=["bcast=scatter-allgather"]) == seconds(plain)
    with pytest.raises(PredictionError, match="'node-tree'"):
        seconds(named)


def test_all_rungs_take_a_collective_by_its_sums():
    workload = kernels.workload("bcast", ranks=16, size="4 MiB")

    coarse = predict(workload, "westmere", rung="resource", plugins=[EXAMPLES / "node_tree.py"])
    found = predict(
        workload, "westmere", rung="macro-queue", self_check=True, plugins=[EXAMPLES / "node_tree.py"]
    )
    played = next(answer.raw.estimate for answer in found.answers if answer.rung == "fine")
    assert coarse.bounds.low <= played <= coarse.bounds.high
    assert found.proved is not None
    assert found.proved.low <= played


HALF = "draft.step(recv(others, 0, half)); draft.step(send(np.zeros(len(others), int), others, half))"
BROKEN = {
    "expected rank 1 to receive at least 1000 bytes, got 500": f"half = request.bytes // 2; {HALF}",
    "a send of 500 bytes, tag 0, has no receive with the same tag and bytes": (
        "draft.step(recv(others, 0, request.bytes)); "
        "draft.step(send(np.zeros(len(others), int), others, request.bytes // 2))"
    ),
    "expected a peer from 0 to 3 in a send or receive, got 9": "draft.step(send(0, 9, request.bytes))",
    "names peer 0: expected another rank from 0 to 3": "draft.step(send(0, 0, request.bytes))",
    "has no matching call on its peer": "draft.step(recv(others, 0, request.bytes))",
    "the schedule (prepared messages) never ends: ranks 0, 1, 2, 3 wait for each other": (
        "all = np.arange(4); draft.step(recv(all, (all + 1) % 4, request.bytes)); "
        "draft.step(send(all, (all - 1) % 4, request.bytes))"
    ),
    "rank 1 never receives the data of rank 0": (
        "ring = np.arange(4); "
        "draft.step(send([1, 2], [2, 1], 5000), recv([1, 2], [2, 1], 5000)); "
        "draft.step(send([0, 3], [3, 0], 5000), recv([0, 3], [3, 0], 5000))"
    ),
    "`schedule` raises ZeroDivisionError: division by zero (line 9)": "1 / 0",
    "expected `schedule` to return a `CollectiveSchedule` or a `ScheduleDraft`, got int": "return 7",
    "expected a schedule (prepared messages) of 4 ranks, got one of 3": "draft = ScheduleDraft(3)",
}


@pytest.mark.parametrize("words", sorted(BROKEN))
def test_a_broken_collective_is_named(tmp_path, words):
    source = written(
        tmp_path,
        f"""
        class Broken:
            kind, name, call = "collective", "broken", "bcast"
            def schedule(self, request):
                draft, others = ScheduleDraft(request.size), np.arange(1, request.size)
                {BROKEN[words]}
                return draft
        plugins = [Broken]
        """,
    )
    with pytest.raises(PluginError) as refused:
        predict(kernels.workload("bcast", ranks=4, size="1000 B"), "westmere", plugins=[source])

    assert words in str(refused.value)
    assert str(refused.value).endswith(f"- at collective broken ({source})")
    assert "\n" not in str(refused.value)


def test_an_algorithm_that_a_program_registers_is_checked_when_used(monkeypatch):
    from striate.collectives import ScheduleDraft, recv, send

    def halves(size, size_bytes, root=0):
        draft = ScheduleDraft(size)
        draft.step(send(0, 1, size_bytes // 2), recv(1, 0, size_bytes))
        return draft

    monkeypatch.setitem(ALGORITHMS, ("bcast", "halves"), halves)
    assert ("bcast", "halves") not in CLOSED
    with pytest.raises(ScheduleError, match="bcast halves: a send of 500 bytes"):
        plan("bcast", 2, 1000, name="halves")
    workload = kernels.workload("bcast", ranks=2, size="1000 B", algorithm="halves")
    with pytest.raises(PredictionError, match="bcast halves: a send of 500 bytes"):
        predict(workload, "westmere", rung="fine")
