"""Probe this machine, validate forecasts on it, and keep the history: `python verification/validate.py [REPEATS]`.

Writes build/here.toml and build/validation.svg anew, appends every run to build/validation.db and a line of the whole
to verification/validation.csv. Takes about seven minutes with three repeats; exit status 3 when the median error is
above 20 % or fewer than 80 % of the runs are inside their bounds.
"""

import csv
import sys
from pathlib import Path
from statistics import fmean, median

from striate.cli.main import run
from striate.evaluate.validate.study import PATIENCE_SECONDS, Patience
from striate.results import Entry, Filter, entries

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent / "build"
HISTORY = HERE / "validation.csv"
COLUMNS = (
    "made",
    "version",
    "runs",
    "median error",
    "inside the bounds",
    "high / low",
    "noise",
    "background",
)


def main(repeats: str = "2") -> int:
    BUILD.mkdir(exist_ok=True)
    cluster, picture, store = (str(BUILD / name) for name in ("here.toml", "validation.svg", "validation.db"))
    scratch = ["--directory", str(BUILD)]
    Patience(PATIENCE_SECONDS).look()
    status = run(["probe", "--budget", "40 s", *scratch, "--store", store, "-o", cluster, "--force"])
    if status:
        return status
    options = ["--repeats", repeats, *scratch, "--store", store, "-o", picture, "--force"]
    status = run(["validate", cluster, *options])
    if status in (0, 3):
        found = entries(store, Filter(kind="validate"))
        keep([entry for entry in found if entry.made == found[-1].made])
        run(["results", store, "--kind", "validate", "--changes"])
    return status


def keep(runs: list[Entry]) -> None:
    """A line of the history."""
    cases: dict[str, list[float]] = {}
    for entry in runs:
        cases.setdefault(entry.workload, []).append(entry.measured)
    noise = [fmean(abs(seconds / median(times) - 1) for seconds in times) for times in cases.values()]
    line = (
        runs[0].made[:16],
        runs[0].versions.get("striate", ""),
        len(runs),
        f"{median(abs(entry.results['error']) for entry in runs):.3f}",
        f"{sum(entry.results['inside'] for entry in runs) / len(runs):.3f}",
        f"{median(entry.seconds.high / entry.seconds.low for entry in runs):.2f}",
        f"{median(noise):.3f}",
        f"{median(entry.setup['background'] for entry in runs):.2g}",
    )
    new = not HISTORY.exists()
    with HISTORY.open("a", newline="") as file:
        csv.writer(file).writerows([COLUMNS] * new + [line])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
