"""A monitor reads every step of a run while its ranks write: `python verification/watch_run.py [STEPS] [RANKS]`.

The run appends steps of three variables (`tests/mpi/programs/steps.py`); this process refreshes a handle of its own and
reads every new step, whole. Exit status 1 when a step was torn or missed, or a file was not there.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import striate.runtime as runtime
from striate.errors import StriateError

PROGRAM = Path(__file__).resolve().parent.parent / "tests" / "mpi" / "programs" / "steps.py"


def opened(path):
    """The group, as soon as it is there."""
    while True:
        try:
            return runtime.open_group(None, path)
        except StriateError:
            time.sleep(0.01)


def main(arguments):
    steps, ranks = (int(word) for word in (*arguments, *("200", "4")[len(arguments) :]))
    mpiexec = Path(sys.prefix) / "bin" / "mpiexec"
    torn, seen, during = [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        command = [str(mpiexec), "-n", str(ranks), sys.executable, str(PROGRAM), folder, str(steps), "0"]
        with (
            subprocess.Popen(command, stdout=subprocess.DEVNULL) as program,
            opened(Path(folder) / "run") as group,
        ):
            ended = False
            while not ended:
                ended = program.poll() is not None
                group.refresh()
                for step in range(seen, len(group.steps)):
                    for name in ("pressure", "velocity", "temperature"):
                        if np.unique(group.read_all(name, step=step)).tolist() != [step]:
                            torn.append(f"{name}, step {step}")
                    seen += 1
                    during += not ended
    print(f"{seen} of {steps} steps seen, {during} while {ranks} ranks wrote, {len(torn)} torn")
    return int(bool(torn) or seen != steps or program.returncode != 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
