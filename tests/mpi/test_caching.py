"""The loop cache saves writes and reads, and loses nothing."""

import pytest


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_cache_leaves_the_same_dataset_as_none(run_ranks, tmp_path, ranks):
    assert "saved" in run_ranks(ranks, "caching.py", tmp_path)
