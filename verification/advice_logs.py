"""Advice on every log of a folder, as a table: `python verification/advice_logs.py ../shared/darshan`.

Exit status 1 when an item has no number, or when a log with a twentieth of its time or less in I/O has a critical one.
"""

import sys
import time
from pathlib import Path

from striate.advice import advise
from striate.formats.read import read_trace

QUIET = 0.05


def main(arguments):
    folder = Path(arguments[0]) if arguments else Path("../shared/darshan")
    wrong = []
    print(
        "| log | run s | I/O s | item | severity | gain s | evidence | CPU s |\n|---|---|---|---|---|---|---|---|"
    )
    for path in sorted(folder.glob("*.darshan")):
        begin = time.process_time()
        advice = advise(read_trace(path))
        spent = time.process_time() - begin
        head = f"| {path.stem} | {advice.run_seconds:.3g} | {advice.io_seconds:.3g} |"
        if not advice.items:
            print(
                f"{head} - | - | - | {'; '.join(advice.notes) or 'no change is sure to help'} | {spent:.1f} |"
            )
        for item in advice.items:
            gain = f"{item.gain.estimate:.3g} ({item.gain.low:.3g} to {item.gain.high:.3g})"
            print(f"{head} {item.rule} | {item.severity} | {gain} | {item.evidence.words} | {spent:.1f} |")
            if not item.gain.low > 0 or not item.evidence.operations:
                wrong.append(f"{path.stem}: {item.rule} has no number")
            if item.severity == "critical" and advice.io_seconds < QUIET * advice.run_seconds:
                wrong.append(f"{path.stem}: {item.rule} is critical where there is little I/O")
    print("\n".join(wrong) or "every item has a number, and no quiet log a critical one")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
