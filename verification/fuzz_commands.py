"""Mutated inputs and option texts through the commands: `python verification/fuzz_commands.py [COUNT] [SEED]`.

Each must end with status 0, 1, 2 or 3; one line on stderr when 1; no traceback, no warning, no raw control character,
within 20 s and 1 GiB. Prints the count per format. What broke is kept as `SEED-NUMBER` in --keep FOLDER. With --state
FILE a run goes on where the one before it with the same seed ended, and prints the counts of all of them.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from fuzzing.fuzzer import fuzz


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=50_000)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long")
    parser.add_argument("--keep", type=Path, help="folder for what broke")
    parser.add_argument("--state", type=Path, help="a file that keeps how far each seed has come")
    given = parser.parse_args()
    states = json.loads(given.state.read_text()) if given.state and given.state.exists() else {}
    known = states.get(str(given.seed), {"counts": [], "failures": []})
    counts = Counter({(kind, status): number for kind, status, number in known["counts"]})
    failures: list[str] = known["failures"]
    begun, before = time.monotonic(), counts.total()
    more, broke = fuzz(
        given.count, given.seed, first=before, seconds=given.seconds, keep=given.keep, archives=True
    )
    counts.update(more)
    failures += broke
    if given.state:
        rows = [[kind, status, number] for (kind, status), number in counts.items()]
        states[str(given.seed)] = {"counts": rows, "failures": failures}
        given.state.write_text(json.dumps(states))
    for kind in sorted({kind for kind, _ in counts}):
        by = {status: number for (found, status), number in sorted(counts.items(), key=str) if found == kind}
        print(
            f"{kind:18} {sum(by.values()):8,}  "
            + ", ".join(f"status {key}: {value:,}" for key, value in by.items())
        )
    print(
        f"{counts.total():,} mutants of seed {given.seed}, {more.total():,} of them in"
        f" {time.monotonic() - begun:.0f} s; {len(failures)} broke"
    )
    for words in failures[:50]:
        print("FAILED", words)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
