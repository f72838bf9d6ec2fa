"""Probe this machine, validate forecasts on it, and keep the history: `python verification/validate.py [REPEATS]`.

Writes build/here.toml and build/validation.svg anew and appends to build/validation.db. Takes about five minutes; exit
status 3 when the median error is above 20 % or fewer than 80 % of the runs are inside their bounds.
"""

import sys
from pathlib import Path

from striate.cli.main import run

BUILD = Path(__file__).resolve().parent.parent / "build"


def main(repeats: str = "2") -> int:
    BUILD.mkdir(exist_ok=True)
    cluster, picture, store = (str(BUILD / name) for name in ("here.toml", "validation.svg", "validation.db"))
    scratch = ["--directory", str(BUILD)]
    status = run(["probe", "--budget", "40 s", *scratch, "--store", store, "-o", cluster, "--force"])
    if status:
        return status
    options = ["--repeats", repeats, *scratch, "--store", store, "-o", picture, "--force"]
    status = run(["validate", cluster, *options])
    run(["results", store, "--kind", "validate", "--changes"])
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
