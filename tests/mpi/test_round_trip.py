"""Whatever is written by any number of ranks comes back, and equals NumPy."""

import pytest


def cases_that_agree(run, ranks, cases, folder):
    return int(run(ranks, "round_trip.py", folder, cases).split(" cases agree")[0])


@pytest.mark.parametrize(("ranks", "cases"), [(1, 40), (2, 30), (3, 12), (4, 10), (7, 5)])
def test_any_dataset_equals_a_numpy_array(run_ranks, tmp_path, ranks, cases):
    assert cases_that_agree(run_ranks, ranks, cases, tmp_path) >= cases


def test_open_mpi_gives_the_same(run_open_mpi, tmp_path):
    assert cases_that_agree(run_open_mpi, 3, 6, tmp_path) >= 6


@pytest.mark.parametrize("memory", ["shared", "separate"])
def test_indices_beyond_2_to_the_33(run_ranks, tmp_path, memory):
    assert "right" in run_ranks(2, "large.py", tmp_path, memory)
