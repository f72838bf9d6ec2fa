"""The loop cache saves writes and reads, and loses nothing."""

import pytest


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_cache_leaves_the_same_dataset_as_none(run_ranks, tmp_path, ranks):
    assert "saved" in run_ranks(ranks, "caching.py", tmp_path)


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_small_writes_and_reads_through_a_memory_end_as_single_ones_would(run_ranks, tmp_path, ranks):
    assert "saved" in run_ranks(ranks, "write_behind.py", tmp_path)


@pytest.mark.parametrize("ranks", [1, 3])
def test_sums_caches_and_handles_lose_nothing(run_ranks, tmp_path, ranks):
    assert run_ranks(ranks, "handles.py", tmp_path) == "nothing lost\n"
