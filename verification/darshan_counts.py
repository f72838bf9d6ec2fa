"""Synthetic Darshan logs read by us and by PyDarshan: every counter, stripe and time must be equal.

    python verification/darshan_counts.py [COUNT] [SEED]

Draws logs as labelled_logs.py does and adds records with random counters; needs `pip install darshan`. Exit status 1
when a value differs.
"""

from __future__ import annotations

import math
import random
import sys
import tempfile
from pathlib import Path

import darshan
from darshan.backend.cffi_backend import counter_names, fcounter_names
from labelled_logs import drawn

from striate.formats.read import read_trace

MODULES = ("POSIX", "MPI-IO", "STDIO")


def plain(name: str) -> str:
    """POSIX_F_READ_TIME as we write it: read_time."""
    return name.split("_", 1)[1].removeprefix("F_").lower()


COUNTERS = {module: [plain(name) for name in counter_names(module)] for module in MODULES}
TIMES = {module: [plain(name) for name in fcounter_names(module)] for module in MODULES}


def noisy(dice: random.Random) -> object:
    """A drawn log with more records of every module, any counter set."""
    log, _ = drawn(dice)
    for module in MODULES:
        for number in range(dice.randrange(4)):
            names = dice.sample(COUNTERS[module], dice.randrange(1, 12))
            values = {
                name: dice.choice((0, 1, dice.randrange(2**40), dice.randrange(2**62))) for name in names
            }
            times = {name: dice.uniform(0, 1e4) for name in dice.sample(TIMES[module], dice.randrange(1, 6))}
            log.add(
                module,
                f"/scratch/more.{number}",
                dice.choice((-1, dice.randrange(log.ranks))),
                **values | times,
            )
    for number in range(dice.randrange(3)):
        targets = [dice.randrange(1000) for _ in range(dice.randrange(1, 9))]
        log.stripe(f"/scratch/more.{number}", unit=1 << dice.randrange(16, 24), targets=targets)
    return log


def differences(path: Path) -> list[str]:
    """What the two readers say differently of one log."""
    trace, wrong = read_trace(path), []
    report = darshan.DarshanReport(str(path), read_all=True)
    names = trace.file_names()
    for module in MODULES:
        theirs = {}
        if module in report.records:
            frames = report.records[module].to_df()
            for kind in ("counters", "fcounters"):
                for row in frames[kind].to_dict("records"):
                    key = (report.name_records[int(row["id"])], int(row["rank"]))
                    theirs.setdefault(key, {}).update(
                        {plain(name): value for name, value in row.items() if name not in ("id", "rank")}
                    )
        ours = {}
        if module in trace.records:
            for row in trace.records[module].to_pylist():
                file = names[row["file"]] if row["file"] >= 0 else ""
                ours[file, row["rank"]] = row
        if set(ours) != set(theirs):
            wrong.append(f"{module}: records {sorted(set(ours) ^ set(theirs))[:3]}")
        for key in set(ours) & set(theirs):
            for name, value in theirs[key].items():
                mine = ours[key].get(name, 0)
                if not (
                    mine == value
                    or (isinstance(value, float) and math.isclose(mine or 0.0, value, rel_tol=1e-12))
                ):
                    wrong.append(f"{module} {key} {name}: {mine} and {value}")
    return wrong + _stripes(trace, report)


def _stripes(trace: object, report: object) -> list[str]:
    if "LUSTRE" not in report.records:
        return ["LUSTRE: ours alone"] if "LUSTRE" in trace.records else []
    names = trace.file_names()
    ours = {
        names[row["file"]]: (row["stripe_size"], row["stripe_count"], list(row["targets"]))
        for row in trace.records["LUSTRE"].to_pylist()
    }
    theirs = {}
    # counters: stripe size, stripe count, pattern, flags, start and end of the component, mirror
    for record in report.records["LUSTRE"]:
        for part in record["components"]:
            size, count = (int(value) for value in part["counters"][:2])
            targets = [int(one) for one in part["ost_ids"]]
            theirs[report.name_records[record["id"]]] = (size, count, targets)
    return [f"LUSTRE {name}: {ours.get(name)} and {theirs.get(name)}" for name in set(ours) | set(theirs)
            if ours.get(name) != theirs.get(name)]  # fmt: skip


def main() -> int:
    count, seed = (int(text) for text in [*sys.argv[1:3], *("500", "1")[len(sys.argv) - 1 :]])
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.darshan"
        for number in range(count):
            path.unlink(missing_ok=True)
            noisy(random.Random(seed * 1_000_003 + number)).save(path)
            found = differences(path)
            wrong += bool(found)
            for line in found[:3]:
                print(f"log {number}: {line}")
    print(f"{count} logs, {wrong} with differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
