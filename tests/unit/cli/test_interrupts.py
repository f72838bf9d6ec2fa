"""Ctrl-C and SIGTERM end commands with one line and no file left; verification/interrupts.py tries twelve of them."""

import signal

import pytest

from fuzzing.commands import arguments
from fuzzing.interrupts import LONG, ended, long_inputs
from fuzzing.seeds import write_seeds

PATIENCE = 20.0  # seconds; the machine may be busy. The promise of one second is measured by verification/interrupts.py


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    return long_inputs(folder, write_seeds(folder / "sound"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("at", [0, 2, 3, 6], ids=["resource", "fine", "endless", "fit"])
def test_a_signal_ends_a_command_with_one_line_and_no_file(at, number, inputs, tmp_path):
    ending = ended(arguments(LONG[at], "", tmp_path, inputs), tmp_path, number, 1.5)

    assert not ending.early
    assert ending.is_good(number, PATIENCE), ending
