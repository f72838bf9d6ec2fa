"""Whatever is written by any number of ranks comes back, and equals NumPy."""

import pytest


@pytest.mark.parametrize(("ranks", "cases"), [(1, 30), (2, 30), (3, 10), (4, 8), (7, 4)])
def test_random_datasets_equal_a_numpy_array(run_ranks, tmp_path, ranks, cases):
    assert f"{cases} cases agree" in run_ranks(ranks, "round_trip.py", tmp_path, 1, cases)


def test_open_mpi_gives_the_same(run_open_mpi, tmp_path):
    assert "6 cases agree" in run_open_mpi(3, "round_trip.py", tmp_path, 2, 6)


@pytest.mark.parametrize("memory", ["shared", "separate"])
def test_indices_beyond_2_to_the_33(run_ranks, tmp_path, memory):
    assert "right" in run_ranks(2, "large.py", tmp_path, memory)
