"""Random histories of a dataset on changing numbers of ranks leave what an array in memory says."""

from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "verification" / "dataset_histories.py"


def test_histories_on_up_to_three_ranks_equal_a_numpy_array(run_ranks):
    said = run_ranks(3, SCRIPT, 6, 30)

    assert said == "6 histories of 30 steps on 1 to 3 ranks: 0 differences\n"
