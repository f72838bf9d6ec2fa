"""Kernels on several ranks: the first, which sends least, receives as much as all."""

from pathlib import Path

PROGRAM = Path(__file__).parent / "programs" / "varying_kernels.py"


def test_parts_that_differ_by_rank_fit_into_every_buffer(run_ranks, tmp_path):
    assert run_ranks(5, PROGRAM, tmp_path) == "all performed\n"
