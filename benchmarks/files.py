"""Programs with files on `fine` and on `flow`: CPU seconds of whole runs, against what is aimed at.

Every row runs in a process of its own, so that its memory can be told. SimGrid's flows take 12.8 us a write and FSMod,
as published, 2 us (256 clients, 16 servers).
"""

import dataclasses
import json
import resource
import subprocess
import sys
import time

from striate.cluster import load_cluster
from striate.engine.packets import run_packets
from striate.rungs.program_input import input_of
from striate.units import KiB, MiB
from striate.workload import Spmd, Workload

MACHINE = "lustre-64"
GIB = 1 << 30


def writes(ranks: int = 1024, passes: int = 64) -> Workload:
    """Every rank writes block after block of one file."""
    body = Spmd(ranks, name="writes")
    with body.repeat(passes) as step:
        body.write("out", offset=(step * ranks + body.rank) * MiB, size=MiB)
    return body.workload()


def steps(ranks: int, passes: int = 10) -> Workload:
    """Edges to both neighbours in a ring, an allreduce, a checkpoint of 4 MiB per rank."""
    body = Spmd(ranks, name="steps")
    with body.repeat(passes) as step:
        for hop in (1, -1):
            body.sendrecv((body.rank + hop) % ranks, 64 * KiB, source=(body.rank - hop) % ranks)
        body.allreduce(8)
        body.write_all("out", offset=(step * ranks + body.rank) * 4 * MiB, size=4 * MiB)
    return body.workload()


@dataclasses.dataclass(frozen=True)
class Measured:
    """What one run took, and what it said."""

    cpu_seconds: float
    peak_bytes: int
    events: int
    skipped: int
    end: int  # ticks


def played(kind: str, ranks: int, passes: int, flows: bool) -> Measured:
    workload = writes(ranks, passes) if kind == "writes" else steps(ranks, passes)
    given = input_of(workload, load_cluster(MACHINE))
    begun = time.process_time()
    run = run_packets(given, flows=flows)
    spent = time.process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return Measured(spent, peak, run.events, run.skipped, int(run.rank_end.max()))


def measured(kind: str, ranks: int, passes: int, *, flows: bool = False) -> Measured:
    """`played` in a process of its own."""
    row = json.dumps([kind, ranks, passes, flows])
    done = subprocess.run([sys.executable, __file__, row], check=True, stdout=subprocess.PIPE, text=True)
    return Measured(**json.loads(done.stdout))


def report(what: str, value: float, unit: str, aim: float) -> bool:
    """One line; true when the value is at most what is aimed at."""
    verdict = "" if value <= aim else "  falls short"
    print(f"{what:<58} {value:>9.3g} {unit} (at most {aim:g}){verdict}", flush=True)
    return value <= aim


def tell(run: Measured) -> None:
    print(
        f"  {run.events / 1e6:.1f} M events, {run.events / run.cpu_seconds / 1e6:.1f} M/s, "
        f"{run.skipped:,} skipped, {run.peak_bytes / GIB:.2f} GiB"
    )


def main() -> int:
    met = []
    packets = measured("writes", 1024, 64)
    met.append(report("1,024 ranks x 64 writes of 1 MiB, fine", packets.cpu_seconds, "s", 0.5))
    tell(packets)
    fluid = measured("writes", 1024, 64, flows=True)
    met.append(report("  the same on flow", fluid.cpu_seconds, "s", 0.1))
    per_write = fluid.cpu_seconds / (1024 * 64) * 1e6
    print(f"  error {fluid.end / packets.end - 1:+.2%}; {per_write:.1f} us per write")
    packets = measured("steps", 4096, 10)
    met.append(report("4,096 ranks x 10 steps with write_all of 4 MiB, fine", packets.cpu_seconds, "s", 3))
    tell(packets)
    fluid = measured("steps", 4096, 10, flows=True)
    print(f"  the same on flow: {fluid.cpu_seconds:.2f} s, error {fluid.end / packets.end - 1:+.2%}")
    packets = measured("steps", 65_536, 10)
    met.append(report("65,536 ranks x 10 such steps, fine", packets.cpu_seconds, "s", 60))
    met.append(report("  memory of the whole process", packets.peak_bytes / GIB, "GiB", 4))
    tell(packets)
    fluid = measured("steps", 65_536, 10, flows=True)
    met.append(report("  the same on flow", fluid.cpu_seconds, "s", 2))
    met.append(report("  memory of the whole process", fluid.peak_bytes / GIB, "GiB", 4))
    print(f"  error {fluid.end / packets.end - 1:+.2%}")
    return met.count(False)


if __name__ == "__main__":
    if len(sys.argv) > 1:  # one row, for `measured`
        print(json.dumps(dataclasses.asdict(played(*json.loads(sys.argv[1])))))
        sys.exit(0)
    sys.exit(1 if main() else 0)
