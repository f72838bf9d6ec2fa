"""Programs with files on `fine` and on `flow`: CPU seconds of whole runs, against what is aimed at."""

import resource
import sys
import time

from striate.cluster import load_cluster
from striate.engine.input import EngineInput
from striate.engine.packets import PacketRun, run_packets
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
    """Edges to both neighbours in a ring, a collective, a checkpoint of 4 MiB per rank."""
    body = Spmd(ranks, name="steps")
    with body.repeat(passes) as step:
        for way in (1, -1):
            body.sendrecv((body.rank + way) % ranks, 64 * KiB, source=(body.rank - way) % ranks)
        body.allreduce(8)
        body.write_all("out", offset=(step * ranks + body.rank) * 4 * MiB, size=4 * MiB)
    return body.workload()


def timed(given: EngineInput, *, flows: bool) -> tuple[float, PacketRun]:
    begun = time.process_time()
    run = run_packets(given, flows=flows)
    return time.process_time() - begun, run


def report(what: str, value: float, unit: str, aim: float) -> bool:
    """One line; true when the value is at most what is aimed at."""
    verdict = "" if value <= aim else "  falls short"
    print(f"{what:<58} {value:>9.3g} {unit} (at most {aim:g}){verdict}", flush=True)
    return value <= aim


def main() -> int:
    met = []
    cluster = load_cluster(MACHINE)
    given = input_of(writes(), cluster)
    spent, packets = timed(given, flows=False)
    met.append(report("1,024 ranks x 64 writes of 1 MiB, fine", spent, "s", 0.5))
    print(f"  {packets.events / spent / 1e6:.1f} M events/s, {packets.skipped:,} skipped")
    spent, fluid = timed(given, flows=True)
    met.append(report("  the same on flow", spent, "s", 0.1))
    error = int(fluid.rank_end.max()) / int(packets.rank_end.max()) - 1
    a_write = spent / (1024 * 64) * 1e6
    print(
        f"  error {error:+.2%}; {a_write:.1f} us a write (FSMod, as published: 2 us, 256 clients and 16 servers)"
    )
    given = input_of(steps(4096), cluster)
    spent, packets = timed(given, flows=False)
    met.append(report("4,096 ranks x 10 steps with write_all of 4 MiB, fine", spent, "s", 3))
    print(f"  {packets.events / spent / 1e6:.1f} M events/s, {packets.skipped:,} skipped")
    spent, fluid = timed(given, flows=True)
    error = int(fluid.rank_end.max()) / int(packets.rank_end.max()) - 1
    print(f"  the same on flow: {spent:.2f} s, error {error:+.2%}")
    spent, fluid = timed(input_of(steps(65_536), cluster), flows=True)
    met.append(report("65,536 ranks x 10 such steps, flow", spent, "s", 2))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / GIB
    met.append(report("  memory of the whole process", peak, "GiB", 4))
    return met.count(False)


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
