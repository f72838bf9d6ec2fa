"""The mesh program: the same mesh for any number of ranks, and a workload that weighs as much as the real thing."""

import numpy as np
import pytest

import striate.runtime as runtime
from striate.apps.mesh import NODE, Mesh, Sweep, run, workload
from striate.apps.mesh.generate import touched
from striate.errors import WorkloadError
from striate.workload.transforms.unfold import unfold


@pytest.mark.parametrize("pattern", ["random", "local"])
def test_the_parts_of_any_number_of_ranks_are_one_mesh(pattern):
    mesh = Mesh(90_000, pattern)  # 135,000 edges: three blocks of seeds
    whole = mesh.part(0, 1)

    assert np.array_equal(np.concatenate([mesh.part(rank, 7) for rank in range(7)]), whole)
    assert len(whole) == mesh.edges == 135_000
    assert 0 <= whole.min() <= whole.max() < mesh.nodes


def test_nodes_are_met_once_in_the_order_of_the_edges():
    edges = np.array([[5, 2], [2, 9], [5, 0], [9, 9]], np.int32)

    assert touched(edges).tolist() == [5, 2, 9, 0]


def test_two_ends_of_an_edge_change_by_the_same_flow():
    sweep = Sweep(Mesh(50), 0, 1)
    sweep.step()
    edges = Mesh(50).part(0, 1)
    expected = np.zeros(50)
    for first, second in edges:  # figure 1a by hand; v[0] of a node is its number
        flow = 0.25 * (first - second)
        expected[first] += flow
        expected[second] += flow

    assert np.allclose(sweep.values["v"][:, 1], expected[sweep.indices])


def test_the_program_writes_every_fifth_step(tmp_path):
    mesh = Mesh(5000, "local")
    reports = run(None, tmp_path / "nodes", mesh, steps=10, every=5)
    sweep = Sweep(mesh, 0, 1)
    for _ in range(10):
        sweep.step()

    assert len(reports) == 2
    with runtime.open_serial(tmp_path / "nodes") as found:
        assert np.array_equal(found[sweep.indices], sweep.values)


def test_the_workload_writes_the_papers_320_megabytes_at_a_time():
    made = workload(64, nodes=8_000_000, steps=20, every=5)
    steps = list(unfold(made.applications[0], rank=63))
    writes = [step.operands for step in steps if "WRITE" in step.kind.name]

    # 4 dumps; in each, 64 domains of 125,000 nodes of 40 bytes; rank 63 is the last of them
    assert [write["bytes"] for write in writes] == [125_000 * NODE.itemsize] * 4
    assert [write["offset"] for write in writes] == [
        320_000_000 * (dump + 1) - 5_000_000 for dump in range(4)
    ]


def test_senseless_meshes_are_refused():
    with pytest.raises(WorkloadError):
        Mesh(1)
    with pytest.raises(WorkloadError):
        Mesh(10, "round")
    with pytest.raises(WorkloadError):
        workload(4, nodes=100, every=30)
