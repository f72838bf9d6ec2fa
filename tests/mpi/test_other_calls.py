"""Calls beside plain messages: one-sided, neighbourhoods, types by rank - recorded by name, and replayed."""

import numpy as np
import pytest

from striate.cluster import load_cluster
from striate.ladder import predict
from striate.rungs.fine import play
from striate.trace.columns import UNFINISHED
from striate.workload import Workload
from striate.workload.kinds import Kind
from striate.workload.transforms.unfold import unfold
from traced_runs import RANKS, run_traced


@pytest.fixture(scope="module")
def others(any_mpi, compiled, tmp_path_factory):
    folder = tmp_path_factory.mktemp("others")
    _, status, trace = run_traced(any_mpi, folder, compiled(any_mpi, "others"))
    assert status == 0
    return trace


def test_every_call_has_its_name(mpi, compiled, tmp_path):
    _, status, trace = run_traced(mpi, tmp_path, compiled(mpi, "others"))
    frame = trace.to_pandas()
    calls = frame[frame["rank"] == 0].groupby("function").size().to_dict()

    assert status == 0
    expected = {
        "MPI_Win_allocate": 1,
        "MPI_Win_fence": 2,
        "MPI_Put": 1,
        "MPI_Win_free": 1,
        "MPI_Alltoallw": 1,
    }
    expected |= {
        "MPI_Neighbor_alltoall": 1,
        "MPI_Ineighbor_allgather": 1,
        "MPI_Ssend": 1,
        "MPI_Comm_split": 1,
    }
    assert {name: calls.get(name) for name in expected} == expected


def test_bytes_and_partners_are_those_of_the_program(others):
    frame = others.to_pandas()
    put = frame[frame["function"] == "MPI_Put"]
    around = np.flatnonzero(others.of_kind("neighbor") & (others.column("request") < 0))
    lists = [others.lists[int(number)] for number in others.column("extents")[around]]

    assert put["peer"].tolist() == [1, 2, 3, 0]
    assert set(put["bytes"]) == {32}
    for rank, runs in enumerate(lists):
        peers, sizes = runs.offsets, runs.sizes
        assert peers[sizes > 0].tolist() == sorted({(rank - 1) % RANKS, (rank + 1) % RANKS})
        assert sizes.sum() == 8
    whole = frame[frame["function"] == "MPI_Alltoallw"]
    assert set(whole["bytes"]) == {1 * 8 + 2 * 4 + 3 * 8 + 4 * 4}


def test_the_replay_plays_neighbours_and_one_sided_communication(others):
    workload = Workload.from_trace(others)
    workload.check()
    (application,) = workload.applications
    steps = list(unfold(application, 0))
    forecast = predict(workload, load_cluster("laptop"), rung="fine")

    assert sum(step.kind is Kind.SSEND for step in steps) == 1
    assert sum(step.operands["bytes"] for step in steps if step.kind is Kind.SEND) == 8 + 16
    assert [step.operands["bytes"] for step in steps if step.kind is Kind.PUT] == [32]
    assert not any("MPI_Put" in note for note in forecast.notes)
    assert play(workload, load_cluster("laptop")).rank_end.min() > 0


def test_a_call_that_never_returns_is_in_the_trace(any_mpi, compiled, tmp_path):
    _, status, trace = run_traced(any_mpi, tmp_path, compiled(any_mpi, "others"), "hang")
    open_calls = trace.where(trace.column("status") == UNFINISHED).to_pandas()
    waiting = open_calls[open_calls["function"] == "MPI_Recv"]

    assert status != 0
    assert set(waiting["rank"]) == {1, 3}
    assert (waiting["end"] - waiting["start"]).max() >= 0
    assert any(flag.code == "unfinished" and "MPI_Recv" in flag.message for flag in trace.header.flags)


@pytest.fixture(scope="module")
def one_sided(any_mpi, compiled, tmp_path_factory):
    folder = tmp_path_factory.mktemp("one_sided")
    _, status, trace = run_traced(any_mpi, folder, compiled(any_mpi, "one_sided"))
    assert status == 0
    return trace


def kinds(application, rank):
    return [step.kind for step in unfold(application, rank)]


def test_epochs_locks_and_waits_for_any_are_replayed(one_sided):
    workload = Workload.from_trace(one_sided)
    workload.check()
    (application,) = workload.applications
    first, last = kinds(application, 0), kinds(application, RANKS - 1)
    ends = play(workload, load_cluster("laptop")).rank_end

    assert first.count(Kind.PUT) == 1  # to rank 1, after its post
    assert (last.count(Kind.LOCK), last.count(Kind.UNLOCK)) == (1, 1)
    assert (last.count(Kind.ACCUMULATE), last.count(Kind.GET)) == (1, 1)
    assert last.count(Kind.EXSCAN) == 1
    assert (
        sum(step.operands.get("tag", 0) < -1 for step in unfold(application, 1)) == 2
    )  # posted, and completed
    assert first.count(Kind.WAIT) >= RANKS - 1  # one for each of MPI_Waitany
    assert ends.min() > 0


def test_the_trace_tells_with_whom_an_epoch_was_begun(one_sided):
    frame = one_sided.to_pandas()
    post = frame[(frame["function"] == "MPI_Win_post") & (frame["rank"] == 1)]
    runs = one_sided.lists[int(post["extents"].iloc[0])]

    assert runs.offsets[runs.sizes > 0].tolist() == [0]
    assert set(frame[frame["function"] == "MPI_Win_lock"]["tag"]) == {
        0,
        1,
    }  # shared by rank 1, else exclusive
