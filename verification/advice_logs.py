"""Advice on every log of a folder, as a table: `python verification/advice_logs.py [FOLDER]`.

Exit status 1 when an item saves more than its operations took, or has a gain without a width.
"""

import sys
import time
from pathlib import Path

from advice_labels import gain_faults

from striate.advice import advise
from striate.formats.read import read_trace


def main(arguments):
    folder = (
        Path(arguments[0])
        if arguments
        else Path(__file__).resolve().parents[1] / "tests" / "data" / "darshan"
    )
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
            print(f"{head} - | - | - | {len(advice.looked_at)} rules found nothing | {spent:.1f} |")
        for item in advice.items:
            gain = f"{item.gain.low:.3g} to {item.gain.high:.3g}" if item.gain else "-"
            print(f"{head} {item.rule} | {item.severity} | {gain} | {item.evidence.words} | {spent:.1f} |")
            wrong += [f"{path.stem}: {text}" for text in gain_faults(item)]
    print("\n".join(wrong) or "no gain is above its cap or without a width")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
