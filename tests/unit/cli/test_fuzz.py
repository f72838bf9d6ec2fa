"""A short run of the fuzzer, and what longer ones broke: no crash, no traceback, no hang, one line for a bad input.

`make fuzz` goes on for hours; see `verification/fuzz_commands.py`.
"""

import shutil
from pathlib import Path

import pytest

from fuzzing.commands import arguments
from fuzzing.forked import in_child, run_line, watched
from fuzzing.fuzzer import fuzz
from fuzzing.seeds import write_seeds

CORPUS = Path(__file__).parents[2] / "data" / "fuzz"
BROKE = sorted(path for path in CORPUS.iterdir() if path.is_dir())


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    return write_seeds(tmp_path_factory.mktemp("seeds"))


@pytest.mark.parametrize("case", BROKE, ids=lambda path: path.name)
def test_what_broke_once_stays_mended(case, sound, tmp_path):
    """A case is a folder with `line.txt`, a line of tests/fuzzing/commands.py, and its input."""
    line = (case / "line.txt").read_text().strip()
    (given,) = (path for path in case.iterdir() if path.name != "line.txt")
    shutil.copy(given, tmp_path)
    (tmp_path / "out").mkdir()

    def work(report):
        with watched():
            report(run_line(arguments(line, str(tmp_path / given.name), tmp_path / "out", sound)))

    outcomes, ended = in_child(work)

    assert not ended
    assert [outcome.wrong for outcome in outcomes] == [""]


def test_a_command_line_that_is_no_text_is_refused():
    outcome = run_line(["workload", "show", "mdtest -F\udca0-n 12 -b 2 -z 1", "--ranks", "3"])

    assert (outcome.status, outcome.wrong) == (1, "")


def test_mutated_inputs_end_in_one_line():
    counts, failures = fuzz(160, seed=2026, seconds=25)

    assert failures == []
    assert counts.total()
