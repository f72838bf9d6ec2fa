"""Mutated inputs and option texts through the commands: `python verification/fuzz_commands.py [COUNT] [SEED]`.

Each must end with status 0, 1, 2 or 3; one line on stderr when 1; no traceback, no warning, no raw control character,
within 20 s and 1 GiB. Prints the count per format. What broke is kept as `FORMAT.LINE.SEED.NUMBER` in --keep FOLDER.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from fuzzing.fuzzer import fuzz


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=50_000)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long")
    parser.add_argument("--keep", type=Path, help="folder for what broke")
    given = parser.parse_args()
    begun = time.monotonic()
    counts, failures = fuzz(given.count, given.seed, seconds=given.seconds, keep=given.keep)
    for kind in sorted({kind for kind, _ in counts}):
        by = {status: number for (found, status), number in sorted(counts.items(), key=str) if found == kind}
        print(
            f"{kind:18} {sum(by.values()):8,}  "
            + ", ".join(f"status {key}: {value:,}" for key, value in by.items())
        )
    print(
        f"{counts.total():,} mutants of seed {given.seed} in {time.monotonic() - begun:.0f} s; {len(failures)} broke"
    )
    for words in failures[:50]:
        print("FAILED", words)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
