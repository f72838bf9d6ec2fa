"""Processes of a search: what they leave when a command is ended at once."""

import subprocess
import sys

ENDED_AT_ONCE = """
import os
from striate.command import _end_children
from striate.tuning.executors import executor_called

if __name__ == "__main__":
    with executor_called("processes", workers=2) as pool:
        assert pool.submit(abs, -1).result() == 1
        _end_children()
        os._exit(7)
"""


def test_an_interrupted_pool_leaves_no_warning_of_semaphores(tmp_path):
    program = tmp_path / "ended.py"
    program.write_text(ENDED_AT_ONCE)

    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (7, "")
