"""Writes and reads behind the program's back, of several datasets, on ranks that communicate meanwhile."""

from pathlib import Path

PROGRAM = Path(__file__).parent / "programs" / "overlap.py"


def test_two_datasets_are_moved_while_the_program_communicates(run_ranks, tmp_path):
    assert run_ranks(3, PROGRAM, tmp_path) == "all as written\n"
