"""The memory estimate of `fine` against what runs take.

    python verification/memory.py [--held-out] [WORDS OF A NAME ...]

The numbers of the estimate were set with the programs of tests/memory_programs.py; those of `memory_held_out.py`, with
--held-out, are of other kinds and judge it.
Every program is played in a process of its own; used is the peak of resident memory above what the process had before
the run. Exit status 1 when an estimate over what was used lies outside 0.5 to 2.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import memory_held_out

import memory_programs
from memory_measured import measured

LOWEST, HIGHEST = 0.5, 2.0
LEAST_BYTES = 50 * 2**20


def main(wanted: list[str]) -> int:
    held_out = "--held-out" in wanted
    wanted = [word for word in wanted if word != "--held-out"]
    chosen = memory_held_out if held_out else memory_programs
    names = [name for name in chosen.PROGRAMS if not wanted or any(word in name for word in wanted)]
    ratios, small = [], 0
    for name in names:
        begun = time.monotonic()
        found = measured(name, str(chosen.__file__))
        largest = sorted(found.parts.items(), key=lambda part: -part[1])[:3]
        told = ", ".join(f"{part} {size / 2**20:.0f}" for part, size in largest)
        is_small = found.used < LEAST_BYTES
        small += is_small
        ratios += [] if is_small else [found.ratio]
        mark = "small" if is_small else "" if LOWEST <= found.ratio <= HIGHEST else "OUTSIDE"
        print(
            f"{name:42} {found.used / 2**20:7.0f} MiB used {found.estimated / 2**20:7.0f} estimated"
            f" {found.ratio:6.2f} {mark:8} {time.monotonic() - begun:4.0f} s  {told}",
            flush=True,
        )
    outside = sum(not LOWEST <= ratio <= HIGHEST for ratio in ratios)
    spread = f"{min(ratios):.2f} to {max(ratios):.2f}" if ratios else "none"
    print(
        f"{len(ratios)} programs above 50 MiB: estimated over used {spread}, {outside} outside 0.5 to 2; {small} small"
    )
    return 1 if outside else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
