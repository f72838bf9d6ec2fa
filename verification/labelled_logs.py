"""Writes synthetic Darshan logs with labels from published thresholds: labelled_logs.py FOLDER [COUNT] [SEED].

The logs are drawn at random: ranks, files, sizes, orders, and a file system of some latency and bandwidth, from which
the times follow. Labels come from what was drawn and from the thresholds of Drishti (Bez, Ather and Byna, PDSW 2022):
requests below 1 MiB that are more than 10 % and more than 1000; more than 20 % and 1000 random accesses; more than
10 % unaligned; more than 30 s of metadata per rank; a slowest rank 15 % above the fastest on a shared file; more than
10 % of the bytes through standard I/O; more bytes read than the file has; over 1000 independent MPI-IO calls and no
collective one. A flush after each of over 1000 writes is labelled, too. Rules for which nobody published a threshold
count neither for nor against, nor does imbalance below collective calls, whose files are the aggregators'. Then:
advice_labels.py FOLDER FOLDER/labels.json.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from darshan_logs import Log, merged, mpiio, posix

MIB = 1 << 20
PUBLISHED = (
    *("small requests", "random access", "unaligned", "redundant reads", "sync per write", "metadata storm"),
    *("imbalance", "missing collectives", "standard I/O"),
)


def drawn(dice: random.Random) -> tuple[Log, set[str]]:
    """One log and what is wrong with it."""
    ranks = dice.choice((8, 16, 64, 128, 256))
    latency, rate = 10 ** dice.uniform(-4, -2.3), 10 ** dice.uniform(7.7, 9)  # s per call, B/s of a rank
    kind = dice.choice(("read", "write"))
    size = dice.choice((512, 4096, 40_000, 262_144, 2 * MIB, 8 * MIB, 32 * MIB))
    spent = 10 ** dice.uniform(0.7, 2.2)  # seconds of a rank in its accesses
    calls = max(round(spent / (latency + size / rate)), 4)
    shared = dice.random() < 0.5
    has = set()
    every = calls * ranks
    if size < MIB and every > 1000:
        has.add("small requests")
    sequential = dice.choice((1.0, 1.0, 0.95, 0.5, 0.1))
    if 1 - sequential > 0.2 and every * (1 - sequential) > 1000:
        has.add("random access")
    unaligned = 0.0 if size % 4096 == 0 and dice.random() < 0.7 else dice.choice((0.5, 1.0))
    if size % 4096:
        unaligned = 1.0
    if unaligned > 0.1:
        has.add("unaligned")
    more: dict[str, float] = {}
    storm = 0.0  # seconds of a rank in opens and stats of other files
    extent = calls * size
    if kind == "read" and dice.random() < 0.3:
        again = dice.choice((4, 20, 100))
        if calls // again >= 1:
            extent = max(extent // again, size)
            has.add("redundant reads")
    if kind == "write" and dice.random() < 0.3:
        more = {"fsyncs": calls, "meta_time": spent * dice.uniform(0.5, 2)}
        if every > 1000:
            has.add("sync per write")
        if more["meta_time"] > 30:
            has.add("metadata storm")
    elif dice.random() < 0.25:
        storm = dice.choice((0.01, 60.0, 200.0))
        if storm > 30:
            has.add("metadata storm")
    seconds = (spent + storm + more.get("meta_time", 0.0)) * dice.uniform(1.1, 3.0) + 1
    slow = dice.choice((1.0, 1.02, 1.05, 1.5, 3.0))
    log = Log(ranks=ranks, seconds=seconds * max(slow, 1.0))
    counters = posix(kind, calls, size, spent, sequential=sequential, consecutive=sequential * 0.9, unaligned=unaligned,
                     extent=extent, **more)  # fmt: skip
    whole = spent + more.get("meta_time", 0.0)
    if shared and (slow - 1) / slow > 0.15:
        has.add("imbalance")
    if shared:
        log.add("POSIX", "/scratch/shared", -1, **merged(counters, ranks=ranks, slowest=whole * slow, fastest=whole,
                same_bytes="redundant reads" in has))  # fmt: skip
        if dice.random() < 0.6:
            together = dice.random() < 0.5
            through = mpiio(kind, calls, size, spent * 1.05, collective=together)
            log.add(
                "MPI-IO",
                "/scratch/shared",
                -1,
                **merged(through, ranks=ranks, slowest=whole * slow, fastest=whole),
            )
            if not together and every > 1000:
                has.add("missing collectives")
            if together:
                has.discard("imbalance")
    else:
        for rank in range(ranks):
            factor = slow if rank == ranks // 2 else 1.0
            mine = counters | {f"{kind}_time": counters[f"{kind}_time"] * factor}
            if "meta_time" in mine:
                mine["meta_time"] *= factor
            mine[f"{kind}_end_timestamp"] = mine[f"{kind}_start_timestamp"] + mine[f"{kind}_time"]
            log.add("POSIX", f"/scratch/out.{rank}", rank, **mine)
    log.stripe("/scratch/shared", targets=range(min(ranks, 32))) if shared else None
    for rank in range(ranks if storm else 0):
        calls = max(round(storm / latency / 2), 1)
        log.add("POSIX", f"/scratch/input.{rank}", rank, opens=calls, stats=calls, meta_time=storm)
    if dice.random() < 0.2:
        bulk = dice.choice((0.001, 0.5)) * every * size
        count = max(round(bulk / 65536), 1)
        log.add("STDIO", "/scratch/text", 0, writes=count, bytes_written=round(bulk), write_time=bulk / rate,
                write_start_timestamp=1.0, write_end_timestamp=1.0 + bulk / rate, opens=1)  # fmt: skip
        if bulk > 0.1 * (bulk + every * size):
            has.add("standard I/O")
    return log, has


def main() -> int:
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    folder, count, seed = (
        Path(sys.argv[1]),
        *(int(text) for text in [*sys.argv[2:4], *("100", "1")[len(sys.argv) - 2 :]]),
    )
    folder.mkdir(parents=True, exist_ok=True)
    from striate.advice.advise import RULES

    labels = {}
    for number in range(count):
        log, has = drawn(random.Random(seed * 1_000_003 + number))
        name = f"log-{number:04}.darshan"
        log.save(folder / name)
        may = set(RULES) - set(PUBLISHED) | {"imbalance"}  # files of single ranks have no published threshold
        labels[name] = {"has": sorted(has), "may": sorted(may - has)}
    (folder / "labels.json").write_text(json.dumps(labels, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
