"""Random histories of a dataset on changing numbers of ranks leave what an array in memory says."""

from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "verification"


def test_histories_on_up_to_three_ranks_equal_a_numpy_array(run_ranks):
    said = run_ranks(3, FOLDER / "dataset_histories.py", 6, 30)

    assert said == "6 histories of 30 steps on 1 to 3 ranks: 0 differences\n"


def test_histories_of_groups_on_up_to_three_ranks_equal_their_dictionaries(run_ranks):
    said = run_ranks(3, FOLDER / "group_histories.py", 6, 20)

    assert said == "6 histories of 20 steps on 1 to 3 ranks: 0 differences\n"
