"""Sends SIGINT and SIGTERM to twelve commands at twenty moments each, spread over the time that the command takes.

    python verification/interrupts.py [MOMENTS [FIRST LAST]]      # FIRST and LAST: some of the commands, from 1

Each must end within a second, with its status and one line, and leave no file. Exit status 1 when one does not. What
takes longer than four seconds is ended in its first four.
"""

import signal
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from fuzzing.commands import arguments
from fuzzing.interrupts import LONG, ended, long_inputs, seconds_of
from fuzzing.seeds import write_seeds

MOST_SECONDS = 1.0
LONGEST = 4.0  # seconds after which no signal is sent


def main(moments: int = 20, first: int = 1, last: int = len(LONG)) -> int:
    lines = LONG[first - 1 : last]
    bad, slowest, early, done = 0, 0.0, 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        inputs = long_inputs(Path(scratch), write_seeds(Path(scratch) / "sound"))
        for line in lines:
            with tempfile.TemporaryDirectory() as folder:
                span = seconds_of(arguments(line, "", Path(folder), inputs), Path(folder), LONGEST)
            for moment in range(moments):
                number = (signal.SIGINT, signal.SIGTERM)[moment % 2]
                with tempfile.TemporaryDirectory() as folder:
                    after = span * moment / moments
                    ending = ended(arguments(line, "", Path(folder), inputs), Path(folder), number, after)
                done += 1
                early += ending.early
                slowest = max(slowest, 0.0 if ending.early else ending.seconds)
                if not ending.is_good(number, MOST_SECONDS):
                    bad += 1
                    print(f"FAILED {line} after {after:.2f} s by {number.name}: {ending}")
    print(
        f"{done} signals to {len(lines)} commands: {early} were done before,"
        f" the slowest took {slowest:.2f} s, {bad} bad"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
