"""Whatever is written by any number of ranks comes back, and equals NumPy."""

import pytest


@pytest.mark.parametrize(("ranks", "cases"), [(1, 60), (2, 40), (3, 14), (4, 12), (7, 6)])
def test_random_datasets_equal_a_numpy_array(run_ranks, tmp_path, ranks, cases):
    assert f"{cases} cases agree" in run_ranks(ranks, "round_trip.py", tmp_path, 1, cases)


def test_open_mpi_gives_the_same(run_open_mpi, tmp_path):
    assert "12 cases agree" in run_open_mpi(3, "round_trip.py", tmp_path, 2, 12)
