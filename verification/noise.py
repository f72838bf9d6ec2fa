"""Does the 90 % range of next runs hold 90 % of them? Learnt on the first half of every series, judged by the second.

    python verification/noise.py FILE.csv.gz...

A file is a table of runs as `striate noise learn` reads it. Nothing of a second half is seen before it is judged. The
second figure learns again before every 30 runs, as a user who keeps the table up to date would.
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from striate.errors import NoiseError
from striate.noise.learn import learn
from striate.noise.model import LearntSeries
from striate.noise.runs import Series, read_runs

EVERY = 30


def inside(learnt: LearntSeries, past: np.ndarray, later: np.ndarray) -> np.ndarray:
    """Which of the later runs lie in the range that was learnt from the past."""
    alone = np.quantile(past, 0.05, method="hazen")
    span = learnt.next_runs
    return (later >= alone + np.log(span.low)) & (later <= alone + np.log(span.high))


def held(series: tuple[Series, ...], begin: list[int], end: list[int]) -> list[np.ndarray]:
    """Learn on the runs before `begin`, judge those from there to `end`."""
    pasts = [
        replace(one, log_seconds=one.log_seconds[:first]) for one, first in zip(series, begin, strict=True)
    ]
    learnt = {(one.machine, one.program, one.ranks): one for one in learn(pasts, source="").series}
    found = []
    for one, past, last in zip(series, pasts, end, strict=True):
        later = one.log_seconds[len(past.log_seconds) : last]
        found.append(inside(learnt[one.machine, one.program, one.ranks], past.log_seconds, later))
    return found


def judge(path: Path) -> bool:
    """Print the shares of one table, or why there are none; true when the whole of it is inside 85 to 95 %."""
    try:
        return shares(path)
    except NoiseError as error:
        print(f"{path.name}: {error}")
        return False


def shares(path: Path) -> bool:
    table = read_runs(path)
    series = tuple(one for one in table.series if len(one.log_seconds) >= 64)
    short = len(table.series) - len(series)
    if not series:
        raise NoiseError("expected a series of 64 runs or more, found none")
    halves = [len(one.log_seconds) // 2 for one in series]
    ends = [len(one.log_seconds) for one in series]
    fixed = held(series, halves, ends)
    followed: list[list[np.ndarray]] = [[] for _ in series]
    for step in range(0, max(end - half for end, half in zip(ends, halves, strict=True)), EVERY):
        begins = [min(half + step, end) for half, end in zip(halves, ends, strict=True)]
        lasts = [min(one + EVERY, end) for one, end in zip(begins, ends, strict=True)]
        for one, part in zip(followed, held(series, begins, lasts), strict=True):
            one.append(part)
    print(
        f"{path.name}: {len(series)} series ({short} too short), {sum(ends)} runs; left out: {table.without_time} "
        f"without a time, {table.other_jobs} of another size"
    )
    for one, hit, again in zip(series, fixed, followed, strict=True):
        followed_share = np.concatenate(again).mean()
        print(f"  {one.name:60} {len(hit):5d} judged  {hit.mean():6.1%}  learnt again: {followed_share:6.1%}")
    whole = np.concatenate(fixed).mean()
    again = np.concatenate([np.concatenate(one) for one in followed]).mean()
    by_series = np.mean([one.mean() for one in fixed])
    print(
        f"  inside the 90 % range: {whole:.1%} of the runs (mean of series {by_series:.1%}); "
        f"learnt again every {EVERY} runs: {again:.1%}"
    )
    return bool(0.85 <= whole <= 0.95)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(0 if all(list(map(judge, map(Path, sys.argv[1:])))) else 1)
